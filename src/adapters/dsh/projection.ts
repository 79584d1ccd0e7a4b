import { asCount, asObject, asString, type JsonObject, stringAt } from '../../model/json.ts'
import { type MessageRow, UNKNOWN_SESSION } from '../../model/rows.ts'
import { clip } from '../../model/text.ts'
import type { Item } from '../contract.ts'
import { exitCodeOf, pathOf } from './call.ts'
import { Compactions } from './compactions.ts'
import type { EventFrame, LoggedEvent } from './event.ts'
import { blocksOf, flatResult, isConversational, messageOf, textOf } from './message.ts'
import { MessageRows, withParts } from './message-row.ts'
import { OpenCalls } from './open-calls.ts'
import { PartList } from './parts.ts'
import { Responses } from './responses.ts'
import type { ProjectionState } from './state.ts'
import { streamEnd } from './usage.ts'

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
  readonly #responses: Responses
  readonly #compactions: Compactions

  constructor(frame: EventFrame, state: ProjectionState) {
    this.#frame = frame
    this.#state = state
    this.#rows = new MessageRows(frame, state)
    this.#calls = new OpenCalls(state.calls)
    this.#responses = new Responses(this.#rows, this.#calls, state)
    this.#compactions = new Compactions(this.#rows, state)
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
        yield* this.#responses.dropStream(event)
        yield* this.#endTurn(data)
        return
      case 'step/end':
      case 'llm/retry-started':
        yield* this.#responses.dropStream(event)
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
        else yield* this.#compactions.checkpoint(event)
        return
      case 'assistant/message':
        if (!isReplacement) yield* this.#responses.message(event)
        return
      case 'assistant/chunk':
        this.#responses.chunk(data['chunk'])
        return
      case 'assistant/attempt':
        yield* this.#responses.attempt(event, streamEnd(data).usage)
        return
      case 'tool/call':
        yield* this.#rows.part(this.#calls.started(data, this.#state.turn, native.time))
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
        yield* this.#compactions.summary(event, 'compaction')
        return
      case 'compaction/prune':
      case 'compact/prune':
        yield* this.#compactions.summary(event, 'prune')
        return
      case 'compaction/end':
      case 'compact/end':
        yield* this.#compactions.end(event)
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
    const row = withParts({ ...message, isMeta: isInjected }, list.rows)
    yield* this.#rows.emit(row, list.rows)
    if (isInjected) return
    this.#state.prompt = row
    const line = textOf(body)
      ?.split(/\r?\n/)
      .find((text) => text.trim() !== '')
    if (this.#state.hasTitle || line === undefined) return
    yield this.#titled(clip(line.trim(), TITLE_CHARS), 'DERIVED')
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
    yield* this.#rows.emit(message, list.rows)
    yield* this.#rows.part(found?.row ?? null)
  }

  /** System prompts, and what the harness tells the model of its tools. The first prompt is empty, and replaced at once. */
  *#system(event: LoggedEvent): Generator<Item> {
    const body = messageOf(event.data)
    if (blocksOf(body).length === 0) return
    const { message, problems } = this.#rows.make('SYSTEM', event, body)
    yield* problems
    const list = new PartList(message.nativeId, event.record, true)
    list.blocks(body)
    yield* this.#rows.emit({ ...message, isMeta: true }, list.rows)
  }

  *#endTurn(data: JsonObject): Generator<Item> {
    const state = this.#state
    for (const row of this.#calls.interrupt()) yield* this.#rows.part(row)
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
    yield* this.#rows.part(call?.row ?? null)
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
}
