import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { asNumber, asString, at } from '../model/json.ts'
import type { Home } from './home.ts'

/** Who holds the writer of a store, as far as it said so. */
export interface Holder {
  readonly pid: number | null
  /** GraphQL endpoint that answers for it; null for a holder that serves none. */
  readonly url: string | null
}

export interface WriterLock {
  /** Tells others where this process can be reached. */
  announce(url: string | null): void
  release(): void
}

/**
 * Takes the right to write, or says who has it. The lock is a transaction that stays open in a database of its own: the system drops
 * it when the process dies, however it dies (design §5.2).
 */
export function acquireWriterLock(home: Home): WriterLock | Holder {
  const db = new Database(home.lock, { timeout: 0 })
  chmodSync(home.lock, 0o600)
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return readHolder(home)
    throw error
  }
  const announce = (url: string | null) =>
    writeFileSync(home.holder, JSON.stringify({ pid: process.pid, url }), { mode: 0o600 })
  announce(null)
  return {
    announce,
    release: () => {
      rmSync(home.holder, { force: true })
      db.close()
    },
  }
}

export const isLock = (result: WriterLock | Holder): result is WriterLock => 'release' in result

/** What the holder wrote of itself; unknown where it wrote nothing readable. */
export function readHolder(home: Home): Holder {
  let holder: unknown = null
  try {
    holder = JSON.parse(readFileSync(home.holder, 'utf8'))
  } catch {
    // Between taking the lock and writing the file there is a moment without one.
  }
  return { pid: asNumber(at(holder, 'pid')), url: asString(at(holder, 'url')) }
}
