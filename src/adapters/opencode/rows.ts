import { asCount, asString } from '../../model/json.ts'
import { RECORD_CAP_BYTES } from '../../model/record.ts'
import type { Query, SqlRow } from '../kit/sqlite.ts'
import { type RowRecord, rowRecord } from './row-json.ts'
import { quoted, type Schema, type TableName } from './schema.ts'

/** A message's or part's row with `data` as bytes; `#size` is the true size of `data`. */
export interface BodyRow {
  readonly id: string | null
  readonly row: SqlRow
}

/** Bodies up to this size come with the list of rows; a bigger one is fetched alone, so that a page of rows stays small. */
const INLINE_BYTES = 256 * 1024
/** SQLite gives a part of a value only after reading all of it: of a still bigger one nothing is kept. */
const READABLE_BYTES = 8 * RECORD_CAP_BYTES
const PAGE_ROWS = 100

function selectBodies(schema: Schema, table: TableName): string {
  const columns = (schema.get(table) ?? []).map((name) =>
    name === 'data'
      ? `case when octet_length(data) <= ${INLINE_BYTES} then cast(data as blob) end as data`
      : quoted(name),
  )
  return `select ${columns.join(', ')}, octet_length(data) as "#size" from ${table}`
}

export function messageRow(query: Query, schema: Schema, id: string): BodyRow | null {
  const row = query.get(`${selectBodies(schema, 'message')} where id = ?`, id)
  return row === undefined ? null : bodyRow(row)
}

/** Some parts of a message, by id, behind `after`; those without an id come with the first. */
export function partRows(query: Query, schema: Schema, messageId: string, after: string | null): readonly BodyRow[] {
  const sql = selectBodies(schema, 'part')
  const rows =
    after === null
      ? query.all(`${sql} where message_id = ? order by id limit ${PAGE_ROWS}`, messageId)
      : query.all(`${sql} where message_id = ? and id > ? order by id limit ${PAGE_ROWS}`, messageId, after)
  return rows.map(bodyRow)
}

export const isLastPage = (rows: readonly BodyRow[]): boolean => rows.length < PAGE_ROWS

const bodyRow = (row: SqlRow): BodyRow => ({ id: asString(row['id']), row })

/** The record of a row whose body came with it; null when the body is to be fetched by `bigRecord`. */
export function inlineRecord(schema: Schema, table: 'message' | 'part', { id, row }: BodyRow): RowRecord | null {
  const isInline = id === null || (asCount(row['#size']) ?? 0) <= INLINE_BYTES
  return isInline ? rowRecord(schema.get(table) ?? [], row) : null
}

/** The record of a row with a big body, which is judged by its size before it is read. Null when the row vanished. */
export function bigRecord(query: Query, schema: Schema, table: 'message' | 'part', body: BodyRow): RowRecord | null {
  const columns = schema.get(table) ?? []
  const size = asCount(body.row['#size']) ?? 0
  if (size > READABLE_BYTES) return cutRecord(columns, body.row, size, Buffer.alloc(0))
  const isWhole = size <= RECORD_CAP_BYTES
  const bytes = isWhole ? 'cast(data as blob)' : `substr(cast(data as blob), 1, ${RECORD_CAP_BYTES})`
  const data = query.get(`select ${bytes} as data from ${table} where id = ?`, body.id)?.['data']
  if (!Buffer.isBuffer(data)) return null
  return isWhole ? rowRecord(columns, { ...body.row, data }) : cutRecord(columns, body.row, size, data)
}

function cutRecord(columns: readonly string[], row: SqlRow, size: number, head: Buffer): RowRecord {
  const { bytes, json } = rowRecord(
    columns.filter((name) => name !== 'data'),
    row,
  )
  const start = Buffer.concat([bytes.subarray(0, -1), Buffer.from(',"data":')])
  const kept = Buffer.concat([start, head]).subarray(0, RECORD_CAP_BYTES)
  return { bytes: kept, cutFrom: start.length + size + 1, json, brokenColumns: [] }
}
