import { asCount, asObject, asString, type JsonObject, stringAt } from '../../model/json.ts'
import { type MessageRow, type PartRow, UNKNOWN_SESSION } from '../../model/rows.ts'
import { clip } from '../../model/text.ts'
import type { ResponseUsage } from '../../model/usage.ts'
import type { Item } from '../contract.ts'
import { exitCodeOf, pathOf } from './call.ts'
import type { EventFrame, LoggedEvent } from './event.ts'
import { blocksOf, flatResult, isCheckpoint, isConversational, messageOf, textOf } from './message.ts'
import { MessageRows } from './message-row.ts'
import { OpenCalls } from './open-calls.ts'
import { PartList } from './parts.ts'
import type { Compaction, ProjectionState } from './state.ts'
import { afterChunk, NO_END, streamEnd, usageOf } from './usage.ts'

const TITLE_CHARS = 200
const TITLE_ORIGINS = { user: 'PERSON', provider: 'SOURCE', fallback: 'DERIVED' } as const

/**
 * Events of a journal to rows: what a session of the harness and one of a live producer have in common. Everything that was appended is a
 * message; what replaced something changes only what the model sees, and makes none, but for the checkpoint of a compaction.
 */
export class EventProjection {
  readonly #frame: EventFrame
  readonly #state: ProjectionState
  readonly #rows: MessageRows
  readonly #calls: OpenCalls

  constructor(frame: EventFrame, state: ProjectionState) {
    this.#frame = frame
    this.#state = state
    this.#rows = new MessageRows(frame, state)
    this.#calls = new OpenCalls(state.calls)
  }

  /** The rows that an event makes or changes; most events make none. */
  *push(event: LoggedEvent): Generator<Item> {
    const { native, data } = event
    const isReplacement = native.surfaceOp?.kind === 'REPLACE'
    switch (native.type) {
      case 'turn/start':
        Object.assign(this.#state, { turn: asCount(data['turn']), last: null, prompt: null, attempts: 0 })
        return
      case 'turn/end':
        yield* this.#dropStream(event)
        yield* this.#endTurn(data)
        return
      case 'step/end':
      case 'llm/retry-started':
        yield* this.#dropStream(event)
        return
      case 'request/header':
        this.#learnModel(asObject(asObject(data['header'])?.['config']) ?? {})
        return
      case 'request/context':
        this.#learnModel(data)
        return
      case 'session/title':
        yield* this.#title(data)
        return
      case 'user/message':
      case 'steering/message':
        if (!isReplacement) yield* this.#user(event)
        else if (this.#isOfCompaction(event)) yield* this.#checkpoint(event)
        return
      case 'assistant/message':
        if (!isReplacement) yield* this.#assistant(event)
        return
      case 'assistant/chunk':
        this.#state.stream = afterChunk(this.#state.stream, data['chunk'])
        return
      case 'assistant/attempt':
        yield* this.#attempt(event, streamEnd(data).usage)
        return
      case 'tool/call':
        yield* this.#part(this.#calls.started(data, this.#state.turn, native.time))
        return
      case 'tool/result':
        if (!isReplacement) yield* this.#result(event)
        return
      case 'system/message':
      case 'developer/message':
        yield* this.#system(event)
        return
      case 'compaction/summary':
      case 'compact/summary':
        yield* this.#summary(event, 'compaction')
        return
      case 'compaction/prune':
      case 'compact/prune':
        yield* this.#summary(event, 'prune')
        return
      case 'subagent/catalog':
        yield* this.#delegated(data)
        return
      default:
    }
  }

  *#user(event: LoggedEvent): Generator<Item> {
    const body = messageOf(event.data)
    const isInjected = !isConversational(body)
    const { message, problems } = this.#rows.make('USER', event, body)
    yield* problems
    const list = new PartList(message.nativeId, event.record, isInjected)
    list.blocks(body)
    const row = { ...message, isMeta: isInjected }
    yield* this.#emit(row, list.rows)
    if (isInjected) return
    this.#state.prompt = row
    const line = textOf(body)
      ?.split(/\r?\n/)
      .find((text) => text.trim() !== '')
    if (this.#state.hasTitle || line === undefined) return
    yield this.#titled(clip(line.trim(), TITLE_CHARS), 'DERIVED')
  }

  *#assistant(event: LoggedEvent): Generator<Item> {
    const { data, record, native } = event
    const state = this.#state
    const body = messageOf(data)
    const { message, problems } = this.#rows.make('ASSISTANT', event, body)
    yield* problems
    // Chunks that were written before the message, as events or inside of it, sample what it states.
    const end = data['stream'] === undefined ? state.stream : streamEnd(data)
    state.stream = NO_END
    const usage = yield* this.#usage(event, data['usage'] ?? end.usage)
    const isInterrupted = data['interrupted'] === true
    const turn = asCount(data['turn']) ?? state.turn
    const list = new PartList(message.nativeId, record, false)
    const taken = new Set<string>()
    list.blocks(body, (callId) => {
      const pair = this.#calls.pairOf(turn, callId, native.seq)
      const own = taken.has(pair) ? `${pair}/${taken.size}` : pair
      taken.add(own)
      return own
    })
    const row: MessageRow = {
      ...message,
      model: stringAt(body, 'source', 'model') ?? state.model,
      provider: stringAt(body, 'source', 'provider') ?? state.provider,
      stopReason: isInterrupted ? 'interrupted' : end.finish,
      usage,
      isResponse: usage !== null || !isInterrupted,
      copy: this.#rows.copyOf(message),
    }
    state.last = withParts(row, list.rows)
    yield* this.#emit(row, list.rows)
    for (const part of list.rows) if (part.kind === 'TOOL_CALL') this.#calls.add(part, turn)
  }

  *#result(event: LoggedEvent): Generator<Item> {
    const { data, record, native } = event
    const body = messageOf(data)
    const { callId, content, isError } = flatResult(body)
    const isFailure = asObject(data['error']) !== null ? true : isError
    const turn = asCount(data['turn']) ?? this.#state.turn
    const found = this.#calls.answer(callId, turn, isFailure, native.time)
    const { message, problems } = this.#rows.make('TOOL', event, body)
    yield* problems
    const list = new PartList(message.nativeId, record, false)
    list.result(body, {
      pair: found?.call.pair ?? `${turn ?? ''}/${callId ?? native.seq}`,
      name: found?.call.name ?? null,
      isFailure,
      exitCode: exitCodeOf(found?.call ?? null, content),
      filePath: found === null || found.row === null ? null : pathOf(found.row),
    })
    yield* this.#emit(message, list.rows)
    yield* this.#part(found?.row ?? null)
  }

  /** System prompts, and what the harness tells the model of its tools. The first prompt is empty, and replaced at once. */
  *#system(event: LoggedEvent): Generator<Item> {
    const body = messageOf(event.data)
    if (blocksOf(body).length === 0) return
    const { message, problems } = this.#rows.make('SYSTEM', event, body)
    yield* problems
    const list = new PartList(message.nativeId, event.record, true)
    list.blocks(body)
    yield* this.#emit({ ...message, isMeta: true }, list.rows)
  }

  /** What a compaction put in place of a span, which itself stays (design §3.15). */
  *#checkpoint(event: LoggedEvent): Generator<Item> {
    const body = messageOf(event.data)
    const { message, problems } = this.#rows.make('SYSTEM', event, body)
    yield* problems
    const compaction = this.#state.compaction
    const list = new PartList(message.nativeId, event.record, true)
    list.text('text', textOf(body))
    this.#state.compaction = null
    const row: MessageRow = { ...message, compaction: compaction?.kind ?? 'compaction' }
    const billed = compaction === null || compaction.usage === null ? null : compaction
    yield* this.#emit(
      billed === null
        ? row
        : {
            ...row,
            usage: billed.usage,
            model: billed.model,
            provider: billed.provider,
            isResponse: true,
            copy: this.#rows.copyOf(message),
          },
      list.rows,
    )
  }

  /** A checkpoint stands directly behind its summary, and says whose it is. */
  #isOfCompaction({ native, data }: LoggedEvent): boolean {
    return this.#state.compaction?.seq === native.seq - 1 || isCheckpoint(messageOf(data))
  }

  *#summary(event: LoggedEvent, kind: Compaction['kind']): Generator<Item> {
    const { native, data } = event
    const usage = yield* this.#usage(event, data['usage'])
    const [model, provider] = [stringAt(data, 'model'), stringAt(data, 'provider')]
    this.#state.compaction = { seq: native.seq, kind, usage, model, provider }
  }

  /** Chunks of a response that made no message: the provider billed it all the same. */
  *#dropStream(event: LoggedEvent): Generator<Item> {
    const { usage, finish } = this.#state.stream
    this.#state.stream = NO_END
    if (usage !== null || finish !== null) yield* this.#attempt(event, usage)
  }

  /** A response that was lost or given up is billed without a message. Its number in the turn is the same in all generations. */
  *#attempt(event: LoggedEvent, stated: unknown): Generator<Item> {
    const state = this.#state
    const id = `attempt-${state.turn ?? 0}-${state.attempts}`
    state.attempts += 1
    const usage = yield* this.#usage(event, stated)
    if (usage === null) return
    const { message } = this.#rows.make('ASSISTANT', event, { id })
    const { model, provider } = state
    const copy = this.#rows.copyOf(message)
    yield* this.#emit({ ...message, model, provider, usage, copy, isResponse: true, isBilledOnly: true }, [])
  }

  *#endTurn(data: JsonObject): Generator<Item> {
    const state = this.#state
    for (const row of this.#calls.interrupt()) yield* this.#part(row)
    const reason = asObject(data['reason'])
    const kind = asString(reason?.['kind'])
    if (kind === null || kind === 'completed') return
    const error = asObject(reason?.['error'])
    const change: Partial<MessageRow> =
      error === null
        ? { stopReason: kind }
        : {
            stopReason: kind,
            error: {
              code: stringAt(error, 'code'),
              message: stringAt(error, 'message') ?? 'unknown error',
              isRetryable: null,
            },
          }
    const message = state.last ?? state.prompt
    if (message !== null)
      yield { kind: 'message', sessionId: this.#frame.sessionId, message: { ...message, ...change } }
  }

  /** A person's title outranks a later one of a model, and that the first prompt's start. */
  *#title(data: JsonObject): Generator<Item> {
    const text = stringAt(data, 'title')
    const kind = stringAt(data, 'source', 'kind')
    if (text === null || text.trim() === '') return
    yield this.#titled(text, kind === 'user' || kind === 'fallback' ? TITLE_ORIGINS[kind] : TITLE_ORIGINS.provider)
  }

  #titled(text: string, origin: 'PERSON' | 'SOURCE' | 'DERIVED'): Item {
    this.#state.hasTitle = true
    return {
      kind: 'session',
      sessionId: this.#frame.sessionId,
      session: { ...UNKNOWN_SESSION, title: { text, origin } },
    }
  }

  /** Ties the call that delegated to the child, which is told by its label. */
  *#delegated(data: JsonObject): Generator<Item> {
    const childId = stringAt(data, 'childId')
    if (childId === null) return
    const label = stringAt(data, 'label')
    const call = this.#calls.delegate(childId, label)
    yield* this.#part(call?.row ?? null)
    yield {
      kind: 'subagent',
      sessionId: this.#frame.sessionId,
      subagent: {
        agentId: childId,
        agentType: null,
        description: label,
        durationMs: null,
        totalTokens: null,
        pair: call?.pair ?? null,
        childNativeId: childId,
      },
    }
  }

  #learnModel(route: JsonObject): void {
    this.#state.model = stringAt(route, 'model') ?? this.#state.model
    this.#state.provider = stringAt(route, 'provider') ?? this.#state.provider
  }

  *#usage({ record }: LoggedEvent, stated: unknown): Generator<Item, ResponseUsage | null> {
    const { usage, oddFields } = usageOf(stated)
    if (oddFields.length > 0)
      yield this.#frame.problem('SCHEMA', record, `These fields of its usage hold no counts: ${oddFields.join(', ')}.`)
    return usage
  }

  *#emit(message: MessageRow, parts: readonly PartRow[]): Generator<Item> {
    const { sessionId } = this.#frame
    yield { kind: 'message', sessionId, message: withParts(message, parts) }
    for (const part of parts) yield { kind: 'part', sessionId, part }
  }

  *#part(part: PartRow | null): Generator<Item> {
    if (part !== null) yield { kind: 'part', sessionId: this.#frame.sessionId, part }
  }
}

const withParts = (message: MessageRow, parts: readonly PartRow[]): MessageRow => ({
  ...message,
  partIds: parts.map(({ nativeId }) => nativeId),
})
