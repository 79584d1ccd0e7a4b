import { join } from 'node:path'
import type { Problem } from '../../model/record.ts'
import type { DiscoverContext, Unit } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import type { Query } from '../kit/sqlite.ts'
import { BusyError } from '../kit/sqlite-errors.ts'
import type { DatabasePool } from '../kit/sqlite-pool.ts'
import { type DatabaseStamp, databaseStamp } from '../kit/sqlite-snapshot.ts'
import { type DatabaseCursor, decodeDatabaseCursor, type Watermark } from './cursor.ts'
import { fileStamp } from './file-stamp.ts'
import { databaseUnitKey } from './keys.ts'
import { type Look, lookInto, type SeenRow, type SeenSession } from './look.ts'
import type { DatabaseMark } from './mark.ts'
import { isSupported, readSchema } from './schema.ts'
import { changedSince } from './unfinished.ts'
import type { DatabaseMeta } from './unit.ts'

/** What discovery found in one database: its sessions, and a unit for each that is asked for. */
export interface DatabaseView {
  readonly path: string
  /** When each session was last updated. */
  readonly sessions: ReadonlyMap<string, number>
  unitOf(sessionId: string): Unit
  /** What to remember; null when the database could not be looked into. */
  readonly mark: DatabaseMark | null
  readonly problems: readonly Problem[]
  readonly isReadable: boolean
}

export interface DatabasePlace {
  readonly path: string
  readonly dataDir: string
}

export const diffFileOf = (dataDir: string, sessionId: string): string =>
  join(dataDir, 'storage', 'session_diff', `${sessionId}.json`)

/** Never throws for what is on disk: a database that can't be looked into is a view without sessions and with a problem. */
export async function discoverDatabase(
  pool: DatabasePool,
  place: DatabasePlace,
  context: DiscoverContext,
  known: DatabaseMark | null,
): Promise<DatabaseView> {
  try {
    const stamp = stampText(databaseStamp(place.path))
    if (!context.verify && known !== null && known.stamp === stamp) {
      const atRest = restingView(place, context, known)
      if (atRest !== null) return atRest
    }
    const lease = await pool.acquire(place.path, true)
    try {
      return await lease.database.read((query) => look(query, place, context, known, stamp, !lease.database.isSnapshot))
    } finally {
      lease.release()
    }
  } catch (error) {
    const kind = error instanceof BusyError ? 'DEFERRED' : 'IO'
    return unreadable(place.path, { kind, location: place.path, message: messageOf(error), sessionId: null })
  }
}

const stampText = ({ db, wal }: DatabaseStamp): string => `${db}/${wal}`
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function unreadable(path: string, problem: Problem): DatabaseView {
  return { path, sessions: new Map(), unitOf: noUnit, mark: null, problems: [problem], isReadable: false }
}

const noUnit = (sessionId: string): Unit => {
  throw new Error(`no such session: ${sessionId}`)
}

/** The view of a database that is as the mark left it; null when a session of it was never read to its end. */
function restingView(place: DatabasePlace, context: DiscoverContext, known: DatabaseMark): DatabaseView | null {
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

function look(
  query: Query,
  place: DatabasePlace,
  context: DiscoverContext,
  known: DatabaseMark | null,
  stamp: string,
  isInPlace: boolean,
): DatabaseView {
  const { path, dataDir } = place
  const schema = readSchema(query)
  if (!isSupported(schema)) {
    const message = 'It has not the tables session, message and part that opencode keeps its sessions in.'
    return unreadable(path, { kind: 'UNSUPPORTED', location: path, message, sessionId: null })
  }
  const cursors = new Map<string, DatabaseCursor>()
  const rememberCursors = (sessions: readonly SeenSession[]): void => {
    for (const { id } of sessions) {
      const cursor = context.verify ? null : decodeDatabaseCursor(context.lastCursor(databaseUnitKey(path, id)))
      if (cursor !== null) cursors.set(id, cursor)
    }
  }
  let seen = lookInto(query, schema, known?.ladders ?? null)
  rememberCursors(seen.sessions)
  // The first sync didn't come to its end: what it read knows how far it looked.
  if (known === null && cursors.size > 0) seen = lookInto(query, schema, lowest([...cursors.values()]))

  const rows = groupRows(seen, cursors)
  const isTouched = known === null || known.stamp === '' || known.stamp !== stamp
  const stirred = isTouched ? stirredSessions(query, seen, cursors) : new Set<string>()
  const problems: Problem[] = []
  const units = new Map<string, Unit>()
  for (const session of seen.sessions) {
    const { id, updatedAt } = session
    if (!isSafeId(id)) {
      problems.push({ kind: 'HOSTILE_ID', location: `${path}#session/${id}`, message: HOSTILE, sessionId: null })
      continue
    }
    const cursor = cursors.get(id) ?? null
    const digest = `${session.digest}.${fileStamp(diffFileOf(dataDir, id))}`
    const news = rows?.get(id) ?? []
    const isFresh =
      cursor !== null && rows !== null && cursor.digest === digest && news.length === 0 && !stirred.has(id)
    units.set(id, {
      key: databaseUnitKey(path, id),
      path,
      sessionId: id,
      changedAt: updatedAt,
      isFresh,
      bytes: null,
      meta: isFresh ? null : metaOf(query, place, seen, id, cursor, rows === null ? null : news),
    })
  }
  if (seen.nameless > 0)
    problems.push({ kind: 'SCHEMA', location: `${path}#session`, message: NAMELESS, sessionId: null })
  return {
    path,
    sessions: new Map(seen.sessions.filter(({ id }) => units.has(id)).map(({ id, updatedAt }) => [id, updatedAt])),
    unitOf: (id) => units.get(id) ?? noUnit(id),
    mark: {
      stamp: isYoung(stamp) ? '' : stamp,
      ladders: seen.ladders,
      sessions: isInPlace ? null : [...units.values()].map((unit) => [unit.sessionId ?? '', unit.changedAt]),
    },
    problems,
    isReadable: true,
  }
}

const HOSTILE = 'This id could name a file elsewhere; the row is left out.'
const NAMELESS = 'A session without an id is left out.'

/** A file system tells two writes apart only when some time lies between them. */
const YOUNG_MS = 50

function isYoung(stamp: string): boolean {
  const newest = stamp.split('/').reduce((latest, file) => {
    const time = file.split('.')[2]
    return time === undefined ? latest : Math.max(latest, Number(parseBase36(time) / 1_000_000n))
  }, 0)
  return Math.abs(Date.now() - newest) < YOUNG_MS
}

const parseBase36 = (text: string): bigint =>
  [...text].reduce((value, digit) => value * 36n + BigInt(Number.parseInt(digit, 36)), 0n)

const lowest = (cursors: readonly DatabaseCursor[]): Watermark => {
  const least = (of: (w: Watermark) => number): number =>
    cursors.reduce((low, { watermark }) => Math.min(low, of(watermark)), Number.MAX_SAFE_INTEGER)
  return { message: least((w) => w.message), part: least((w) => w.part), event: least((w) => w.event) }
}

/** New rows by session, less those that the session's cursor already stands for; null when nothing says what is new. */
function groupRows(seen: Look, cursors: ReadonlyMap<string, DatabaseCursor>): ReadonlyMap<string, SeenRow[]> | null {
  if (seen.rows === null) return null
  const grouped = new Map<string, SeenRow[]>()
  for (const row of seen.rows) {
    const watermark = cursors.get(row.sessionId)?.watermark
    if (watermark !== undefined && row.rowid <= watermark[row.table] && !seen.isRewound[row.table]) continue
    const rows = grouped.get(row.sessionId) ?? []
    grouped.set(row.sessionId, rows)
    rows.push(row)
  }
  return grouped
}

/** Sessions of which an unfinished message changed in place. */
function stirredSessions(query: Query, seen: Look, cursors: ReadonlyMap<string, DatabaseCursor>): ReadonlySet<string> {
  const owner = new Map<string, string>()
  const stamped: (readonly [string, string])[] = []
  for (const { id } of seen.sessions)
    for (const entry of cursors.get(id)?.unfinished ?? []) {
      owner.set(entry[0], id)
      stamped.push(entry)
    }
  return new Set(changedSince(query, seen.schema, stamped).map((id) => owner.get(id) ?? ''))
}

function metaOf(
  query: Query,
  place: DatabasePlace,
  seen: Look,
  sessionId: string,
  cursor: DatabaseCursor | null,
  news: readonly SeenRow[] | null,
): DatabaseMeta {
  const whole: DatabaseMeta = {
    kind: 'database',
    ...place,
    sessionId,
    schema: seen.schema,
    watermark: seen.watermark,
    changed: null,
    messages: 0,
    mayLack: true,
  }
  if (cursor === null || news === null) return whole
  const count = query.get('select count(*) as n from message where session_id = ?', sessionId)?.['n']
  const messages = typeof count === 'number' ? count : 0
  const added = news.filter((row) => row.table === 'message').length
  return {
    ...whole,
    changed: [...new Set(news.map((row) => row.messageId).filter((id) => id !== null))],
    messages,
    mayLack: cursor.messages + added !== messages || seen.isRewound.message || news.some((row) => row.isRemoval),
  }
}
