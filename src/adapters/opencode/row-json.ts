import { RECORD_CAP_BYTES } from '../../model/record.ts'
import type { SqlRow } from '../kit/sqlite.ts'

/** Columns that hold JSON as text. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'data',
  'model',
  'metadata',
  'revert',
  'permission',
  'summary_diffs',
  'sandboxes',
  'commands',
])

export interface RowRecord {
  readonly bytes: Buffer
  readonly cutFrom: number | null
  /** The same as parsing `bytes` gives, unless they were cut. */
  readonly json: { readonly [column: string]: unknown }
  /** JSON columns whose text is no JSON: it stands in the record as a string. */
  readonly brokenColumns: readonly string[]
}

/**
 * A row as the record that is archived: one JSON object with the column names as they are, nulls left out. JSON that a column
 * holds as text is spliced in as it is, byte for byte.
 */
export function rowRecord(columns: readonly string[], row: SqlRow): RowRecord {
  const pieces: Buffer[] = []
  const json: Record<string, unknown> = {}
  const brokenColumns: string[] = []
  let text = '{'
  for (const column of columns) {
    const value = row[column]
    if (value === null || value === undefined) continue
    text += `${text === '{' && pieces.length === 0 ? '' : ','}"${column}":`
    const raw = Buffer.isBuffer(value) ? value : null
    const content = raw?.toString('utf8') ?? value
    const isJson = JSON_COLUMNS.has(column) && typeof content === 'string'
    const parsed = isJson ? parse(content) : undefined
    json[column] = parsed ?? content
    if (isJson && parsed === undefined) brokenColumns.push(column)
    if (parsed === undefined) text += JSON.stringify(content) ?? 'null'
    else if (raw === null) text += content
    else {
      pieces.push(Buffer.from(text), raw)
      text = ''
    }
  }
  pieces.push(Buffer.from(`${text}}`))
  const bytes = Buffer.concat(pieces)
  return bytes.length > RECORD_CAP_BYTES
    ? { bytes: bytes.subarray(0, RECORD_CAP_BYTES), cutFrom: bytes.length, json, brokenColumns }
    : { bytes, cutFrom: null, json, brokenColumns }
}

/** Undefined when the text is no JSON, and for `null`, which is left to stand as text. */
function parse(text: string): unknown {
  // Most JSON columns hold objects or lists; a bare word like `opus` in `model` is no accident worth an exception.
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}
