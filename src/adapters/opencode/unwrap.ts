import { asObject, at, isObject, type JsonObject, stringAt } from '../../model/json.ts'

const ID_FIELDS: ReadonlySet<string> = new Set(['id', 'sessionID', 'messageID'])

/**
 * What a message or part says, in one form for both generations: a database row holds it in `data`, a file of the tree is the
 * same object with the ids in it. Null when a row's `data` is no object.
 */
export function unwrap(json: unknown): JsonObject | null {
  if (!isObject(json)) return null
  if ('session_id' in json || 'message_id' in json) return asObject(json['data'])
  return Object.fromEntries(Object.entries(json).filter(([name]) => !ID_FIELDS.has(name)))
}

export interface SessionInfo {
  readonly id: string | null
  readonly projectId: string | null
  readonly parentId: string | null
  readonly directory: string | null
  readonly title: string | null
  readonly version: string | null
  readonly shareUrl: string | null
  readonly agent: string | null
  readonly created: unknown
  readonly archived: unknown
  readonly revertedFrom: string | null
}

/** A session row or session file. */
export function unwrapSession(json: unknown): SessionInfo {
  const text = (row: string, ...file: readonly string[]): string | null =>
    stringAt(json, row) ?? stringAt(json, ...file)
  return {
    id: stringAt(json, 'id'),
    projectId: text('project_id', 'projectID'),
    parentId: text('parent_id', 'parentID'),
    directory: stringAt(json, 'directory'),
    title: stringAt(json, 'title'),
    version: stringAt(json, 'version'),
    shareUrl: text('share_url', 'share', 'url'),
    agent: stringAt(json, 'agent'),
    created: at(json, 'time_created') ?? at(json, 'time', 'created'),
    archived: at(json, 'time_archived') ?? at(json, 'time', 'archived'),
    revertedFrom: stringAt(json, 'revert', 'messageID'),
  }
}
