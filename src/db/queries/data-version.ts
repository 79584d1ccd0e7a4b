import type { Store } from '../open.ts'

/** Changes whenever another connection, of this or any process, committed to the store. */
export function dataVersion(store: Store): number {
  const version: unknown = store.sqlite.pragma('data_version', { simple: true })
  return typeof version === 'number' ? version : 0
}
