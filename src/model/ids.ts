import { createHash } from 'node:crypto'

/**
 * Identity (design §3.3). A session's key is (origin, source, native id); its uid is the first 16 bytes of that key's SHA-256.
 * GraphQL ids are made from keys, never from row numbers, so the same source read into another store gives the same ids:
 *
 *     S uid                      session            M uid nativeId         message
 *     P uid nativeId             part               R uid position         source record
 *     others: a letter and the text of their own key
 */
export const NODE_LETTERS = {
  Session: 'S',
  Message: 'M',
  Part: 'P',
  SourceRecord: 'R',
  Turn: 'T',
  Summary: 'U',
  Subagent: 'A',
  Workflow: 'W',
  WorkflowAgent: 'G',
  Origin: 'O',
  Source: 'C',
  SourceRoot: 'D',
  Project: 'J',
  SyncRun: 'Y',
  SyncProblem: 'X',
} as const
export type NodeType = keyof typeof NODE_LETTERS

const TYPE_OF_LETTER: ReadonlyMap<string, NodeType> = new Map(
  (Object.keys(NODE_LETTERS) as NodeType[]).map((type) => [NODE_LETTERS[type], type]),
)
const UID_BYTES = 16

export interface SessionKey {
  readonly origin: string
  readonly source: string
  readonly nativeId: string
}

/** The 16 bytes that stand for a session everywhere but in its own row. */
export function sessionUid(key: SessionKey): Buffer {
  return createHash('sha256').update(`${key.origin}\0${key.source}\0${key.nativeId}`).digest().subarray(0, UID_BYTES)
}

/** What a global id says: of a thing inside a session its uid and local key, else only the key. */
export interface NodeId {
  readonly type: NodeType
  readonly uid: Buffer | null
  readonly key: string
}

const IN_SESSION: ReadonlySet<NodeType> = new Set<NodeType>([
  'Session',
  'Message',
  'Part',
  'SourceRecord',
  'Turn',
  'Summary',
  'Subagent',
  'Workflow',
  'WorkflowAgent',
])

export function encodeNodeId(type: NodeType, uid: Uint8Array | null, key: string): string {
  return Buffer.concat([Buffer.from(NODE_LETTERS[type]), uid ?? Buffer.alloc(0), Buffer.from(key)]).toString(
    'base64url',
  )
}

/** Reads a global id; null when it has not the form of one. */
export function decodeNodeId(id: string): NodeId | null {
  if (!/^[A-Za-z0-9_-]+$/.test(id)) return null
  const bytes = Buffer.from(id, 'base64url')
  if (bytes.toString('base64url') !== id) return null
  const type = TYPE_OF_LETTER.get(bytes.toString('latin1', 0, 1))
  if (type === undefined) return null
  if (!IN_SESSION.has(type)) return { type, uid: null, key: bytes.toString('utf8', 1) }
  if (bytes.length < 1 + UID_BYTES) return null
  const key = bytes.toString('utf8', 1 + UID_BYTES)
  if (type === 'Session' && key !== '') return null
  return { type, uid: bytes.subarray(1, 1 + UID_BYTES), key }
}
