import { openReader } from './open.ts'

/** What SQLite says of the store's file: `ok`, or what is broken. */
export function integrityOf(file: string): string {
  const store = openReader(file)
  try {
    return String(store.sqlite.pragma('integrity_check', { simple: true }))
  } finally {
    store.close()
  }
}
