import type { StoredProgress } from '../db/schema.ts'
import type { Tally } from './commit-context.ts'

type Counter = Exclude<keyof StoredProgress, 'currentSource' | 'bytesTotal' | 'lastAdvancedAt'>

const ZERO: StoredProgress = {
  currentSource: null,
  sessionsTotal: 0,
  sessionsDone: 0,
  sessionsFresh: 0,
  sessionsEmpty: 0,
  sessionsUnsupported: 0,
  sessionsSuperseded: 0,
  messagesInserted: 0,
  messagesUpdated: 0,
  partsInserted: 0,
  partsUpdated: 0,
  bytesRead: 0,
  bytesTotal: null,
  problemCount: 0,
  lastAdvancedAt: 0,
}

export const startedAt = (now: number): StoredProgress => ({ ...ZERO, lastAdvancedAt: now })

/** Counters of one run: they only grow (design §5.6). */
export class Progress {
  private state: StoredProgress
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
    this.state = startedAt(now())
  }

  get snapshot(): StoredProgress {
    return this.state
  }

  add(counter: Counter, by: number): void {
    if (by > 0) this.state = { ...this.state, [counter]: this.state[counter] + by, lastAdvancedAt: this.now() }
  }

  addTally(tally: Tally): void {
    this.add('messagesInserted', tally.messagesInserted)
    this.add('messagesUpdated', tally.messagesUpdated)
    this.add('partsInserted', tally.partsInserted)
    this.add('partsUpdated', tally.partsUpdated)
  }

  /** More bytes are to be read; null when it can't be told how many, which makes the total unknown. */
  expectBytes(bytes: number | null): void {
    const { bytesTotal } = this.state
    this.state = { ...this.state, bytesTotal: bytes === null ? null : (bytesTotal ?? 0) + bytes }
  }

  at(source: string): void {
    if (this.state.currentSource !== source) this.state = { ...this.state, currentSource: source }
  }
}
