import { asString } from '../../model/json.ts'
import type { Query } from '../kit/sqlite.ts'

/**
 * Which of the tables that we read a database has, with their columns in order. Only columns that exist are asked for: each
 * version of opencode has others. Account and credential tables are never among them.
 */
export type Schema = ReadonlyMap<TableName, readonly string[]>
export type TableName = (typeof TABLES)[number]

const TABLES = ['session', 'message', 'part', 'project', 'todo', 'event', 'session_message'] as const
const NEEDED: readonly (readonly [TableName, readonly string[]])[] = [
  ['session', ['id']],
  ['message', ['id', 'session_id', 'data']],
  ['part', ['id', 'message_id', 'data']],
]

export function readSchema(query: Query): Schema {
  const rows = query.all(
    `select m.name as "table", c.name as "column" from sqlite_master m join pragma_table_info(m.name) c
     where m.type = 'table' and m.name in (${TABLES.map(() => '?').join(', ')}) order by m.name, c.cid`,
    ...TABLES,
  )
  const schema = new Map<TableName, string[]>()
  for (const row of rows) {
    const table = TABLES.find((name) => name === row['table'])
    const column = asString(row['column'])
    if (table === undefined || column === null) continue
    const columns = schema.get(table) ?? []
    schema.set(table, columns)
    columns.push(column)
  }
  return schema
}

/** Whether this is a database of opencode's as we know them. */
export const isSupported = (schema: Schema): boolean =>
  NEEDED.every(([table, columns]) => columns.every((column) => schema.get(table)?.includes(column) === true))

export const hasColumn = (schema: Schema, table: TableName, column: string): boolean =>
  schema.get(table)?.includes(column) === true

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** All columns of a table, for a select. */
export const columnList = (schema: Schema, table: TableName): string => (schema.get(table) ?? []).map(quoted).join(', ')
