import type { Adapter } from '../adapters/contract.ts'

/** An adapter with what the configuration says of it. */
export interface SyncSource {
  readonly adapter: Adapter
  /** Absolute paths to read: configured, else found by probing. */
  readonly roots: readonly string[]
  readonly isEnabled: boolean
}

/** `SyncSource` with its row in the store. */
export interface StoredSource extends SyncSource {
  readonly id: number
}
