import { stringAt } from '../../model/json.ts'
import {
  resultText,
  type SubagentRow,
  type ToolCallRow,
  type WorkflowAgentRow,
  type WorkflowRow,
} from '../../model/rows.ts'
import type { Item } from '../contract.ts'
import { agentSession } from './ids.ts'
import type { Line } from './line.ts'
import { outcomeOf } from './results.ts'
import type { SessionName } from './session-id.ts'
import type { SessionFacts } from './state.ts'

/**
 * What an agent's own transcript adds to its row in the parent: how long it took and what it used. No other contributor says these, so
 * that the order of arrival decides nothing.
 */
export function ownAccount(name: SessionName, facts: SessionFacts): Item | null {
  const { parentId, agentId, runId, sessionId } = name
  if (parentId === null || agentId === null) return null
  const { firstMs, lastMs, tokens } = facts
  const durationMs = firstMs === null || lastMs === null ? null : lastMs - firstMs
  if (runId !== null) {
    // The run's own file says how long each of its agents took.
    return {
      kind: 'workflow-agent',
      sessionId: parentId,
      agent: { ...noWorkflowAgent(runId, agentId), childNativeId: sessionId },
    }
  }
  const subagent = {
    ...noSubagent(agentId),
    durationMs,
    totalTokens: tokens > 0 ? tokens : null,
    childNativeId: sessionId,
  }
  return { kind: 'subagent', sessionId: parentId, subagent }
}

/** What the result of a call says that it started: a sub-agent, or a workflow run. */
export function* startedBy(line: Line, call: ToolCallRow, rootId: string): Iterable<Item> {
  const outcome = outcomeOf(line)
  const id = stringAt(outcome, 'agentId')
  if (id !== null) {
    const agentId = `agent-${id}`
    const subagent: SubagentRow = {
      ...noSubagent(agentId),
      agentType: stringAt(outcome, 'agentType') ?? stringAt(call.params, 'subagent_type'),
      description: stringAt(outcome, 'description') ?? stringAt(call.params, 'description'),
      pair: call.pair,
      childNativeId: agentSession(rootId, agentId),
    }
    yield { kind: 'subagent', sessionId: rootId, subagent }
  }
  if (call.name !== 'Workflow') return
  const runId = stringAt(outcome, 'runId') ?? RUN_ID.exec(resultText(outcome))?.[0] ?? null
  if (runId !== null) yield { kind: 'workflow', sessionId: rootId, workflow: { ...noWorkflow(runId), pair: call.pair } }
}

const RUN_ID = /\bwf[_-][A-Za-z0-9_-]+/

export const noSubagent = (agentId: string): SubagentRow => ({
  agentId,
  agentType: null,
  description: null,
  durationMs: null,
  totalTokens: null,
  pair: null,
  childNativeId: null,
})

export const noWorkflow = (runId: string): WorkflowRow => ({
  runId,
  taskId: null,
  pair: null,
  name: null,
  status: null,
  timeMs: null,
  durationMs: null,
  totalTokens: null,
  script: null,
  result: undefined,
})

export const noWorkflowAgent = (runId: string, agentId: string): WorkflowAgentRow => ({
  runId,
  agentId,
  agentType: null,
  description: null,
  phase: null,
  label: null,
  model: null,
  state: null,
  durationMs: null,
  tokens: null,
  toolCalls: null,
  childNativeId: null,
})
