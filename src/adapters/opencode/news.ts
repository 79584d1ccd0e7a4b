import type { Query } from '../kit/sqlite.ts'
import type { DatabaseCursor, Watermark } from './cursor.ts'
import type { DatabasePlace } from './database-view.ts'
import type { Look, SeenRow } from './look.ts'
import { changedSince } from './unfinished.ts'
import type { DatabaseMeta } from './unit.ts'

/** How far every one of these sessions was read. */
export const lowest = (cursors: readonly DatabaseCursor[]): Watermark => {
  const least = (of: (w: Watermark) => number): number =>
    cursors.reduce((low, { watermark }) => Math.min(low, of(watermark)), Number.MAX_SAFE_INTEGER)
  return { message: least((w) => w.message), part: least((w) => w.part), event: least((w) => w.event) }
}

/** New rows by session, less those that the session's cursor already stands for; null when nothing says what is new. */
export function groupRows(
  seen: Look,
  cursors: ReadonlyMap<string, DatabaseCursor>,
): ReadonlyMap<string, SeenRow[]> | null {
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

/** Of so many sessions it is checked; in older ones what looks unfinished was cut off long ago. */
const MOST_STIRRED = 200

/** Sessions of which an unfinished message changed in place. */
export function stirredSessions(
  query: Query,
  seen: Look,
  cursors: ReadonlyMap<string, DatabaseCursor>,
): ReadonlySet<string> {
  const owner = new Map<string, string>()
  const stamped: (readonly [string, string])[] = []
  const open = seen.sessions.filter(({ id }) => (cursors.get(id)?.unfinished.length ?? 0) > 0)
  for (const { id } of open.sort((a, b) => b.updatedAt - a.updatedAt).slice(0, MOST_STIRRED))
    for (const entry of cursors.get(id)?.unfinished ?? []) {
      owner.set(entry[0], id)
      stamped.push(entry)
    }
  return new Set(changedSince(query, seen.schema, stamped).map((id) => owner.get(id) ?? ''))
}

/** What reading is to do in a session. */
export function metaOf(
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
