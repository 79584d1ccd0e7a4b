import { createHash } from 'node:crypto'
import type { MessageRole } from '../../model/enums.ts'
import { type JsonObject, stringAt } from '../../model/json.ts'
import { orderByPosition } from '../../model/order.ts'
import type { CopyTrace, MessageRow, PartRow } from '../../model/rows.ts'
import type { ResponseUsage } from '../../model/usage.ts'
import type { Item } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import type { EventFrame, LoggedEvent } from './event.ts'
import type { ProjectionState } from './state.ts'
import { usageOf } from './usage.ts'

/** Latest ids that are known again: enough for writers that give every message the same id. */
const IDS_KEPT = 200

/** Makes the rows of messages, and gives them out. */
export class MessageRows {
  readonly #frame: EventFrame
  readonly #state: ProjectionState

  constructor(frame: EventFrame, state: ProjectionState) {
    this.#frame = frame
    this.#state = state
  }

  make(role: MessageRole, event: LoggedEvent, body: JsonObject): { message: MessageRow; problems: readonly Item[] } {
    const { native, record } = event
    const id = stringAt(body, 'id')
    const isHostile = id !== null && !isSafeId(id)
    const standIn = `${this.#frame.sessionId}:${native.seq}`
    const nativeId = id === null || isHostile ? standIn : this.#claim(id, native.seq)
    const message: MessageRow = {
      nativeId,
      orderKey: orderByPosition(0, record),
      role,
      time: { ms: native.time, origin: 'RECORDED' },
      parentNativeId: null,
      model: null,
      provider: null,
      isMeta: false,
      isSidechain: false,
      isOnActivePath: true,
      isInherited: this.#frame.isInherited(native.seq),
      copy: null,
      agentId: null,
      stopReason: null,
      error: null,
      usage: null,
      isResponse: false,
      turnDurationMs: null,
      cwd: null,
      skill: null,
      compaction: null,
      records: [record],
      partIds: null,
    }
    const text = 'The id of this message could name a file elsewhere; its place stands in.'
    return { message, problems: isHostile ? [this.#frame.problem('HOSTILE_ID', record, text)] : [] }
  }

  /** Copies keep id and time; only those of an inherited part are any. */
  copyOf({ nativeId, time, isInherited }: MessageRow): CopyTrace {
    return { key: `${nativeId}/${time.ms}`, rule: 'evidence', origin: isInherited ? this.#frame.parentId() : null }
  }

  /** A message with all of its parts. */
  *emit(message: MessageRow, parts: readonly PartRow[]): Generator<Item> {
    const { sessionId } = this.#frame
    yield { kind: 'message', sessionId, message: withParts(message, parts) }
    for (const part of parts) yield { kind: 'part', sessionId, part }
  }

  /** A part that changed, where there is one. */
  *part(part: PartRow | null): Generator<Item> {
    if (part !== null) yield { kind: 'part', sessionId: this.#frame.sessionId, part }
  }

  /** The usage that an event states, and what is odd about it. */
  *usage({ record }: LoggedEvent, stated: unknown): Generator<Item, ResponseUsage | null> {
    const { usage, oddFields } = usageOf(stated)
    if (oddFields.length > 0)
      yield this.#frame.problem('SCHEMA', record, `These fields of its usage hold no counts: ${oddFields.join(', ')}.`)
    return usage
  }

  /** A response that made no message. */
  *billed(event: LoggedEvent, id: string, response: Pick<MessageRow, 'usage' | 'model' | 'provider'>): Generator<Item> {
    const { message } = this.make('ASSISTANT', event, { id })
    const { usage, model, provider } = response
    const copy = this.copyOf(message)
    yield* this.emit({ ...message, usage, model, provider, copy, isResponse: true, isBilledOnly: true }, [])
  }

  /** The id, or one of its own for a message with an id that was just used. */
  #claim(id: string, seq: number): string {
    const { ids } = this.#state
    const hash = createHash('sha256').update(id).digest('base64url').slice(0, 10)
    if (ids.includes(hash)) return `${id}~${seq}`
    ids.push(hash)
    if (ids.length > IDS_KEPT) ids.shift()
    return id
  }
}

/** A message with the list of its parts. */
export const withParts = (message: MessageRow, parts: readonly PartRow[]): MessageRow => ({
  ...message,
  partIds: parts.map(({ nativeId }) => nativeId),
})
