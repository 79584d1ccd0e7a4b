import type { DiscoverContext, Unit } from '../contract.ts'
import { decodeDatabaseCursor } from './cursor.ts'
import type { DatabasePlace, DatabaseView } from './database-view.ts'
import { databaseUnitKey } from './keys.ts'
import type { DatabaseMark } from './mark.ts'

/** The view of a database that is as the mark left it; null when a session of it was never read to its end. */
export function restingView(place: DatabasePlace, context: DiscoverContext, known: DatabaseMark): DatabaseView | null {
  if (known.sessions === null) return null
  const { path } = place
  if (known.sessions.some(([id]) => decodeDatabaseCursor(context.lastCursor(databaseUnitKey(path, id))) === null))
    return null
  const sessions = new Map(known.sessions)
  const unitOf = (id: string): Unit => ({
    key: databaseUnitKey(path, id),
    path,
    sessionId: id,
    changedAt: sessions.get(id) ?? 0,
    isFresh: true,
    bytes: null,
    meta: null,
  })
  return { path, sessions, unitOf, mark: known, problems: [], isReadable: true }
}
