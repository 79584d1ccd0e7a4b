import type { SessionHandle } from '../db/queries/session-handle.ts'
import {
  agentCounts,
  agentsOfWorkflow,
  type StoredWorkflow,
  type StoredWorkflowAgent,
  workflowAgentsByUid,
  workflowsByUid,
  workflowsOfSession,
} from '../db/queries/workflows.ts'
import { encodeNodeId, type NodeId } from '../model/ids.ts'
import { safeStringify } from '../model/text.ts'
import { itself, Lookup } from './batch.ts'
import { List, type PageArgs } from './connection.ts'
import { uidHex } from './ids.ts'
import { shownJson } from './json-value.ts'
import { callOfPair } from './parts.ts'
import type { Scope } from './scope.ts'
import { siblingSession } from './sessions.ts'

export type { StoredWorkflow, StoredWorkflowAgent } from '../db/queries/workflows.ts'

const byUid = new Lookup<readonly [string, string], StoredWorkflow | null>(
  ({ services }, keys) => workflowsByUid(services.store, keys),
  (key) => JSON.stringify(key),
)
const agentByUid = new Lookup<readonly [string, string, string], StoredWorkflowAgent | null>(
  ({ services }, keys) => workflowAgentsByUid(services.store, keys),
  (key) => JSON.stringify(key),
)
const counts = new Lookup<number, number>(({ services }, ids) => agentCounts(services.store, ids), itself)
const ofSession = new List<SessionHandle, StoredWorkflow>()
const ofWorkflow = new List<StoredWorkflow, StoredWorkflowAgent>()

export const workflowId = ({ session, runId }: StoredWorkflow): string => encodeNodeId('Workflow', session.uid, runId)

/** Agents have their run before their own id; neither holds a NUL. */
export const workflowAgentId = ({ workflow, agentId }: StoredWorkflowAgent): string =>
  encodeNodeId('WorkflowAgent', workflow.session.uid, `${workflow.runId}\0${agentId}`)

export const workflowOfId = (scope: Scope, { uid, key }: NodeId) => byUid.load(scope, [uidHex(uid), key])

export async function workflowAgentOfId(scope: Scope, { uid, key }: NodeId): Promise<StoredWorkflowAgent | null> {
  const [runId, agentId] = key.split('\0')
  return runId === undefined || agentId === undefined ? null : agentByUid.load(scope, [uidHex(uid), runId, agentId])
}

export const listWorkflows = (scope: Scope, args: PageArgs, session: SessionHandle) =>
  ofSession.page(scope, workflowsOfSession, args, session)

export const listWorkflowAgents = (scope: Scope, args: PageArgs, workflow: StoredWorkflow) =>
  ofWorkflow.page(scope, agentsOfWorkflow, args, workflow)

export const workflowAgentCount = (scope: Scope, { id }: StoredWorkflow) => counts.load(scope, id)

export const workflowCall = async (scope: Scope, { session, pair }: StoredWorkflow) =>
  pair === null ? null : callOfPair(scope, session, pair)

export function workflowScript(scope: Scope, { script }: StoredWorkflow): string | null {
  scope.spend(script?.length ?? 0)
  return script
}

export function workflowResult(scope: Scope, { result }: StoredWorkflow): unknown {
  if (result === null || result === undefined) return null
  scope.spend(safeStringify(result)?.length ?? 0)
  return shownJson(result)
}

/** The session that the agent's transcript became, where the source keeps one. */
export const workflowAgentSession = async (scope: Scope, { workflow, childNativeId }: StoredWorkflowAgent) =>
  childNativeId === null ? null : siblingSession(scope, workflow.session, childNativeId)
