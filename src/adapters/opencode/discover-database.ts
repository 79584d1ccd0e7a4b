import type { Problem } from '../../model/record.ts'
import type { DiscoverContext, Unit } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import type { Query } from '../kit/sqlite.ts'
import { BusyError } from '../kit/sqlite-errors.ts'
import type { DatabasePool } from '../kit/sqlite-pool.ts'
import { restingView } from './at-rest.ts'
import { type DatabaseCursor, decodeDatabaseCursor } from './cursor.ts'
import type { DatabasePlace, DatabaseView } from './database-view.ts'
import { diffFileOf, fileStamp } from './file-stamp.ts'
import { databaseUnitKey } from './keys.ts'
import { type Focus, lookInto, type SeenSession } from './look.ts'
import type { DatabaseMark } from './mark.ts'
import { groupRows, lowest, metaOf, stirredSessions } from './news.ts'
import { isSupported, readSchema } from './schema.ts'
import { settledStamp } from './settle.ts'

/** Never throws for what is on disk: a database that can't be looked into is a view without sessions and with a problem. */
export async function discoverDatabase(
  pool: DatabasePool,
  place: DatabasePlace,
  context: DiscoverContext,
  known: DatabaseMark | null,
): Promise<DatabaseView> {
  try {
    const stamp = await settledStamp(place.path)
    if (!context.verify && stamp !== '' && known?.stamp === stamp) {
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function unreadable(path: string, problem: Problem): DatabaseView {
  return { path, sessions: new Map(), unitOf: noUnit, mark: null, problems: [problem], isReadable: false }
}

const noUnit = (sessionId: string): Unit => {
  throw new Error(`no such session: ${sessionId}`)
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
  const focus = known === null || !isInPlace || context.verify ? null : focusOf(known, context.changedPaths)
  let seen = lookInto(query, schema, known?.ladders ?? null, focus)
  rememberCursors(seen.sessions)
  // The first sync didn't come to its end: what it read knows how far it looked.
  if (known === null && cursors.size > 0) seen = lookInto(query, schema, lowest([...cursors.values()]), null)

  const rows = groupRows(seen, cursors)
  const isTouched = stamp === '' || known?.stamp !== stamp
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
      stamp,
      ladders: seen.ladders,
      updatedAt: seen.sessions.reduce((latest, session) => Math.max(latest, session.updatedAt), 0),
      // Problems are found by looking only, so a database with problems is looked into each time.
      sessions:
        isInPlace || problems.length > 0
          ? null
          : [...units.values()].map((unit) => [unit.sessionId ?? '', unit.changedAt]),
    },
    problems,
    isReadable: true,
  }
}

/** What changed while it is watched: its files, and diff files, whose names say the session. */
function focusOf(known: DatabaseMark, changedPaths: readonly string[] | null): Focus | null {
  if (changedPaths === null) return null
  const ids = changedPaths.flatMap((path) => /[\\/]session_diff[\\/]([^\\/]+)\.json$/.exec(path)?.[1] ?? [])
  return { ids, updatedSince: known.updatedAt }
}

const HOSTILE = 'This id could name a file elsewhere; the row is left out.'
const NAMELESS = 'A session without an id is left out.'
