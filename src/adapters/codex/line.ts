import { asCount, asObject, asString, isObject, type JsonObject } from '../../model/json.ts'
import { parseTime } from '../../model/time.ts'

/** One line of a rollout, whichever generation of Codex wrote it. */
export interface Line {
  /** `session_meta`, `turn_context`, `response_item`, `event_msg`, `compacted` …; `state` for the filler of old versions. */
  readonly kind: string
  readonly payload: JsonObject
  /** When it was written; null in files before 0.32, which say it of the session only. */
  readonly time: number | null
  /** A time stands there, but it is none. */
  readonly isTimeOdd: boolean
  readonly ordinal: number | null
  /** Written without an envelope, as up to 0.28. */
  readonly isBare: boolean
}

export function lineOf(json: JsonObject): Line {
  const payload = asObject(json['payload'])
  const type = asString(json['type'])
  if (payload !== null && type !== null) {
    const time = parseTime(json['timestamp'])
    const isTimeOdd = time === null && json['timestamp'] !== undefined
    return { kind: type, payload, time, isTimeOdd, ordinal: asCount(json['ordinal']), isBare: false }
  }
  const bare = { payload: json, time: null, isTimeOdd: false, ordinal: null, isBare: true }
  if (json['record_type'] !== undefined) return { ...bare, kind: 'state' }
  if (type !== null) return { ...bare, kind: 'response_item' }
  return { ...bare, kind: asString(json['id']) !== null ? 'session_meta' : 'unknown' }
}

/** The format's own type of a line: `event_msg/token_count`, `response_item/message`, `compacted`. */
export function typeOf(json: JsonObject): string {
  const { kind, payload, isBare } = lineOf(json)
  const inner = asString(payload['type'])
  if (isBare) return kind === 'response_item' && inner !== null ? inner : kind
  if (inner === null) return kind
  const item = payload['item']
  const of = isObject(item) ? asString(item['type']) : null
  return of === null ? `${kind}/${inner}` : `${kind}/${inner}/${of}`
}
