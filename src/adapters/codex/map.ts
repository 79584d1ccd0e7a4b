import { asCount, asObject, asString, isObject, type JsonObject, stringAt } from '../../model/json.ts'
import type { MessageRow, PartRow } from '../../model/rows.ts'
import type { Item } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import type { ResumableMapper } from '../kit/jsonl-unit.ts'
import { Answers } from './answers.ts'
import { Billing } from './billing.ts'
import { isCall, isOutput } from './call.ts'
import { Calls } from './calls.ts'
import { compactedText } from './content.ts'
import { Context, idOf, type Outlined, withParts } from './context.ts'
import { type Line, lineOf } from './line.ts'
import { blockParts, blocksOf, partBase, textOfBlock } from './message-parts.ts'
import { Prompts } from './prompts.ts'
import { uuidTime } from './rollout-name.ts'
import { AUTO_REVIEW_MODEL, isGuardian, sessionRow } from './session-row.ts'
import { emptyState, type State } from './state.ts'
import { readTokenCount, usageOf } from './usage.ts'

/** What a line says can only be told by someone who read the lines before it. */
export class NeedsWholeReading extends Error {}

/** A pause between two lines that no copying makes; the copied start of an old rollout ends there. */
const PAUSE_MS = 250

/** Maps the lines of one rollout (design §4.1): its state is small, so that reading goes on where it stopped. */
export class RolloutMapper implements ResumableMapper {
  readonly #context: Context
  readonly #billing: Billing
  readonly #prompts: Prompts
  readonly #answers: Answers
  readonly #calls: Calls
  readonly #offPath = new Set<string>()
  readonly #path: string

  /** `path` names the file in problems; records out of the archive have only their unit's key. */
  constructor(sessionId: string, unitKey: string, stored: string | null = null, path = unitKey) {
    this.#path = path
    const state = stored === null ? null : stateOf(stored)
    this.#context = new Context(sessionId, unitKey, state ?? emptyState(), stored === null)
    this.#billing = new Billing(this.#context)
    this.#prompts = new Prompts(this.#context)
    this.#answers = new Answers(this.#context, this.#billing)
    this.#calls = new Calls(this.#context, this.#billing)
  }

  state(): string {
    return JSON.stringify(this.#context.state)
  }

  get hasPrompt(): boolean {
    return this.#context.state.hasPrompt
  }

  get isRetracted(): boolean {
    return this.#context.state.isRetracted
  }

  /** Every message of a whole reading, oldest first. */
  get outline(): readonly Outlined[] {
    return [...(this.#context.outline?.values() ?? []), ...this.#gone]
  }
  readonly #gone: Outlined[] = []

  /** Those that a rollback took off the path. */
  get offPath(): ReadonlySet<string> {
    return this.#offPath
  }

  *push({ ref, json }: { readonly ref: number | string; readonly json: unknown }): Generator<Item> {
    const { state } = this.#context
    if (state.isRetracted || !isObject(json) || typeof ref !== 'number') return
    const line = lineOf(json)
    if (line.isTimeOdd) yield this.#oddTime(ref)
    this.#trackPrefix(line)
    if (state.session === null && line.kind !== 'session_meta') yield this.#context.session({})
    yield* this.#line(ref, line)
    if (state.isRetracted) yield { kind: 'delete-session', sessionId: this.#context.sessionId }
  }

  #oddTime(at: number): Item {
    const message = 'Its time is none; the start of its session stands in for it.'
    const location = `${this.#path}:${at + 1}`
    return { kind: 'problem', problem: { kind: 'SCHEMA', location, message, sessionId: this.#context.sessionId } }
  }

  *end(): Generator<Item> {
    const { state, sessionId } = this.#context
    if (state.isRetracted) return
    if (state.heard.length > 0) {
      // Shown for now; what is appended later may say it better.
      const before: State = structuredClone(state)
      yield* this.#answers.flush()
      Object.assign(state, before)
    } else yield* this.#billing.lend()
    if (this.#offPath.size > 0) yield { kind: 'off-path', sessionId, messageIds: this.#offPath }
  }

  *#line(at: number, line: Line): Generator<Item> {
    const { kind, payload } = line
    if (kind === 'session_meta') yield* this.#meta(at, payload)
    else if (kind === 'turn_context') yield* this.#turnContext(payload)
    else if (kind === 'response_item') yield* this.#item(at, line)
    else if (kind === 'event_msg') yield* this.#event(at, line)
    else if (kind === 'compacted') yield* this.#compacted(at, line)
    else if (kind === 'token_usage_record') {
      this.#context.state.hasUsageRecords = true
      const usage = usageOf(payload['usage'])
      const id = stringAt(payload, 'response_id')
      if (usage !== null) yield* this.#billing.bill(usage, id === null ? this.#copyKey(null) : `response/${id}`)
    }
  }

  *#meta(at: number, meta: JsonObject): Generator<Item> {
    const { state, sessionId } = this.#context
    const id = stringAt(meta, 'id')
    if (state.metas.length === 0) {
      // A first line that is damaged leaves that of the thread from which this one was copied.
      state.metas.push(sessionId)
      if (id === null || id === sessionId || this.#context.name.threadId === null) {
        const row = sessionRow(sessionId, meta, at)
        state.createdAt = row.createdAt?.ms ?? null
        state.cwd = row.projectPath
        state.hasProject = row.projectPath !== null
        state.provider = stringAt(meta, 'model_provider')
        state.isSubagent = row.kind === 'SUBAGENT' || meta['thread_source'] === 'subagent'
        state.hasParent = row.parentNativeId !== null
        state.ownFrom = asCount(meta['subagent_history_start_ordinal'])
        state.isInPrefix = state.ownFrom !== null
        state.isRetracted = isGuardian(meta)
        if (!state.isRetracted) yield this.#context.session(row)
        return
      }
    }
    if (id === null || !isSafeId(id) || state.metas.includes(id) || state.hasItems) return
    state.metas.push(id)
    state.isInPrefix = true
    if (state.hasParent) {
      if (state.session === null) yield this.#context.session({})
      return
    }
    state.hasParent = true
    yield this.#context.session({ parentNativeId: id, relation: state.isSubagent ? 'SPAWN' : 'FORK' })
  }

  *#turnContext(payload: JsonObject): Generator<Item> {
    const { state } = this.#context
    const cwd = stringAt(payload, 'cwd')
    state.cwd = cwd ?? state.cwd
    state.model = stringAt(payload, 'model') ?? state.model
    state.turnId = stringAt(payload, 'turn_id') ?? state.turnId
    if (state.isSubagent && state.model === AUTO_REVIEW_MODEL) state.isRetracted = true
    if (state.hasProject || cwd === null) return
    state.hasProject = true
    yield this.#context.session({ projectPath: cwd })
  }

  *#item(at: number, line: Line): Generator<Item> {
    const { state } = this.#context
    const { payload } = line
    const type = asString(payload['type'])
    if (type === 'message') {
      const role = asString(payload['role'])
      if (role === 'user') {
        yield* this.#answers.flush()
        state.hasItems = true
        state.isUncounted = false
        yield* this.#prompts.item(at, line)
        return
      }
      if (role !== 'assistant') {
        state.hasItems = true
        yield* this.#injected('SYSTEM', at, line)
        return
      }
    } else if (type === 'agent_message') {
      state.hasItems = true
      yield* this.#injected('USER', at, line)
      return
    }
    const isAnswer = type === 'message' || type === 'reasoning' || isCall(type)
    if (!isAnswer && !isOutput(type)) return
    state.hasItems = true
    if (isOutput(type)) {
      yield* this.#answers.flush()
      yield* this.#calls.output(at, line)
      return
    }
    yield* this.#prompts.close()
    if (type === 'message') yield* this.#answers.item(at, line)
    else if (type === 'reasoning') yield* this.#answers.reasoning(at, line)
    else yield* this.#calls.call(at, line)
  }

  /** Texts of the harness, and of other agents. */
  *#injected(role: 'SYSTEM' | 'USER', at: number, line: Line): Generator<Item> {
    const message = this.#context.message(role, at, line, idOf(line.payload))
    const place = { messageId: message.nativeId, record: at, prefix: 'block:' }
    const parts = blockParts(blocksOf(line.payload), place, 0, () => 'INJECTED')
    yield* this.#context.emit(withParts({ ...message, isMeta: true }, parts), parts)
  }

  *#event(at: number, line: Line): Generator<Item> {
    const { payload } = line
    const { state } = this.#context
    state.hasEvents = true
    const item = asObject(payload['item'])
    switch (item !== null ? `item/${asString(item['type'])}` : asString(payload['type'])) {
      case 'user_message':
      case 'item/UserMessage':
        yield* this.#prompts.event(at, line)
        return
      case 'agent_message':
      case 'item/AgentMessage':
        yield* this.#prompts.close()
        yield* this.#answers.event(at, line)
        return
      case 'agent_reasoning':
      case 'agent_reasoning_raw_content':
      case 'item/Reasoning':
        yield* this.#answers.thought(at, line)
        return
      case 'token_count': {
        if (state.hasUsageRecords) return
        const { total, usage } = readTokenCount(payload, state.total)
        state.total = total
        if (usage !== null) yield* this.#billing.bill(usage, this.#copyKey(total))
        return
      }
      case 'task_started':
      case 'turn_started':
        yield* this.#endTurn(null)
        state.turnId = stringAt(payload, 'turn_id')
        return
      case 'task_complete':
      case 'turn_complete':
      case 'turn_aborted':
        yield* this.#endTurn(payload)
        return
      case 'error':
        yield* this.#mark({ error: errorOf(payload) })
        return
      case 'thread_name_updated': {
        const text = stringAt(payload, 'thread_name')
        if (text !== null) yield this.#context.session({ title: { text, origin: 'SOURCE' } })
        return
      }
      case 'thread_rolled_back':
        this.#rollBack(asCount(payload['num_turns']) ?? 0)
        return
      case 'patch_apply_end':
        this.#calls.patched(payload)
        return
      case 'collab_agent_spawn_end':
        yield* this.#calls.spawned(payload)
        return
      default:
        if (item !== null) yield* this.#calls.ran(item)
    }
  }

  /** `payload` is that of the event which ends the turn; null when the next one just starts. */
  *#endTurn(payload: JsonObject | null): Generator<Item> {
    const { state } = this.#context
    yield* this.#answers.flush()
    yield* this.#prompts.close()
    if (state.isLastOfTurn) yield* this.#billing.settle()
    if (payload !== null) {
      const isAborted = payload['type'] === 'turn_aborted'
      const durationMs = asCount(payload['duration_ms'])
      if (state.isLastOfTurn && durationMs !== null && durationMs > 0) yield* this.#mark({ turnDurationMs: durationMs })
      if (isAborted) yield* this.#mark({ stopReason: stringAt(payload, 'reason') ?? 'aborted' })
      const error = asObject(payload['error'])
      if (error !== null) yield* this.#mark({ error: errorOf(error) })
      if (isAborted) yield* this.#calls.interrupt()
    } else yield* this.#calls.interrupt()
    state.prompt = null
    state.isLastOfTurn = false
    state.isUncounted = false
    state.said = []
    state.answered = []
    state.turnResponses = 0
  }

  /** On the turn's last message of the model, else on its prompt. */
  *#mark(change: Partial<MessageRow>): Generator<Item> {
    const { state } = this.#context
    if (state.isLastOfTurn && state.last !== null) {
      state.last = { ...state.last, ...change }
      yield* this.#context.emit(state.last, [])
    } else if (state.prompt !== null) {
      state.prompt = { ...state.prompt, ...change }
      yield* this.#context.emit(state.prompt, [])
    }
  }

  *#compacted(at: number, line: Line): Generator<Item> {
    yield* this.#answers.flush()
    yield* this.#prompts.close()
    const message = this.#context.message('SYSTEM', at, line, idOf(line.payload))
    const text = compactedText(line.payload)
    const base = partBase({ messageId: message.nativeId, record: at }, 0, 'compacted')
    const part: PartRow = { ...base, kind: 'TEXT', provenance: 'INJECTED', text }
    this.#context.state.isUncounted = false
    yield* this.#billing.claim(withParts({ ...message, compaction: 'compacted' }, [part]), [part])
  }

  /** The last `turns` prompts, and what followed them, are off the path. */
  #rollBack(turns: number): void {
    const { outline } = this.#context
    if (outline === null) throw new NeedsWholeReading()
    const messages = [...outline.values()]
    let left = turns
    while (left > 0) {
      const last = messages.pop()
      if (last === undefined) return
      outline.delete(last.id)
      this.#gone.push(last)
      this.#offPath.add(last.id)
      if (last.isPrompt) left -= 1
    }
  }

  /** Copied prefixes end where a turn of this thread starts; old versions, which don't name turns, pause there. */
  #trackPrefix({ kind, payload, time, ordinal }: Line): void {
    const { state } = this.#context
    if (state.ownFrom !== null) {
      if (ordinal !== null) state.isInPrefix = ordinal < state.ownFrom
    } else if (state.isInPrefix) {
      const turn =
        kind === 'event_msg' && payload['type'] === 'task_started' ? uuidTime(asString(payload['turn_id'])) : null
      const own = uuidTime(this.#context.sessionId)
      if (turn !== null && own !== null) {
        if (turn >= own) state.isInPrefix = false
      } else if (state.turnId === null && isUserItem(kind, payload) && time !== null && state.lastTime !== null)
        state.isInPrefix = time - state.lastTime < PAUSE_MS
    }
    state.lastTime = time ?? state.lastTime
  }

  /** Equal for a response and its copies: turns keep their ids; before there were any, the place and the numbers tell. */
  #copyKey(total: number | null): string {
    const { state } = this.#context
    state.responses += 1
    state.turnResponses += 1
    return state.turnId !== null
      ? `turn/${state.turnId}/${state.turnResponses}`
      : `response/${state.responses}/${state.promptHash}/${total}`
  }
}

const isUserItem = (kind: string, payload: JsonObject): boolean =>
  kind === 'response_item' &&
  payload['role'] === 'user' &&
  !blocksOf(payload).some((block) => textOfBlock(block)?.startsWith('<environment_context>'))

function errorOf(error: JsonObject): MessageRow['error'] {
  const info = error['codex_error_info']
  const code = typeof info === 'string' ? info : (Object.keys(asObject(info) ?? {})[0] ?? null)
  return { code, message: stringAt(error, 'message') ?? code ?? 'unknown error', isRetryable: null }
}

function stateOf(stored: string): State | null {
  const state: State = JSON.parse(stored)
  return state.version === 1 ? state : null
}
