import { dirname } from 'node:path'

/**
 * Names of records inside a session. Bytewise they sort as mapping needs them: project and session first, then each message
 * directly before its parts, then what belongs to the session only.
 */
export const PROJECT_KEY = 'a/project'
export const SESSION_KEY = 'a/session'
export const SESSION_DIFF_KEY = 'd/session_diff'
export const TODO_FILE_KEY = 't/todo'
export const messageKey = (messageId: string): string => `m/${messageId}`
export const partKey = (messageId: string, partId: string): string => `m/${messageId}/${partId}`
export const spillKey = (messageId: string, partId: string): string => `m/${messageId}/${partId}/spill`
export const todoKey = (position: number): string => `t/${position.toString().padStart(6, '0')}`

/** Unit keys name the database file, or the tree's directory with a slash behind it. */
export const databaseUnitKey = (path: string, sessionId: string): string => `${path}#${sessionId}`
export const treeUnitKey = (storage: string, sessionId: string): string => `${storage}/#${sessionId}`

export interface UnitPlace {
  /** Database file, or directory of the tree. */
  readonly path: string
  readonly isTree: boolean
  readonly sessionId: string
}

export function placeOf(unitKey: string): UnitPlace {
  const cut = unitKey.lastIndexOf('#')
  const path = unitKey.slice(0, cut)
  const sessionId = unitKey.slice(cut + 1)
  return path.endsWith('/') ? { path: path.slice(0, -1), isTree: true, sessionId } : { path, isTree: false, sessionId }
}

/** Where a record stands, for people: `path#table/id` in a database, its own file in a tree. */
export function locationOf(place: UnitPlace, key: string): string {
  const [group, first, second, third] = key.split('/')
  const { path, sessionId } = place
  if (group === 'd') return `${place.isTree ? path : `${dirname(path)}/storage`}/session_diff/${sessionId}.json`
  if (!place.isTree) {
    if (group === 't') return `${path}#todo/${sessionId}/${Number(first)}`
    if (group === 'a') return `${path}#${first}${first === 'session' ? `/${sessionId}` : ''}`
    if (third !== undefined) return `${path}#part/${second}/tool-output`
    return second === undefined ? `${path}#message/${first}` : `${path}#part/${second}`
  }
  if (group === 't') return `${path}/todo/${sessionId}.json`
  if (group === 'a') return `${path}/${first}`
  if (third !== undefined) return `${path}/part/${first}/${second}.json#tool-output`
  return second === undefined ? `${path}/message/${sessionId}/${first}.json` : `${path}/part/${first}/${second}.json`
}

/** The place of a unit from its `path`: a database, or a tree's session file. */
export function placeOfPath(path: string): UnitPlace {
  const inTree = /^(.*)\/session\/[^/]+\/([^/]+)\.json$/.exec(path)
  return inTree?.[1] === undefined || inTree[2] === undefined
    ? { path, isTree: false, sessionId: '' }
    : { path: inTree[1], isTree: true, sessionId: inTree[2] }
}
