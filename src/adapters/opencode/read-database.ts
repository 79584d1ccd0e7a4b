import type { ReadItem } from '../kit/parse-with.ts'
import { BusyError, DatabaseError } from '../kit/sqlite-errors.ts'
import type { DatabasePool } from '../kit/sqlite-pool.ts'
import { decodeDatabaseCursor, FAILED_CURSOR } from './cursor.ts'
import { locationOf, sessionKey } from './keys.ts'
import { SessionReader } from './session-reader.ts'
import type { DatabaseMeta } from './unit.ts'

/** Reads one session of a database: all of it, or the messages that changed. */
export async function* readDatabaseSession(
  pool: DatabasePool,
  meta: DatabaseMeta,
  cursorText: string | null,
): AsyncGenerator<ReadItem, string | null> {
  const { path, sessionId } = meta
  try {
    const lease = await pool.acquire(path, false)
    try {
      const batches = new SessionReader(lease.database, meta, decodeDatabaseCursor(cursorText)).read()
      for (;;) {
        const step = await batches.next()
        if (step.done === true) return step.value
        yield* step.value
      }
    } finally {
      lease.release()
    }
  } catch (error) {
    if (!(error instanceof BusyError || error instanceof DatabaseError)) throw error
    const kind = error instanceof BusyError ? 'DEFERRED' : 'IO'
    const location = locationOf({ kind: 'database', path }, sessionKey(sessionId))
    yield { kind: 'problem', problem: { kind, location, message: error.message, sessionId } }
    return FAILED_CURSOR
  }
}
