import { asCount, asNumber, asString, at, isObject } from '../../model/json.ts'
import type { Query, SqlRow } from '../kit/sqlite.ts'
import { hasColumn, type Schema } from './schema.ts'
import { isEnded } from './tool.ts'

/**
 * What opencode may still change in place. No index helps to find such changes, so a session's cursor remembers these few
 * messages, each with a stamp that any change of it or its parts changes.
 */

/** Whether a message, as its record and its parts' records say, isn't over yet. */
export function isUnfinished(message: unknown, parts: readonly unknown[]): boolean {
  if (parts.some((part) => at(part, 'type') === 'tool' && isObject(part) && !isEnded(part))) return true
  if (at(message, 'role') === 'user') return at(message, 'summary') === undefined
  const isOver = asNumber(at(message, 'time', 'completed')) !== null || isObject(at(message, 'error'))
  return at(message, 'role') === 'assistant' && !isOver
}

/** Must say the same as `STAMP`. */
export function stampOf(message: SqlRow, parts: readonly SqlRow[]): string {
  const sum = parts.reduce((total, part) => total + (asCount(part['#size']) ?? 0), 0)
  const newest = parts.reduce((latest, part) => Math.max(latest, asCount(part['time_updated']) ?? 0), 0)
  const time = asCount(message['time_updated']) ?? 0
  return [time, asCount(message['#size']) ?? 0, parts.length, newest, sum].join('.')
}

const stampSql = (schema: Schema): string => {
  const updated = (table: 'message' | 'part'): string =>
    hasColumn(schema, table, 'time_updated') ? 'time_updated' : '0'
  return `coalesce((select coalesce(${updated('message')}, 0) || '.' || coalesce(octet_length(data), 0) from message
      where id = asked.value ->> 0), '-') || '.' ||
    (select count(*) || '.' || coalesce(max(${updated('part')}), 0) || '.' || coalesce(sum(octet_length(data)), 0) from part
      where message_id = asked.value ->> 0)`
}

/** Those of the stamped messages that changed since. Rows come back for these only. */
export function changedSince(
  query: Query,
  schema: Schema,
  stamped: readonly (readonly [id: string, stamp: string])[],
): readonly string[] {
  if (stamped.length === 0) return []
  return query
    .all(
      `select asked.value ->> 0 as id from json_each(?) as asked where ${stampSql(schema)} <> asked.value ->> 1`,
      JSON.stringify(stamped),
    )
    .map((row) => asString(row['id']))
    .filter((id) => id !== null)
}
