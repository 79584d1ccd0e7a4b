import { asArray, asNumber, asObject, asString, type JsonObject, stringAt } from '../../model/json.ts'
import type { ToolCallRow, ToolResultRow } from '../../model/rows.ts'
import type { Item } from '../contract.ts'
import type { Billing } from './billing.ts'
import { callRow, isScript, lineOfArgv, summaryOf } from './call.ts'
import { type Context, idOf, withParts } from './context.ts'
import type { Line } from './line.ts'
import { blockParts, imageOf, partBase } from './message-parts.ts'
import { filesOfChanges } from './patch.ts'
import { outcomeOf, resultOf, spawnedThread } from './result.ts'
import type { OpenCall } from './state.ts'

const ANSWERED_KEPT = 4
const RUNNING_KEPT = 32

/** Calls and their results, and the events that tell what a script really ran. */
export class Calls {
  readonly #context: Context
  readonly #billing: Billing

  constructor(context: Context, billing: Billing) {
    this.#context = context
    this.#billing = billing
  }

  *call(at: number, line: Line): Generator<Item> {
    const { payload } = line
    const { state } = this.#context
    const message = this.#context.message('ASSISTANT', at, line, idOf(payload))
    const callId = stringAt(payload, 'call_id')
    const pair = callId === null ? message.nativeId : this.#context.isNew(`call ${callId}`) ? callId : `${callId}#${at}`
    const base = {
      ...partBase({ messageId: message.nativeId, record: at }, 0, 'params'),
      provenance: 'CONVERSATIONAL',
    } as const
    const row = callRow(payload, base, pair, line.time)
    if (callId !== null) {
      const { name } = row
      state.calls.push({
        callId,
        pair,
        name,
        row,
        isScript: isScript(payload),
        commands: [],
        files: [],
        hasFailed: false,
        exitCode: null,
      })
      this.#forget()
    }
    const image = payload['type'] === 'image_generation_call' ? asString(payload['result']) : null
    const parts = image === null ? [row] : [row, this.#picture(message.nativeId, at, image)]
    yield* this.#billing.assistant(withParts(message, parts), parts)
  }

  #picture(messageId: string, record: number, base64: string) {
    const base = partBase({ messageId, record }, 1, 'picture')
    const data = Buffer.from(base64, 'base64')
    return {
      ...base,
      kind: 'FILE',
      provenance: 'CONVERSATIONAL',
      mediaType: 'image/png',
      fileName: null,
      data,
      url: null,
    } as const
  }

  *output(at: number, line: Line): Generator<Item> {
    const { payload } = line
    const { state, sessionId } = this.#context
    state.isUncounted = false
    const callId = stringAt(payload, 'call_id')
    const call = this.#find(callId)
    const message = this.#context.message('TOOL', at, line, idOf(payload))
    const outcome = outcomeOf(payload, call?.name ?? null)
    const isFailure = outcome.isFailure || (call?.hasFailed === true && call.row !== null)
    const place = { messageId: message.nativeId, record: at }
    const result: ToolResultRow = {
      ...partBase(place, 0, 'result'),
      provenance: 'CONVERSATIONAL',
      kind: 'TOOL_RESULT',
      callId,
      pair: call?.pair ?? callId ?? message.nativeId,
      name: call?.name ?? stringAt(payload, 'name'),
      isFailure,
      exitCode: outcome.exitCode ?? (call?.row ? call.exitCode : null),
      filePath: call?.row?.name === 'view_image' ? stringAt(call.row.params, 'path') : null,
      result: resultOf(payload),
    }
    const images = asArray(payload['output'])
      .map((block, n) => ({ block, n }))
      .filter(({ block }) => imageOf(block) !== null)
      .flatMap(({ block, n }, i) =>
        blockParts([block], { ...place, prefix: `result:${n}/` }, i + 1, () => 'CONVERSATIONAL'),
      )
    const parts = [result, ...images]
    yield* this.#context.emit(withParts(message, parts), parts)
    if (call?.row === undefined || call.row === null) return
    const childNativeId = call.name === 'spawn_agent' ? spawnedThread(payload) : null
    if (childNativeId !== null) yield this.#subagent(childNativeId, call, null)
    const row = {
      ...this.#seen(call, call.row),
      status: isFailure ? 'FAILED' : 'SUCCEEDED',
      endedAt: line.time,
    } as const
    call.row = null
    yield { kind: 'part', sessionId, part: { ...row, childNativeId: row.childNativeId ?? childNativeId } }
  }

  /** What the events said that it ran and changed. */
  #seen(call: OpenCall, row: ToolCallRow): ToolCallRow {
    const command = call.commands.length > 0 && row.command === null ? call.commands.join('\n') : row.command
    const files = row.files.length > 0 ? row.files : call.files
    const category = row.category === 'SHELL' && call.commands.length === 0 && files.length > 0 ? 'EDIT' : row.category
    return { ...row, command, files, category, summary: summaryOf(row.params, command, files) }
  }

  /** An event about something that ran: of the call of its id, else of the script that runs. */
  *ran(item: JsonObject): Generator<Item> {
    const { sessionId } = this.#context
    const type = asString(item['type'])
    const id = asString(item['id'])
    const call = this.#find(id) ?? this.#context.state.calls.findLast(({ row, isScript: is }) => row !== null && is)
    if (type === 'SubAgentActivity' || type === 'CollabAgentToolCall') {
      const child = stringAt(item, 'agent_thread_id')
      const spawning = this.#find(id)
      if (child === null || item['kind'] !== 'started' || spawning === undefined) return
      yield this.#subagent(child, spawning, stringAt(item, 'agent_path'))
      if (spawning.row === null) return
      spawning.row = { ...spawning.row, childNativeId: child }
      yield { kind: 'part', sessionId, part: spawning.row }
      return
    }
    if (call === undefined || type === null || !RAN.has(type)) return
    const status = asString(item['status'])
    const exitCode = asNumber(item['exit_code'])
    if (status === 'failed' || status === 'declined' || (exitCode !== null && exitCode !== 0)) call.hasFailed = true
    if (exitCode !== null && (call.exitCode === null || exitCode !== 0)) call.exitCode = exitCode
    const command = lineOfArgv(item['command'])
    if (command !== null) call.commands.push(command)
    const changes = asObject(item['changes'])
    if (changes !== null) call.files.push(...filesOfChanges(changes))
  }

  /** `patch_apply_end` of 0.142: the changes of one call. */
  patched(payload: JsonObject): void {
    const call = this.#find(stringAt(payload, 'call_id'))
    const changes = asObject(payload['changes'])
    if (call === undefined) return
    if (changes !== null) call.files.push(...filesOfChanges(changes))
    if (payload['success'] === false) call.hasFailed = true
  }

  /** `collab_agent_spawn_end`: the thread that a call made. */
  *spawned(payload: JsonObject): Generator<Item> {
    const child = stringAt(payload, 'new_thread_id')
    const call = this.#find(stringAt(payload, 'call_id'))
    if (child === null || call === undefined) return
    yield this.#subagent(child, call, stringAt(payload, 'new_agent_nickname'))
    if (call.row === null) return
    call.row = { ...call.row, childNativeId: child }
    yield { kind: 'part', sessionId: this.#context.sessionId, part: call.row }
  }

  /** The turn ended: what still runs then was interrupted. */
  *interrupt(): Generator<Item> {
    for (const call of this.#context.state.calls) {
      if (call.row === null || call.row.status !== 'RUNNING') continue
      call.row = { ...this.#seen(call, call.row), status: 'INTERRUPTED' }
      yield { kind: 'part', sessionId: this.#context.sessionId, part: call.row }
    }
  }

  #subagent(child: string, { pair }: OpenCall, description: string | null): Item {
    const subagent = {
      agentId: child,
      agentType: null,
      description,
      durationMs: null,
      totalTokens: null,
      pair,
      childNativeId: child,
    }
    return { kind: 'subagent', sessionId: this.#context.sessionId, subagent }
  }

  #find(callId: string | null): OpenCall | undefined {
    const { calls } = this.#context.state
    if (callId === null) return undefined
    return (
      calls.find((call) => call.callId === callId && call.row !== null) ??
      calls.findLast((call) => call.callId === callId)
    )
  }

  /** Of answered calls a few are kept, for a second answer; of running ones those that are recent. */
  #forget(): void {
    const { calls } = this.#context.state
    const answered = calls.filter(({ row }) => row === null)
    const surplus = new Set(answered.slice(0, Math.max(0, answered.length - ANSWERED_KEPT)))
    this.#context.state.calls = calls.filter((call) => !surplus.has(call)).slice(-RUNNING_KEPT)
  }
}

const RAN = new Set(['CommandExecution', 'FileChange', 'McpToolCall', 'ImageView'])
