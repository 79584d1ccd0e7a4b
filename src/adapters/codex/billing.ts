import type { MessageRow, PartRow } from '../../model/rows.ts'
import type { ResponseUsage } from '../../model/usage.ts'
import type { Item } from '../contract.ts'
import type { Context } from './context.ts'
import { uuidTime } from './rollout-name.ts'
import { sumOf } from './usage.ts'

/**
 * Which message carries what a response cost. New versions write it behind the response's items, old ones before them: it belongs to
 * the latest message of the model that wasn't counted, else to the next one, else, when none comes in this turn, to the one before.
 */
export class Billing {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** A message of the model. */
  *assistant(message: MessageRow, parts: readonly PartRow[]): Generator<Item> {
    const { state } = this.#context
    if (state.last !== null && state.last.orderKey > message.orderKey) {
      // Read late, from an event whose item never came.
      yield* this.#context.emit(message, parts)
      return
    }
    const { pending } = state
    yield* this.#unlend()
    state.pending = null
    state.isUncounted = pending === null
    state.last = pending === null ? message : this.#billed(message, pending.usage, pending.key)
    state.isLastOfTurn = true
    state.said = []
    yield* this.#context.emit(state.last, parts)
  }

  /** One billed response; `key` names it where the record does. */
  *bill(usage: ResponseUsage, key: string | null): Generator<Item> {
    const { state } = this.#context
    if (state.isUncounted && state.isLastOfTurn && state.last !== null) {
      state.isUncounted = false
      yield* this.#onLast(usage, key)
      return
    }
    yield* this.settle()
    const sum = state.pending === null ? usage : sumOf(state.pending.usage, usage)
    state.pending = { usage: sum, key }
  }

  /** The message is what the response that waits came to: a compaction. */
  *claim(message: MessageRow, parts: readonly PartRow[]): Generator<Item> {
    const { state } = this.#context
    const { pending } = state
    yield* this.#unlend()
    state.pending = null
    const row =
      pending === null ? message : this.#billed({ ...message, model: state.model }, pending.usage, pending.key)
    yield* this.#context.emit(row, parts)
  }

  /** No message comes for what waits: it goes to the one before. */
  *settle(): Generator<Item> {
    const { state } = this.#context
    const { pending } = state
    if (pending === null || state.last === null) return
    state.pending = null
    state.isLent = false
    yield* this.#onLast(pending.usage, pending.key)
  }

  /** Shows what waits on the message before, until it is known where it belongs. */
  *lend(): Generator<Item> {
    const { state } = this.#context
    const { pending, last } = state
    if (pending === null || last === null) return
    state.isLent = true
    yield* this.#context.emit(this.#billed(last, pending.usage, pending.key), [])
  }

  *#unlend(): Generator<Item> {
    const { state } = this.#context
    if (!state.isLent || state.last === null) return
    state.isLent = false
    yield* this.#context.emit(state.last, [])
  }

  *#onLast(usage: ResponseUsage, key: string | null): Generator<Item> {
    const { state } = this.#context
    if (state.last === null) return
    state.last = this.#billed(state.last, usage, key)
    yield* this.#context.emit(state.last, [])
  }

  #billed(message: MessageRow, usage: ResponseUsage, key: string | null): MessageRow {
    return {
      ...message,
      usage: sumOf(message.usage, usage),
      isResponse: true,
      copy: message.copy ?? (key === null ? null : { key, rule: 'evidence', origin: this.#origin(message) }),
    }
  }

  /** The thread that a copied response was first in: the closest ancestor that is older than its turn. */
  #origin({ isInherited }: MessageRow): string | null {
    const { metas, turnId } = this.#context.state
    const ancestors = metas.slice(1)
    const turn = uuidTime(turnId)
    if (!isInherited) return null
    return ancestors.find((id) => turn !== null && (uuidTime(id) ?? turn + 1) <= turn) ?? ancestors[0] ?? null
  }
}
