import { createHash } from 'node:crypto'
import { asCount, asString } from '../../model/json.ts'
import type { Query, SqlRow } from '../kit/sqlite.ts'
import type { Watermark } from './cursor.ts'
import { type Climb, climb, type Ladder, type LadderTable } from './ladder.ts'
import { hasColumn, quoted, type Schema } from './schema.ts'

export interface SeenSession {
  readonly id: string
  readonly updatedAt: number
  readonly digest: string
}

export interface SeenRow {
  readonly rowid: number
  readonly table: LadderTable
  readonly sessionId: string
  /** Null where an event names no message. */
  readonly messageId: string | null
  /** The event says that a message was removed. */
  readonly isRemoval: boolean
}

/** A database's sessions, and the rows that are new since an earlier look: ids only, no bodies. */
export interface Look {
  readonly schema: Schema
  readonly sessions: readonly SeenSession[]
  /** Sessions without an id. */
  readonly nameless: number
  /** `sessions` holds only those of interest. */
  readonly isFocused: boolean
  readonly watermark: Watermark
  readonly ladders: Readonly<Record<LadderTable, Ladder>>
  readonly isRewound: Readonly<Record<LadderTable, boolean>>
  /** Null when nothing was known before, or nothing of that is left: then no row says what is new. */
  readonly rows: readonly SeenRow[] | null
}

/** Where to look from, when no ladder is known: the watermark of what was read before. */
export type Since = Readonly<Record<LadderTable, Ladder>> | Watermark | null

/**
 * Looks into a database. `focus` narrows it to the sessions that were updated since a time, the few that were updated last, and
 * those that new rows name: a live change then costs no walk over all sessions.
 */
export function lookInto(query: Query, schema: Schema, since: Since, focus: Focus | null): Look {
  const climbs = {
    message: climbOf(query, schema, 'message', since),
    part: climbOf(query, schema, 'part', since),
    event: climbOf(query, schema, 'event', since),
  }
  const lost = (c: Climb): boolean => c.isRewound && c.from === 0
  const isUnknown = since === null || lost(climbs.message) || lost(climbs.part)
  const rows = isUnknown
    ? null
    : [
        ...newRows(query, 'message', 'session_id', 'id', climbs.message.from),
        ...newRows(query, 'part', sessionOfPart(schema), 'message_id', climbs.part.from),
        ...(lost(climbs.event) ? [] : newEvents(query, schema, climbs.event.from)),
      ]
  const named = rows?.map(({ sessionId }) => sessionId) ?? []
  const seen = sessionsOf(query, schema, rows === null || focus === null ? null : withNamed(focus, named))
  return {
    schema,
    sessions: seen.filter((session) => session.id !== ''),
    nameless: seen.filter((session) => session.id === '').length,
    isFocused: rows !== null && focus !== null,
    watermark: { message: topOf(climbs.message), part: topOf(climbs.part), event: topOf(climbs.event) },
    ladders: { message: climbs.message.ladder, part: climbs.part.ladder, event: climbs.event.ladder },
    isRewound: {
      message: climbs.message.isRewound,
      part: climbs.part.isRewound,
      event: climbs.event.isRewound,
    },
    rows,
  }
}

/** Sessions of interest. */
export interface Focus {
  readonly ids: readonly string[]
  /** Updated after this time, or among the newest; null: none for that reason. */
  readonly updatedSince: number | null
}

const withNamed = ({ ids, updatedSince }: Focus, named: readonly string[]): Focus => ({
  ids: [...new Set([...ids, ...named])],
  updatedSince,
})

const topOf = ({ ladder }: Climb): number => ladder[0]?.[0] ?? 0

function climbOf(query: Query, schema: Schema, table: LadderTable, since: Since): Climb {
  if (!schema.has(table)) return { from: 0, isRewound: false, ladder: [] }
  const known = since === null ? null : since[table]
  if (typeof known !== 'number') return climb(query, table, known)
  return { ...climb(query, table, null), from: known }
}

/** The session table is small but for a few columns; of those the size must do. */
const BIG_COLUMNS: ReadonlySet<string> = new Set(['summary_diffs', 'metadata', 'permission'])

/** Sessions that were updated last are looked at each time: what runs in them may change in place. */
const NEWEST_SESSIONS = 50

export function sessionsOf(query: Query, schema: Schema, focus: Focus | null): SeenSession[] {
  const columns = schema.get('session') ?? []
  const light = columns.map((name) => (BIG_COLUMNS.has(name) ? `octet_length(${quoted(name)})` : `s.${quoted(name)}`))
  const hasProject = hasColumn(schema, 'project', 'worktree') && columns.includes('project_id')
  const worktree = hasProject ? ', (select worktree from project where id = s.project_id) as "#worktree"' : ''
  const updated = columns.includes('time_updated') ? 's.time_updated' : '0'
  const sql = `select s.id as "#id", ${updated} as "#updated", ${light.join(', ')}${worktree} from session s`
  return rowsOf(query, sql, updated, focus).map((row) => ({
    id: asString(row['#id']) ?? '',
    updatedAt: asCount(row['#updated']) ?? 0,
    digest: createHash('sha1').update(Object.values(row).join('\u001f')).digest('base64url').slice(0, 12),
  }))
}

function rowsOf(query: Query, sql: string, updated: string, focus: Focus | null): readonly SqlRow[] {
  if (focus === null) return query.all(sql)
  const ids = JSON.stringify(focus.ids)
  const named = 's.id in (select value from json_each(?))'
  if (focus.updatedSince === null) return query.all(`${sql} where ${named}`, ids)
  const newest = `s.rowid in (select rowid from session s order by ${updated} desc limit ${NEWEST_SESSIONS})`
  return query.all(`${sql} where ${named} or ${updated} > ? or ${newest}`, ids, focus.updatedSince)
}

const sessionOfPart = (schema: Schema): string =>
  hasColumn(schema, 'part', 'session_id') ? 'session_id' : '(select session_id from message where id = part.message_id)'

function newRows(query: Query, table: 'message' | 'part', session: string, message: string, from: number): SeenRow[] {
  return query
    .all(
      `select rowid as "rowid", ${session} as "session", ${message} as "message" from ${table} where rowid > ? order by rowid`,
      from,
    )
    .map((row) => ({
      rowid: asCount(row['rowid']) ?? 0,
      table,
      sessionId: asString(row['session']) ?? '',
      messageId: asString(row['message']),
      isRemoval: false,
    }))
}

/** Since 1.14 a log names every message and part that changed, was added or was removed. */
function newEvents(query: Query, schema: Schema, from: number): SeenRow[] {
  if (!['aggregate_id', 'type', 'data'].every((column) => hasColumn(schema, 'event', column))) return []
  return query
    .all(
      `select rowid as "rowid", aggregate_id as "session", type as "type", case when json_valid(data) then coalesce(
        data ->> '$.info.id', data ->> '$.part.messageID', data ->> '$.messageID') end as "message"
       from event where rowid > ? and type like 'message.%' order by rowid`,
      from,
    )
    .map((row) => ({
      rowid: asCount(row['rowid']) ?? 0,
      table: 'event' as const,
      sessionId: asString(row['session']) ?? '',
      messageId: asString(row['message']),
      isRemoval: asString(row['type'])?.startsWith('message.removed') ?? false,
    }))
}
