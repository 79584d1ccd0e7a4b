import type { ToolCallRow } from '../../model/rows.ts'
import { safeStringify } from '../../model/text.ts'
import { NeedsWholeReading } from './tree.ts'

/** A recent call, for its results. */
interface RecentCall {
  readonly id: string
  readonly pair: string
  /** Null once it had its first result, and of a call that is too big to be carried to the next run. */
  readonly row: ToolCallRow | null
  /** It was given as it stood before any result. */
  readonly isGiven: boolean
  readonly isTooBig: boolean
}

export type CallState = readonly RecentCall[]

/** Results come soon after their calls. */
const KEPT_CALLS = 64
/** What a call may add to a cursor. */
const KEPT_CHARS = 256 * 1024

/**
 * The calls that were made last. A call is held back until its first result or the end of a reading, whichever comes first: a file that is
 * read once more then tells nothing twice.
 */
export class Calls {
  #recent: RecentCall[]

  constructor(state: CallState) {
    this.#recent = [...state]
  }

  /** Takes in a call; returns one that is held back no longer. */
  add(id: string, row: ToolCallRow): readonly ToolCallRow[] {
    this.#recent.push({ id, pair: row.pair, row, isGiven: false, isTooBig: false })
    const oldest = this.#recent.length > KEPT_CALLS ? this.#recent.shift() : undefined
    return oldest === undefined || oldest.row === null || oldest.isGiven ? [] : [oldest.row]
  }

  /** What was held back. */
  give(): readonly ToolCallRow[] {
    const held = this.#recent.flatMap(({ row, isGiven }) => (row === null || isGiven ? [] : [row]))
    this.#recent = this.#recent.map((call) => ({ ...call, isGiven: true }))
    return held
  }

  /** Whether another run can go on from `state`. */
  get isCarried(): boolean {
    return this.state.every(({ isTooBig, isGiven }) => !isTooBig || isGiven)
  }

  /** `pair` of the latest call of that id, and its row when this is its first result. */
  answer(id: string): { readonly pair: string; readonly row: ToolCallRow | null } | null {
    const at = this.#recent.findLastIndex((call) => call.id === id)
    const call = this.#recent[at]
    if (call === undefined) return null
    if (call.isTooBig) throw new NeedsWholeReading()
    this.#recent[at] = { ...call, row: null }
    return { pair: call.pair, row: call.row }
  }

  get state(): CallState {
    return this.#recent.map((call) => {
      const isTooBig = call.row !== null && (safeStringify(call.row)?.length ?? Number.POSITIVE_INFINITY) > KEPT_CHARS
      return isTooBig ? { ...call, row: null, isTooBig } : call
    })
  }
}
