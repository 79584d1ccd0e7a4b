import { asCount, at } from '../../model/json.ts'
import type { SqlRow } from '../kit/sqlite.ts'
import type { DatabaseCursor } from './cursor.ts'
import { isUnfinished, stampOf } from './unfinished.ts'

/** Of so many unfinished messages the newest are remembered; the rest is left to a verifying sync. */
const MOST_UNFINISHED = 64

type Stamped = readonly [id: string, stamp: string]

/** A part as `Memory` looks at it: its row, and its data without what is long. */
export interface SeenPart {
  readonly row: SqlRow
  readonly data: unknown
}

/** What reading a session learns for its next cursor: which messages may still change in place. */
export class Memory {
  readonly #unfinished: Map<string, string>
  #newestUser: Stamped | null
  #newestUserTime = -1

  /** Starts from what is known; from nothing when the session is read whole. */
  constructor(known: DatabaseCursor | null) {
    this.#unfinished = new Map(known?.unfinished ?? [])
    this.#newestUser = known?.newestUser ?? null
  }

  get unfinished(): readonly Stamped[] {
    return [...this.#unfinished].slice(-MOST_UNFINISHED)
  }

  get newestUser(): Stamped | null {
    return this.#newestUser
  }

  /** Messages whose stamps tell whether they changed. */
  get watched(): readonly Stamped[] {
    return this.#newestUser === null ? this.unfinished : [...this.unfinished, this.#newestUser]
  }

  forget(messageId: string): void {
    this.#unfinished.delete(messageId)
  }

  see(messageId: string, row: SqlRow, message: unknown, parts: readonly SeenPart[]): void {
    const rows = parts.map((part) => part.row)
    const data = parts.map((part) => part.data)
    this.#unfinished.delete(messageId)
    if (isUnfinished(message, data)) this.#unfinished.set(messageId, stampOf(row, rows))
    if (at(message, 'role') !== 'user') return
    const time = asCount(at(message, 'time', 'created')) ?? 0
    if (this.#newestUser?.[0] !== messageId && time < this.#newestUserTime) return
    this.#newestUser = [messageId, stampOf(row, rows)]
    this.#newestUserTime = time
  }
}
