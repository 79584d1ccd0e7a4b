import { asString, isObject, type JsonObject, stringAt } from '../../model/json.ts'
import { parseTime } from '../../model/time.ts'

/** The first line of a session's file, whatever its version. */
export interface Header {
  readonly id: string | null
  readonly version: number
  readonly createdAt: number | null
  readonly cwd: string | null
  /** Session that this one was forked from. */
  readonly parentId: string | null
}

/** A line that is a node of the session's tree. */
export interface Entry {
  readonly type: string
  readonly id: string | null
  /** Undefined: the line has no link, as in files of version 1. */
  readonly parentId: string | null | undefined
  readonly time: number | null
  readonly body: JsonObject
}

/** Versions of files that are known; 1 has no number. */
const VERSIONS: ReadonlySet<number> = new Set([1, 2, 3, 4])
export const isKnownVersion = (version: number): boolean => VERSIONS.has(version)

/** Type of a line: that of its entry, a message with its role; of what is no entry (version 4) its kind. */
export function typeOf(json: JsonObject): string {
  const kind = asString(json['kind'])
  if (kind !== null && kind !== 'entry') return kind
  const type = asString(json['type']) ?? 'unknown'
  const role = type === 'message' ? stringAt(json, 'message', 'role') : null
  return role === null ? type : `${type}/${role}`
}

export function headerOf(json: unknown): Header | null {
  if (!isObject(json)) return null
  if (json['kind'] === 'header') {
    return {
      id: stringAt(json, 'id'),
      version: typeof json['version'] === 'number' ? json['version'] : 4,
      createdAt: parseTime(json['createdAt']),
      cwd: stringAt(json, 'cwd'),
      parentId: stringAt(json, 'parentSessionId') ?? idOfPath(stringAt(json, 'legacyParentSessionPath')),
    }
  }
  if (json['type'] !== 'session' || json['kind'] !== undefined) return null
  return {
    id: stringAt(json, 'id'),
    version: typeof json['version'] === 'number' ? json['version'] : 1,
    createdAt: parseTime(json['timestamp']),
    cwd: stringAt(json, 'cwd'),
    parentId: idOfPath(stringAt(json, 'parentSession') ?? stringAt(json, 'branchedFrom')),
  }
}

export function entryOf(json: JsonObject): Entry | null {
  const type = asString(json['type'])
  if (type === null || (json['kind'] !== undefined && json['kind'] !== 'entry')) return null
  const { parentId } = json
  return {
    type,
    id: stringAt(json, 'id'),
    parentId: parentId === undefined ? undefined : asString(parentId),
    time: parseTime(json['timestamp']) ?? parseTime(isObject(json['message']) ? json['message']['timestamp'] : null),
    body: json,
  }
}

/** A name that a person gave the session; null when the line gives none. */
export function nameOf(json: JsonObject): string | null {
  if (json['kind'] === 'fact') return json['fact'] === 'name' ? stringAt(json, 'name') : null
  return json['type'] === 'session_info' && json['kind'] === undefined ? stringAt(json, 'name') : null
}

/** Files are named by time and session id; whoever gave a file another name made that its id. */
export function idOfPath(path: string | null): string | null {
  const name = path?.split(/[\\/]/).at(-1)
  if (name === undefined || name === '') return null
  const stem = name.replace(/\.jsonl$/, '')
  return TIMED_NAME.exec(stem)?.[1] ?? stem
}

const TIMED_NAME = /^\d{4}-\d\d-\d\dT[\d-]+Z_(.+)$/
export const isTimedName = (name: string): boolean => TIMED_NAME.test(name.replace(/\.jsonl$/, ''))
