import type { StoreWriter } from '../db/write/index.ts'
import type { JournalWriter } from '../journal/append.ts'

/** What every piece of sync works with. */
export interface SyncDeps {
  readonly writer: StoreWriter
  readonly journal: JournalWriter
  readonly origin: { readonly id: number; readonly uid: string }
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A run's row changed. */
  readonly onRun: (runId: number, isEnded: boolean) => void
  /** What no problem of a source explains: a fault of ours. */
  readonly onError: (error: unknown) => void
  /** Something was committed. */
  readonly onCommit: () => void
}
