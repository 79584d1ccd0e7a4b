import { CodedError } from '../model/error.ts'
import type { NodeId, NodeType } from '../model/ids.ts'
import { parseId, rowNumber } from './ids.ts'
import { messageOfId } from './messages.ts'
import { partOfId } from './parts.ts'
import { problemById } from './problems.ts'
import { projectOfKey } from './projects.ts'
import { recordOfId } from './record-id.ts'
import type { Scope } from './scope.ts'
import { sessionByUid } from './sessions.ts'
import { originByUid, rootOfKey, sourceByName } from './sources.ts'
import { subagentOfId } from './subagents.ts'
import { summaryOfId } from './summaries.ts'
import { runById } from './sync.ts'
import { workflowAgentOfId, workflowOfId } from './workflows.ts'

/** Something that a global id names, with the type that the id says. */
export interface FoundNode {
  readonly type: NodeType
  readonly value: object
}

const byNumber = (find: (scope: Scope, id: number) => Promise<object | null>) => async (scope: Scope, id: NodeId) => {
  const number = rowNumber(id)
  return number === null ? null : find(scope, number)
}

/** How each type is found. A type without entry is not served yet. */
const FINDERS: { readonly [type in NodeType]?: (scope: Scope, id: NodeId) => Promise<object | null> } = {
  Session: async (scope, { uid }) => (uid === null ? null : sessionByUid(scope, uid)),
  Message: messageOfId,
  Part: partOfId,
  SourceRecord: recordOfId,
  Summary: summaryOfId,
  Subagent: subagentOfId,
  Workflow: workflowOfId,
  WorkflowAgent: workflowAgentOfId,
  Origin: (scope, { key }) => originByUid(scope, key),
  Source: (scope, { key }) => sourceByName(scope, key),
  SourceRoot: (scope, { key }) => rootOfKey(scope, key),
  Project: (scope, { key }) => projectOfKey(scope, key),
  SyncRun: byNumber(runById),
  SyncProblem: byNumber(problemById),
}

/** What an id names; null when the store doesn't know it. BAD_USER_INPUT when it has not the form of an id. */
export async function findNode(scope: Scope, id: string): Promise<FoundNode | null> {
  const parsed = parseId(id)
  const value = (await FINDERS[parsed.type]?.(scope, parsed)) ?? null
  return value === null ? null : { type: parsed.type, value }
}

export const MAX_NODES = 100

/** What the ids name, in their order. One id of wrong form costs that place only. */
export async function findNodes(scope: Scope, ids: readonly string[]): Promise<(FoundNode | Error | null)[]> {
  if (ids.length > MAX_NODES) {
    throw new CodedError('BAD_USER_INPUT', `"nodes" takes at most ${MAX_NODES} ids.`)
  }
  const found = await Promise.allSettled(ids.map((id) => findNode(scope, id)))
  return found.map((result) => {
    if (result.status === 'fulfilled') return result.value
    return result.reason instanceof Error ? result.reason : new Error(String(result.reason))
  })
}
