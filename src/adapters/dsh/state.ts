import { asObject } from '../../model/json.ts'
import type { MessageRow, ToolCallRow } from '../../model/rows.ts'
import { safeStringify } from '../../model/text.ts'
import type { ResponseUsage } from '../../model/usage.ts'
import type { Header } from './header.ts'
import { NO_END, type StreamEnd } from './usage.ts'

/** A call of the turn, for its results. */
export interface OpenCall {
  readonly callId: string
  readonly turn: number | null
  readonly pair: string
  readonly name: string | null
  readonly category: ToolCallRow['category']
  /** Null once it has a result: then only a second result is still possible. */
  readonly row: ToolCallRow | null
  /** Its row is not carried to the next reading; what changes it then leads to a whole one. */
  readonly isTooBig?: true
}

/** A compaction whose checkpoint comes next. */
export interface Compaction {
  readonly seq: number
  readonly kind: 'compaction' | 'prune'
  readonly usage: ResponseUsage | null
  readonly model: string | null
  readonly provider: string | null
}

/** What projecting an event must know of the events before; nothing in it grows with their number. Plain JSON. */
export interface ProjectionState {
  turn: number | null
  /** Responses of the turn that gave no message. */
  attempts: number
  /** Of the request that runs: attempts don't name their model. */
  model: string | null
  provider: string | null
  /** Last response and prompt of the turn. */
  last: MessageRow | null
  prompt: MessageRow | null
  calls: OpenCall[]
  compaction: Compaction | null
  /** End of the stream of chunks that no message has taken up (generations 0 and 1). */
  stream: StreamEnd
  /** Short hashes of the latest native ids. */
  ids: string[]
  hasTitle: boolean
}

export const noEvents = (): ProjectionState => ({
  turn: null,
  attempts: 0,
  model: null,
  provider: null,
  last: null,
  prompt: null,
  calls: [],
  compaction: null,
  stream: NO_END,
  ids: [],
  hasTitle: false,
})

/** What a mapper must know of the rows before. */
export interface MapperState {
  header: Header | null
  /** Row and seq that come next. */
  record: number
  seq: number
  /** Damage, or a generation that is unknown: nothing more is read. */
  isEnded: boolean
  lastTime: number
  /** Of a log that marks where its inherited part ends: whether the mark came. */
  isSeedEnded: boolean
  hasDescriptor: boolean
  /** Newest message that was copied, and whether it was told to be the one at which the session was cut from its parent. */
  lastInherited: string | null
  isCutTold: boolean
  events: ProjectionState
}

export const START_STATE = (): MapperState => ({
  header: null,
  record: 0,
  seq: 0,
  isEnded: false,
  lastTime: 0,
  isSeedEnded: false,
  hasDescriptor: false,
  lastInherited: null,
  isCutTold: false,
  events: noEvents(),
})

/** Raised with every change of the state's form or meaning: older ones then lead to a whole reading. */
const FORM = 1

export const encodeState = (state: MapperState): string =>
  JSON.stringify([FORM, { ...state, events: { ...state.events, calls: state.events.calls.map(carried) } }])

/** What a call may add to a cursor. */
const KEPT_CHARS = 64 * 1024

function carried(call: OpenCall): OpenCall {
  const isTooBig = call.row !== null && (safeStringify(call.row)?.length ?? Number.POSITIVE_INFINITY) > KEPT_CHARS
  return isTooBig ? { ...call, row: null, isTooBig } : call
}

/** Null when nothing can go on from it. What this very form wrote is trusted. */
export function decodeState(text: string): MapperState | null {
  try {
    const fields: unknown = JSON.parse(text)
    if (!Array.isArray(fields) || fields[0] !== FORM) return null
    const state: unknown = fields[1]
    return isState(state) ? state : null
  } catch {
    return null
  }
}

const isState = (value: unknown): value is MapperState => {
  const state = asObject(value)
  return state !== null && Object.keys(START_STATE()).every((key) => key in state)
}

/** A row can't be told without the rows before the cursor. */
export class NeedsWholeReading extends Error {}
