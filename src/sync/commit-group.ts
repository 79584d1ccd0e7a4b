import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoreWriter } from '../db/write/index.ts'

/** A commit is due after so much (design §5.1): nobody waits for a unit to end. The commit itself takes about as long again. */
export const COMMIT_BYTES = 8 * 1024 * 1024
export const COMMIT_ROWS = 2000
export const COMMIT_MS = 10

/** A unit's last commit, ready to be made with those of others. */
export interface LastCommit {
  readonly bytes: number
  readonly rows: number
  /** It writes nothing. */
  readonly isNothing: boolean
  /** What it writes, inside a transaction; it may be asked to write it again. */
  write(): void
  /** It was committed. */
  done(): void
  /** It can't be written. */
  failed(error: unknown): void
}

/**
 * Ends of units that are committed together: most sessions are short, and a transaction for each would cost more than all that it writes.
 * One that can't be written costs none of the others.
 */
export class CommitGroup {
  private readonly writer: StoreWriter
  private waiting: LastCommit[] = []
  private since = performance.now()

  constructor(writer: StoreWriter) {
    this.writer = writer
  }

  async add(commit: LastCommit): Promise<void> {
    if (commit.isNothing) return commit.done()
    if (this.waiting.length === 0) this.since = performance.now()
    this.waiting.push(commit)
    if (!this.isDue()) return
    // Commands from outside get their turn between reading and committing, too.
    await nextTurn()
    this.flush()
    await nextTurn()
  }

  /** Commits all that waits. */
  flush(): void {
    const { waiting } = this
    this.waiting = []
    if (waiting.length === 0) return
    try {
      this.writer.transaction(() => {
        for (const commit of waiting) commit.write()
      })
    } catch {
      // Whichever it was says so when it is alone.
      for (const commit of waiting) this.alone(commit)
      return
    }
    for (const commit of waiting) commit.done()
  }

  private alone(commit: LastCommit): void {
    try {
      this.writer.transaction(() => commit.write())
    } catch (error) {
      commit.failed(error)
      return
    }
    commit.done()
  }

  private isDue(): boolean {
    let bytes = 0
    let rows = 0
    for (const commit of this.waiting) {
      bytes += commit.bytes
      rows += commit.rows
    }
    return bytes >= COMMIT_BYTES || rows >= COMMIT_ROWS || performance.now() - this.since >= COMMIT_MS
  }
}
