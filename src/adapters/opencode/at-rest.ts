import type { DiscoverContext, Unit } from '../contract.ts'
import type { DatabaseStamp } from '../kit/sqlite-snapshot.ts'
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

/** The state of a database's files, as a mark keeps it. */
export const stampText = ({ db, wal }: DatabaseStamp): string => `${db}/${wal}`

/** A file system tells two writes apart only when some time lies between them. */
const YOUNG_MS = 50

/** Whether the files were written so lately that a later write may not show. */
export function isYoung(stamp: string): boolean {
  const newest = stamp.split('/').reduce((latest, file) => {
    const time = file.split('.')[2]
    return time === undefined ? latest : Math.max(latest, Number(parseBase36(time) / 1_000_000n))
  }, 0)
  return Math.abs(Date.now() - newest) < YOUNG_MS
}

const parseBase36 = (text: string): bigint =>
  [...text].reduce((value, digit) => value * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
