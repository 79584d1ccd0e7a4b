/** What messages and parts need of their session: enough for ids, for the adapter's name and for what a revert hides. */
export interface SessionHandle {
  readonly id: number
  readonly uid: Uint8Array
  readonly originId: number
  readonly sourceId: number
  /** Order key from which on the session was reverted. */
  readonly revertedFromKey: string | null
}

/** Columns of a handle, of the table `sessions` under the alias `s`. */
export const HANDLE_COLUMNS = 's.id, s.uid, s.origin_id, s.source_id, s.reverted_from_key'
export const HANDLE_WIDTH = 5

export function decodeHandle(values: readonly unknown[], from: number): SessionHandle {
  const uid = values[from + 1]
  const key = values[from + 4]
  return {
    id: Number(values[from]),
    uid: Buffer.isBuffer(uid) ? uid : Buffer.alloc(0),
    originId: Number(values[from + 2]),
    sourceId: Number(values[from + 3]),
    revertedFromKey: typeof key === 'string' ? key : null,
  }
}
