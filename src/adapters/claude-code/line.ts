import { at, type JsonObject, stringAt } from '../../model/json.ts'
import type { RecordRef } from '../../model/record.ts'
import { parseTime } from '../../model/time.ts'

/** One line of a transcript that is an object, with the fields that every kind of line may have. */
export interface Line {
  readonly ref: RecordRef
  /** Its place among the lines, from 0. */
  readonly position: number
  readonly json: JsonObject
  readonly type: string
  readonly uuid: string | null
  readonly parent: string | null
  readonly timeMs: number | null
}

export function lineOf(ref: RecordRef, json: JsonObject): Line {
  return {
    ref,
    position: typeof ref === 'number' ? ref : 0,
    json,
    type: stringAt(json, 'type') ?? 'unknown',
    uuid: stringAt(json, 'uuid'),
    parent: stringAt(json, 'parentUuid'),
    timeMs: parseTime(json['timestamp']),
  }
}

/** Type of a record: subtypes of the two kinds that have them are part of it. */
export function typeOf(json: JsonObject): string {
  const type = stringAt(json, 'type') ?? 'unknown'
  const subtype =
    type === 'system' ? stringAt(json, 'subtype') : type === 'attachment' ? stringAt(json, 'attachment', 'type') : null
  return subtype === null ? type : `${type}/${subtype}`
}

/** What a message says: a text, or blocks. Anything else is one block of its own, so that nothing is lost. */
export function contentOf(json: JsonObject): string | readonly unknown[] {
  const content = at(json, 'message', 'content')
  if (typeof content === 'string' || Array.isArray(content)) return content
  return content === undefined || content === null ? [] : [content]
}

export const blockType = (block: unknown): string => stringAt(block, 'type') ?? 'unknown'

/** Results of the client's own tools, and of those that the provider ran (`web_search_tool_result`). */
export const isResultBlock = (block: unknown): boolean =>
  blockType(block).endsWith('tool_result') && stringAt(block, 'tool_use_id') !== null
