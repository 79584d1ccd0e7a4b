import type { MessageRole } from '../../model/enums.ts'
import { asString, type JsonObject } from '../../model/json.ts'
import { orderByPosition } from '../../model/order.ts'
import { type MessageRow, type PartRow, type SessionRow, UNKNOWN_SESSION } from '../../model/rows.ts'
import type { Item } from '../contract.ts'
import type { Line } from './line.ts'
import { fileNumber, parseName, type RolloutName, uuidTime } from './rollout-name.ts'
import { mergedSession } from './session-row.ts'
import { keepNewest, type State, shortHash } from './state.ts'

/** A message as a whole reading remembers it. */
export interface Outlined {
  readonly id: string
  readonly ordinal: number | null
  isPrompt: boolean
}

/** Latest ids that are known again: enough for servers that give every item the same id. */
const IDS_KEPT = 200

/** What the pieces of the mapping share: the state, and how rows of this rollout are made. */
export class Context {
  readonly sessionId: string
  readonly name: RolloutName
  readonly state: State
  /** Messages so far, oldest first; null when reading began in the middle. */
  readonly outline: Map<string, Outlined> | null
  readonly #file: number
  readonly #prefix: string

  constructor(sessionId: string, unitKey: string, state: State, isWhole: boolean) {
    this.sessionId = sessionId
    this.name = parseName(unitKey.slice(unitKey.lastIndexOf('#') + 1))
    this.state = state
    this.outline = isWhole ? new Map() : null
    this.#file = fileNumber(this.name)
    this.#prefix = this.name.isLater ? `${this.name.rolloutId}:` : ''
  }

  /** A row with nothing in it yet; `ownId` is the item's, where it has one. */
  message(role: MessageRole, at: number, line: Line, ownId: unknown): MessageRow {
    const { state } = this
    const time = line.time ?? state.createdAt ?? uuidTime(this.name.rolloutId) ?? 0
    const message: MessageRow = {
      nativeId: this.#claim(asString(ownId), at),
      orderKey: orderByPosition(this.#file, at),
      role,
      time: { ms: time, origin: line.time === null ? 'SESSION_START' : 'RECORDED' },
      parentNativeId: null,
      model: role === 'ASSISTANT' ? state.model : null,
      provider: role === 'ASSISTANT' ? state.provider : null,
      isMeta: role === 'SYSTEM',
      isSidechain: false,
      isOnActivePath: true,
      isInherited: state.isInPrefix,
      copy: null,
      agentId: null,
      stopReason: null,
      error: null,
      usage: null,
      isResponse: false,
      turnDurationMs: null,
      cwd: state.cwd,
      skill: null,
      compaction: null,
      records: [at],
      partIds: [],
    }
    this.outline?.set(message.nativeId, { id: message.nativeId, ordinal: line.ordinal, isPrompt: false })
    return message
  }

  /** Whether an id is new; it is known from now on. */
  isNew(id: string): boolean {
    const { ids } = this.state
    const hash = shortHash(id)
    const known = ids.indexOf(hash)
    if (known >= 0) ids.splice(known, 1)
    ids.push(hash)
    keepNewest(ids, IDS_KEPT)
    return known < 0
  }

  /** The source's own id, unless it gave it to something else before: then the position. */
  #claim(own: string | null, at: number): string {
    const isOwn = own !== null && own !== '' && !/^\d+$/.test(own) && this.isNew(own)
    return isOwn ? own : `${this.#prefix}${at}`
  }

  *emit(message: MessageRow, parts: readonly PartRow[]): Generator<Item> {
    const { sessionId } = this
    yield { kind: 'message', sessionId, message }
    for (const part of parts) yield { kind: 'part', sessionId, part }
  }

  /** The session with what a line adds to it. */
  session(row: Partial<SessionRow>): Item {
    const session = mergedSession(this.state.session ?? UNKNOWN_SESSION, row)
    this.state.session = session
    return { kind: 'session', sessionId: this.sessionId, session }
  }
}

export const withParts = (message: MessageRow, parts: readonly PartRow[]): MessageRow => ({
  ...message,
  partIds: parts.map(({ nativeId }) => nativeId),
})

export const idOf = (payload: JsonObject): unknown => payload['id']
