import { join } from 'node:path'
import { stringAt } from '../../model/json.ts'
import type { Problem } from '../../model/record.ts'
import { isSafeId } from '../kit/ids.ts'
import type { ReadItem } from '../kit/parse-with.ts'
import { decodeTreeCursor, encodeTreeCursor } from './cursor.ts'
import { readFileRecord } from './file-record.ts'
import { diffKey, messageKey, partKey, placeOfPath, projectKey, sessionKey, todoFileKey } from './keys.ts'
import { settle } from './settle.ts'
import { spilledOutput } from './spill.ts'
import { sessionAt, type TreeFile, type TreeMessage, todoFileOf, treeDiffFileOf, walkSession } from './tree-walk.ts'
import type { TreeMeta } from './unit.ts'

const CHECKPOINT_MESSAGES = 10
/** A cursor with a digest for each message lets a change cost what it changes; for a longer session it would cost more itself. */
const MOST_REMEMBERED = 1000

type FileItem = Extract<ReadItem, { kind: 'record' }>

/** Reads one session of a JSON tree: all of it, or the messages whose files changed. */
export async function* readTreeSession(
  meta: TreeMeta,
  cursorText: string | null,
): AsyncGenerator<ReadItem, string | null> {
  const { storage, dataDir, sessionId } = meta
  const problem = (kind: Problem['kind'], location: string, message: string): ReadItem => ({
    kind: 'problem',
    problem: { kind, location, message, sessionId },
  })
  // What is written after this look must show as a change at the next one.
  await settle(meta.changedAt)
  const session = sessionAt(meta.file, [])
  const head =
    session === null ? null : readFileRecord(meta.file, sessionId, sessionKey(sessionId), 'session', 'object')
  if (session === null || head === null) {
    yield problem('IO', meta.file, 'The session vanished before it was read.')
    return null
  }
  const walk = walkSession(storage, session)
  for (const found of walk.problems) yield { kind: 'problem', problem: { ...found, sessionId } }
  const known = meta.isWhole ? null : (decodeTreeCursor(cursorText)?.messages ?? null)

  const info = parsed(head)
  const projectId = stringAt(info, 'projectID')
  if (projectId !== null && isSafeId(projectId)) {
    const file = join(storage, 'project', `${projectId}.json`)
    const project = readFileRecord(file, sessionId, projectKey(projectId), 'project', 'object')
    if (project !== null) yield project
  }
  yield head

  const present = new Set<string>()
  let sinceCheckpoint = 0
  for (const message of walk.messages) {
    if (known?.[message.id] === message.digest) {
      present.add(message.id)
      continue
    }
    const [id, items] = readMessage(meta, message)
    if (id !== null) present.add(id)
    yield* items
    sinceCheckpoint += 1
    if (sinceCheckpoint % CHECKPOINT_MESSAGES === 0) yield { kind: 'checkpoint', cursor: null }
  }
  const isGone = known === null || Object.keys(known).some((id) => !walk.messages.some((message) => message.id === id))
  if (isGone) yield { kind: 'present', sessionId, messageIds: present }

  const todo = readFileRecord(todoFileOf(storage, sessionId), sessionId, todoFileKey(sessionId), 'todo', 'any')
  if (todo !== null) yield todo
  const diff = readFileRecord(
    treeDiffFileOf(storage, dataDir, sessionId),
    sessionId,
    diffKey(sessionId),
    'session_diff',
    'any',
  )
  if (diff !== null) yield diff
  return encodeTreeCursor({
    kind: 'tree',
    digest: walk.digest,
    messages:
      walk.messages.length > MOST_REMEMBERED
        ? null
        : Object.fromEntries(walk.messages.map(({ id, digest }) => [id, digest])),
  })
}

/** A message and its parts: its id, null when it must be left out; what is read. */
function readMessage(meta: TreeMeta, file: TreeMessage): readonly [string | null, readonly ReadItem[]] {
  const items: ReadItem[] = []
  const head = readEntity(meta, file, messageKey(file.id), 'message', 'role')
  items.push(...head.items)
  // Without its message a part belongs to nothing; a damaged message's file still says whose parts these are.
  if (head.isLeftOut) return [null, items]
  for (const part of file.parts) {
    const read = readEntity(meta, part, partKey(file.id, part.id), 'part', 'type')
    items.push(...read.items)
    const spilled = read.isLeftOut
      ? null
      : spilledOutput(meta.dataDir, placeOfPath(meta.file), meta.sessionId, file.id, part.id, read.json)
    if (spilled !== null) items.push(spilled)
  }
  return [file.id, items]
}

interface ReadEntity {
  readonly items: readonly ReadItem[]
  readonly json: unknown
  /** Gone, or without an id that may be used. */
  readonly isLeftOut: boolean
}

function readEntity(meta: TreeMeta, file: TreeFile, key: string, kind: string, subtype: string): ReadEntity {
  const { sessionId } = meta
  const leftOut = (problemKind: Problem['kind'], message: string): ReadEntity => ({
    items: [{ kind: 'problem', problem: { kind: problemKind, location: file.path, message, sessionId } }],
    json: undefined,
    isLeftOut: true,
  })
  const item = readFileRecord(file.path, sessionId, key, kind, 'object')
  if (item === null) return leftOut('IO', 'The file vanished while its session was read.')
  const json = item.record.cutFrom === null ? parsed(item) : undefined
  if (json !== undefined && typeof json === 'object' && json !== null && !Array.isArray(json)) {
    const id = stringAt(json, 'id')
    if (id === null) return leftOut('SCHEMA', 'It has no id and is left out.')
    if (!isSafeId(id))
      return leftOut('HOSTILE_ID', `Its id ${JSON.stringify(id)} could name a file elsewhere; it is left out.`)
    if (id !== file.id)
      return leftOut('SCHEMA', `It names itself ${JSON.stringify(id)}, unlike its file; it is left out.`)
  } else if (!isSafeId(file.id)) return leftOut('HOSTILE_ID', 'This id could name a file elsewhere; it is left out.')
  const type = stringAt(json, subtype)
  const record = { ...item.record, type: type === null ? kind : `${kind}/${type}` }
  return { items: [json === undefined ? { ...item, record } : { ...item, record, json }], json, isLeftOut: false }
}

/** Undefined when it is no JSON: then `parseWith` reports it. */
function parsed(item: FileItem): unknown {
  try {
    return JSON.parse(Buffer.from(item.record.bytes).toString('utf8'))
  } catch {
    return undefined
  }
}
