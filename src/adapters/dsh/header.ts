import { asCount, asString, isObject, type JsonObject, stringAt } from '../../model/json.ts'
import { parseTime } from '../../model/time.ts'

/** Generations of the format that are known. */
const NEWEST_VERSION = 4
export const isKnownVersion = (version: number): boolean => version <= NEWEST_VERSION

/** The first row of a log. */
export interface Header {
  readonly version: number
  readonly id: string | null
  readonly createdAt: number | null
  readonly cwd: string | null
  /** The session that it was forked from, or that delegated to it. */
  readonly parentId: string | null
  /** Another agent gave it its task. */
  readonly isSubagent: boolean
  /** Leading events that were copied from the parent; `marked` where the last inherited `session/end-seed` says how many. */
  readonly inherited: number | 'marked'
}

/** Null when the row is no header. */
export function headerOf(json: unknown): Header | null {
  if (!isObject(json) || json['type'] !== 'session') return null
  const version = asCount(json['version'])
  if (version === null) return null
  return {
    version,
    id: stringAt(json, 'id'),
    createdAt: parseTime(json['createdAt']),
    cwd: stringAt(json, 'cwd'),
    parentId: stringAt(json, 'parentSession'),
    isSubagent: json['origin'] === 'subagent',
    inherited: version < 2 ? (asCount(json['seedLength']) ?? 0) : json['isSeeded'] === true ? 'marked' : 0,
  }
}

/** The format's own type of a row. */
export const typeOf = (json: JsonObject): string => asString(json['type']) ?? 'unknown'
