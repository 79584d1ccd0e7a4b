import { createHash } from 'node:crypto'
import type { MessageRole } from '../../model/enums.ts'
import { type JsonObject, stringAt } from '../../model/json.ts'
import { orderByPosition } from '../../model/order.ts'
import type { CopyTrace, MessageRow } from '../../model/rows.ts'
import type { Item } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import type { EventFrame, LoggedEvent } from './event.ts'
import type { ProjectionState } from './state.ts'

/** Latest ids that are known again: enough for writers that give every message the same id. */
const IDS_KEPT = 200

/** Makes the rows of messages, with nothing in them yet. */
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
