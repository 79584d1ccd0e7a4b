import { stringAt } from '../../model/json.ts'
import type { MessageRow } from '../../model/rows.ts'
import type { Item } from '../contract.ts'
import type { LoggedEvent } from './event.ts'
import { isCheckpoint, messageOf, textOf } from './message.ts'
import type { MessageRows } from './message-row.ts'
import { PartList } from './parts.ts'
import type { Compaction, ProjectionState } from './state.ts'

/** Compactions: a summary, and directly behind it the checkpoint that takes the place of a span. */
export class Compactions {
  readonly #rows: MessageRows
  readonly #state: ProjectionState

  constructor(rows: MessageRows, state: ProjectionState) {
    this.#rows = rows
    this.#state = state
  }

  *summary(event: LoggedEvent, kind: Compaction['kind']): Generator<Item> {
    const { native, data } = event
    const usage = yield* this.#rows.usage(event, data['usage'])
    const [model, provider] = [stringAt(data, 'model'), stringAt(data, 'provider')]
    this.#state.compaction = { seq: native.seq, kind, usage, model, provider }
  }

  /** The message that a replacement makes if it is a checkpoint; what it replaced stays (design §3.15). */
  *checkpoint(event: LoggedEvent): Generator<Item> {
    const body = messageOf(event.data)
    const last = this.#state.compaction
    const own = last !== null && last.seq === event.native.seq - 1 ? last : null
    if (own === null && !isCheckpoint(body)) return
    const { message, problems } = this.#rows.make('SYSTEM', event, body)
    yield* problems
    const list = new PartList(message.nativeId, event.record, true)
    list.text('text', textOf(body))
    const row: MessageRow = { ...message, compaction: own?.kind ?? 'compaction' }
    if (own === null) {
      yield* this.#rows.emit(row, list.rows)
      return
    }
    this.#state.compaction = null
    const { usage, model, provider } = own
    const copy = usage === null ? null : this.#rows.copyOf(message)
    yield* this.#rows.emit({ ...row, usage, model, provider, isResponse: usage !== null, copy }, list.rows)
  }

  /** A summary that nothing took up was billed all the same. */
  *end(event: LoggedEvent): Generator<Item> {
    const left = this.#state.compaction
    this.#state.compaction = null
    if (left !== null && left.usage !== null)
      yield* this.#rows.billed(event, `compaction-${stringAt(event.data, 'compactionId') ?? left.seq}`, left)
  }
}
