import { dirname } from 'node:path'

/**
 * Names of records inside a session. Bytewise they sort as mapping needs them: project and session first, then each message
 * directly before its parts, then what belongs to the session only.
 */
export const projectKey = (projectId: string): string => `a/project/${projectId}`
export const sessionKey = (sessionId: string): string => `a/session/${sessionId}`
export const messageKey = (messageId: string): string => `m/${messageId}`
export const partKey = (messageId: string, partId: string): string => `m/${messageId}/${partId}`
export const spillKey = (messageId: string, partId: string): string => `m/${messageId}/${partId}/spill`
export const diffKey = (sessionId: string): string => `s/diff/${sessionId}`
export const todoFileKey = (sessionId: string): string => `s/todo/${sessionId}`
export const todoKey = (sessionId: string, position: number): string =>
  `s/todo/${sessionId}/${position.toString().padStart(6, '0')}`

/** Unit keys name the database file, or the tree's directory with a slash behind it. */
export const databaseUnitKey = (path: string, sessionId: string): string => `${path}#${sessionId}`
export const treeUnitKey = (storage: string, sessionId: string): string => `${storage}/#${sessionId}`

/** Where a unit's records stand. */
export type UnitPlace =
  | { readonly kind: 'database'; readonly path: string }
  | { readonly kind: 'tree'; readonly storage: string; readonly sessionId: string; readonly file: string | null }

export function placeOf(unitKey: string, sessionId: string): UnitPlace {
  const path = unitKey.slice(0, -(sessionId.length + 1))
  return path.endsWith('/')
    ? { kind: 'tree', storage: path.slice(0, -1), sessionId, file: null }
    : { kind: 'database', path }
}

/** The same from a unit's `path`: a database, or a tree's session file. */
export function placeOfPath(path: string): UnitPlace {
  const [, storage, sessionId] = /^(.*)[\\/]session[\\/][^\\/]+[\\/]([^\\/]+)\.json$/.exec(path) ?? []
  return storage === undefined || sessionId === undefined
    ? { kind: 'database', path }
    : { kind: 'tree', storage, sessionId, file: path }
}

/** Where a record stands, for people: `path#table/id` in a database, its own file in a tree. */
export function locationOf(place: UnitPlace, key: string): string {
  const [group, first = '', second, third] = key.split('/')
  if (place.kind === 'database') {
    const { path } = place
    if (group === 's' && first === 'diff') return `${dirname(path)}/storage/session_diff/${second}.json`
    if (group === 's' || group === 'a') return [`${path}#${first}`, second, third].filter(Boolean).join('/')
    const row = second === undefined ? `${path}#message/${first}` : `${path}#part/${second}`
    return third === undefined ? row : `${row}/output`
  }
  const { storage, sessionId, file } = place
  if (group === 's') return `${storage}/${first === 'diff' ? 'session_diff' : first}/${second}.json`
  if (group === 'a') return first === 'session' && file !== null ? file : `${storage}/${first}/${second}.json`
  if (second === undefined) return `${storage}/message/${sessionId}/${first}.json`
  return `${storage}/part/${first}/${second}.json${third === undefined ? '' : '#output'}`
}
