import { asCount, stringAt } from '../../model/json.ts'
import type { MessageRow } from '../../model/rows.ts'
import type { Item } from '../contract.ts'
import type { LoggedEvent } from './event.ts'
import { messageOf } from './message.ts'
import { type MessageRows, withParts } from './message-row.ts'
import type { OpenCalls } from './open-calls.ts'
import { PartList } from './parts.ts'
import type { ProjectionState } from './state.ts'
import { afterChunk, NO_END, streamEnd } from './usage.ts'

/** What the model answered: responses that made a message, and those that made none. */
export class Responses {
  readonly #rows: MessageRows
  readonly #calls: OpenCalls
  readonly #state: ProjectionState

  constructor(rows: MessageRows, calls: OpenCalls, state: ProjectionState) {
    this.#rows = rows
    this.#calls = calls
    this.#state = state
  }

  *message(event: LoggedEvent): Generator<Item> {
    const { data, record, native } = event
    const state = this.#state
    const body = messageOf(data)
    const { message, problems } = this.#rows.make('ASSISTANT', event, body)
    yield* problems
    // Chunks that were written before the message, as events or inside of it, sample what it states.
    const end = data['stream'] === undefined ? state.stream : streamEnd(data)
    state.stream = NO_END
    const usage = yield* this.#rows.usage(event, data['usage'] ?? end.usage)
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
    yield* this.#rows.emit(row, list.rows)
    for (const part of list.rows) if (part.kind === 'TOOL_CALL') this.#calls.add(part, turn)
  }

  /** A chunk that is an event of its own (generations 0 and 1). */
  chunk(chunk: unknown): void {
    this.#state.stream = afterChunk(this.#state.stream, chunk)
  }

  /** Chunks of a response that made no message: the provider billed it all the same. */
  *dropStream(event: LoggedEvent): Generator<Item> {
    const { usage, finish } = this.#state.stream
    this.#state.stream = NO_END
    if (usage !== null || finish !== null) yield* this.attempt(event, usage)
  }

  /** A response that was lost or given up is billed without a message. Its number in the turn is the same in all generations. */
  *attempt(event: LoggedEvent, stated: unknown): Generator<Item> {
    const state = this.#state
    const id = `attempt-${state.turn ?? 0}-${state.attempts}`
    state.attempts += 1
    const usage = yield* this.#rows.usage(event, stated)
    if (usage === null) return
    yield* this.#rows.billed(event, id, { usage, model: state.model, provider: state.provider })
  }
}
