import { asString } from '../../model/json.ts'
import type { MessageRow, PartRow } from '../../model/rows.ts'
import type { Item } from '../contract.ts'
import type { Billing } from './billing.ts'
import { type Context, idOf, withParts } from './context.ts'
import type { Line } from './line.ts'
import { blockParts, blocksOf, eventText, partBase, reasoningText, textOfBlock } from './message-parts.ts'
import { type HeardText, keepNewest, shortHash } from './state.ts'

const KEPT = 16

/**
 * What the model said and thought. It is told twice, by an event and by an item; the item is the truth. An event without an item is a
 * message where there are events only; beside items it is what an interrupted answer left, or the harness's own word: shown as data.
 */
export class Answers {
  readonly #context: Context
  readonly #billing: Billing

  constructor(context: Context, billing: Billing) {
    this.#context = context
    this.#billing = billing
  }

  *item(at: number, line: Line): Generator<Item> {
    const { state } = this.#context
    const { payload } = line
    const text = blocksOf(payload)
      .map(textOfBlock)
      .filter((found) => found !== null)
      .join('\n')
    const id = asString(idOf(payload))
    const heard = state.heard.find((known) => known.text === text || (id !== null && known.message.nativeId === id))
    if (heard === undefined) {
      state.answered.push(shortHash(text))
      keepNewest(state.answered, KEPT)
    } else state.heard = state.heard.filter((known) => known !== heard)
    const message: MessageRow =
      heard === undefined
        ? this.#context.message('ASSISTANT', at, line, id)
        : { ...heard.message, records: [...heard.message.records, at] }
    const place = { messageId: message.nativeId, record: at, prefix: 'block:' }
    const parts = blockParts(blocksOf(payload), place, 0, () => 'CONVERSATIONAL')
    yield* this.#billing.assistant(withParts({ ...message, model: state.model }, parts), parts)
  }

  *event(at: number, line: Line): Generator<Item> {
    const { state } = this.#context
    const text = eventText(line.payload)
    if (text === null) return
    const hash = shortHash(text)
    if (state.answered.includes(hash)) {
      state.answered = state.answered.filter((known) => known !== hash)
      return
    }
    if (state.heard.length >= KEPT) yield* this.flush()
    state.heard.push(this.#heard(at, line, text))
    // A turn in which only events tell what happened needs no waiting for items.
    if (!state.hasItems) yield* this.flush()
  }

  *reasoning(at: number, line: Line): Generator<Item> {
    const message = this.#context.message('ASSISTANT', at, line, idOf(line.payload))
    const text = reasoningText(line.payload)
    const base = partBase({ messageId: message.nativeId, record: at }, 0, 'reasoning')
    const part: PartRow = { ...base, kind: 'REASONING', provenance: 'CONVERSATIONAL', text }
    yield* this.#billing.assistant(withParts(message, [part]), [part])
  }

  *thought(at: number, line: Line): Generator<Item> {
    const { state } = this.#context
    const text = eventText(line.payload)
    if (text === null || state.hasItems) return
    const { message } = this.#heard(at, line, text)
    const base = partBase({ messageId: message.nativeId, record: at }, 0, 'event')
    const part: PartRow = { ...base, kind: 'REASONING', provenance: 'CONVERSATIONAL', text }
    yield* this.#billing.assistant(withParts(message, [part]), [part])
  }

  #heard(at: number, line: Line, text: string): HeardText {
    const item = line.payload['item']
    const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : null
    return { text, payload: line.payload, message: this.#context.message('ASSISTANT', at, line, id) }
  }

  /** No item comes any more for what was heard. */
  *flush(): Generator<Item> {
    const { state } = this.#context
    const { heard } = state
    state.heard = []
    for (const { text, payload, message } of heard) {
      const [record = 0] = message.records
      const base = partBase({ messageId: message.nativeId, record: Number(record) }, 0, 'event')
      const part: PartRow = state.hasItems
        ? {
            ...base,
            nativeId: `${message.nativeId}:event`,
            citation: { ...base.citation, place: 'data' },
            kind: 'DATA',
            provenance: 'CONVERSATIONAL',
            dataType: 'agent_message',
            label: text,
            data: payload,
          }
        : { ...base, kind: 'TEXT', provenance: 'CONVERSATIONAL', text }
      yield* this.#billing.assistant(withParts({ ...message, model: state.model }, [part]), [part])
    }
  }
}
