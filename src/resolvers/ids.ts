import type { SessionHandle } from '../db/queries/session-handle.ts'
import { CodedError } from '../model/error.ts'
import { decodeNodeId, encodeNodeId, type NodeId, type NodeType } from '../model/ids.ts'

/** Reads a global id; BAD_USER_INPUT when it has not the form of one. */
export function parseId(id: string): NodeId {
  const parsed = decodeNodeId(id)
  if (parsed === null) throw new CodedError('BAD_USER_INPUT', `"${id}" is not an id of this API.`)
  return parsed
}

/** Reads an id that must be one of a certain type. */
export function parseIdOf(type: NodeType, id: string): NodeId {
  const parsed = parseId(id)
  if (parsed.type !== type) throw new CodedError('BAD_USER_INPUT', `"${id}" is not the id of a ${type}.`)
  return parsed
}

export const uidHex = (uid: Uint8Array | null): string => Buffer.from(uid ?? []).toString('hex')

/** Id of something that has a native id in a session. */
export const idInSession = (
  type: 'Message' | 'Part' | 'Summary',
  row: { readonly session: SessionHandle; readonly nativeId: string },
): string => encodeNodeId(type, row.session.uid, row.nativeId)

export const sessionId = ({ uid }: { readonly uid: Uint8Array }): string => encodeNodeId('Session', uid, '')

export const originId = ({ uid }: { readonly uid: string }): string => encodeNodeId('Origin', null, uid)
export const sourceId = ({ name }: { readonly name: string }): string => encodeNodeId('Source', null, name)
export const runId = ({ id }: { readonly id: number }): string => encodeNodeId('SyncRun', null, String(id))
export const problemId = ({ id }: { readonly id: number }): string => encodeNodeId('SyncProblem', null, String(id))
export const rootId = (origin: string, source: string, path: string): string =>
  encodeNodeId('SourceRoot', null, `${origin}\0${source}\0${path}`)
export const projectId = (origin: string, pathKey: string): string =>
  encodeNodeId('Project', null, `${origin}\0${pathKey}`)

/** Row number of something that only this store has, e.g. a run; null when the key is none. */
export function rowNumber({ key }: NodeId): number | null {
  return /^\d{1,15}$/.test(key) ? Number(key) : null
}
