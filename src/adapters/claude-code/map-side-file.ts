import { asArray, asCount, asNumber, asString, at, isObject, type JsonObject, stringAt } from '../../model/json.ts'
import type { RecordRef } from '../../model/record.ts'
import { UNKNOWN_SESSION } from '../../model/rows.ts'
import { parseTime } from '../../model/time.ts'
import type { Item, Mapper } from '../contract.ts'
import { agentSession } from './ids.ts'
import { nameOf } from './session-id.ts'
import { noSubagent, noWorkflow, noWorkflowAgent } from './spawned.ts'

/** Rows of the files that stand beside transcripts: `agent-<hash>.meta.json` in its agent's session, a workflow run in its own. */
export class SideFileMapper implements Mapper {
  readonly #sessionId: string
  readonly #path: string

  constructor(sessionId: string, path: string) {
    this.#sessionId = sessionId
    this.#path = path
  }

  *push({ type, json }: { readonly ref: RecordRef; readonly type: string; readonly json: unknown }): Iterable<Item> {
    if (!isObject(json)) return
    if (type === 'agent-meta') yield* this.#agent(json)
    if (type === 'workflow-run') yield* this.#run(json)
  }

  *end(): Iterable<Item> {}

  *#agent(json: JsonObject): Iterable<Item> {
    const { sessionId, parentId, agentId, runId } = nameOf(this.#sessionId)
    if (parentId === null || agentId === null) return
    const agentType = stringAt(json, 'agentType')
    const description = stringAt(json, 'description')
    const pair = stringAt(json, 'toolUseId')
    const session = {
      ...UNKNOWN_SESSION,
      kind: null,
      agent: agentType === null ? null : `claude-code/${agentType}`,
      title: description === null ? null : ({ text: description, origin: 'SIDE_FILE' } as const),
      parentNativeId: parentId,
      relation: 'SPAWN' as const,
      parentPair: pair,
    }
    yield { kind: 'session', sessionId, session }
    if (runId === null) {
      const subagent = { ...noSubagent(agentId), agentType, description, pair, childNativeId: sessionId }
      yield { kind: 'subagent', sessionId: parentId, subagent }
    } else {
      const agent = { ...noWorkflowAgent(runId, agentId), agentType, description, childNativeId: sessionId }
      yield { kind: 'workflow-agent', sessionId: parentId, agent }
    }
  }

  *#run(json: JsonObject): Iterable<Item> {
    const sessionId = this.#sessionId
    const runId = stringAt(json, 'runId')
    if (runId === null) {
      const message = 'The file of a workflow run names no run.'
      yield { kind: 'problem', problem: { kind: 'SCHEMA', location: this.#path, message, sessionId } }
      return
    }
    const workflow = {
      ...noWorkflow(runId),
      taskId: stringAt(json, 'taskId'),
      name: stringAt(json, 'workflowName'),
      status: stringAt(json, 'status'),
      timeMs: parseTime(json['timestamp']),
      durationMs: milliseconds(json['durationMs']),
      totalTokens: asCount(json['totalTokens']),
      script: asString(json['script']),
      result: json['result'],
    }
    yield { kind: 'workflow', sessionId, workflow }
    for (const item of asArray(json['workflowProgress'])) {
      const id = stringAt(item, 'agentId')
      if (stringAt(item, 'type') !== 'workflow_agent' || id === null) continue
      const agentId = id.startsWith('agent-') ? id : `agent-${id}`
      const agent = {
        ...noWorkflowAgent(runId, agentId),
        phase: stringAt(item, 'phaseTitle'),
        label: stringAt(item, 'label'),
        model: stringAt(item, 'model'),
        state: stringAt(item, 'state'),
        durationMs: milliseconds(at(item, 'durationMs')),
        tokens: asCount(at(item, 'tokens')),
        toolCalls: asCount(at(item, 'toolCalls')),
        childNativeId: agentSession(sessionId, `workflows/${runId}/${agentId}`),
      }
      yield { kind: 'workflow-agent', sessionId, agent }
    }
  }
}

function milliseconds(value: unknown): number | null {
  const number = asNumber(value)
  return number === null || number < 0 ? null : Math.round(number)
}
