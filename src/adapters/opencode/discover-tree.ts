import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Problem } from '../../model/record.ts'
import type { DiscoverContext, Unit } from '../contract.ts'
import { decodeTreeCursor } from './cursor.ts'
import { treeUnitKey } from './keys.ts'
import { namesIn } from './roots.ts'
import { listSessions, sessionAt, type TreeSession, walkSession } from './tree-walk.ts'
import type { TreeMeta } from './unit.ts'

/** The sessions of a tree that are of interest. */
export interface TreeView {
  readonly sessions: ReadonlyMap<string, TreeSession>
  readonly superseded: number
  readonly problems: Problem[]
  /** Whether it is all that the tree holds. */
  readonly isWhole: boolean
}

/** Looks at the tree, or at what the changed paths touch of it; null when they touch nothing of it. */
export function discoverTree(storage: string, changedPaths: readonly string[] | null): TreeView | null {
  if (changedPaths === null) return wholeTree(storage)
  const inside = changedPaths.filter((path) => path === storage || path.startsWith(storage + sep))
  const named = inside.map((path) => path.slice(storage.length + 1).split(sep))
  // Only a part of the tree is worth a look when each path says which session it belongs to.
  if (named.some(([group, name]) => group === '' || (group === 'session' && name === undefined)))
    return wholeTree(storage)
  const problems: Problem[] = []
  const sessions = new Map<string, TreeSession>()
  const add = (file: string | null): void => {
    const session = file === null ? null : sessionAt(file, problems)
    if (session !== null) sessions.set(session.sessionId, session)
  }
  let isTouched = false
  for (const [group = '', first, second] of named) {
    if (first === undefined) continue
    isTouched ||= ['session', 'message', 'part', 'todo', 'session_diff'].includes(group)
    if (group === 'session') {
      const directory = join(storage, 'session', first)
      for (const name of second === undefined ? namesIn(directory) : [second]) add(join(directory, name))
    } else if (group === 'message') add(fileOfSession(storage, first))
    else if (group === 'todo' || group === 'session_diff') add(fileOfSession(storage, first.replace(/\.json$/, '')))
    else if (group === 'part') add(fileOfSession(storage, sessionOfMessage(storage, first)))
  }
  return isTouched ? { sessions, superseded: 0, problems, isWhole: false } : null
}

function wholeTree(storage: string): TreeView {
  const { sessions, superseded, problems } = listSessions(storage)
  return { sessions, superseded, problems: [...problems], isWhole: true }
}

/** The file of a session, whose project the changed path doesn't name. */
function fileOfSession(storage: string, sessionId: string | null): string | null {
  if (sessionId === null) return null
  const root = join(storage, 'session')
  const file = namesIn(root).map((project) => join(root, project, `${sessionId}.json`))
  return file.find((path) => existsSync(path)) ?? null
}

function sessionOfMessage(storage: string, messageId: string): string | null {
  const root = join(storage, 'message')
  return namesIn(root).find((session) => existsSync(join(root, session, `${messageId}.json`))) ?? null
}

/** The unit of a session: fresh when no file of it changed in size or time. */
export function treeUnit(
  storage: string,
  dataDir: string,
  session: TreeSession,
  context: DiscoverContext,
  problems: Problem[],
): Unit {
  const { sessionId, file } = session
  const key = treeUnitKey(storage, sessionId)
  const walk = walkSession(storage, session)
  problems.push(...walk.problems)
  const cursor = decodeTreeCursor(context.lastCursor(key))
  const { changedAt } = walk
  const isWhole = context.verify || cursor === null
  const meta: TreeMeta = { kind: 'tree', storage, dataDir, sessionId, file, changedAt, isWhole }
  const isFresh = !isWhole && cursor?.digest === walk.digest
  return {
    key,
    path: file,
    sessionId,
    changedAt: Math.trunc(changedAt),
    isFresh,
    bytes: walk.bytes,
    meta: isFresh ? null : meta,
  }
}
