import type { ToolCallRow } from '../../model/rows.ts'
import { safeStringify } from '../../model/text.ts'
import { NeedsWholeReading } from './tree.ts'

/** A recent call, for its results. */
interface RecentCall {
  readonly id: string
  readonly pair: string
  /** What to give again with the result; null once it had one, and of a call that is too big to be carried to the next run. */
  readonly row: ToolCallRow | null
  readonly isTooBig: boolean
}

export type CallState = readonly RecentCall[]

/** Results come soon after their calls. */
const KEPT_CALLS = 64
/** What a call may add to a cursor. */
const KEPT_CHARS = 256 * 1024

/** The calls that were made last. */
export class Calls {
  #recent: RecentCall[]

  constructor(state: CallState) {
    this.#recent = [...state]
  }

  add(id: string, row: ToolCallRow): void {
    this.#recent.push({ id, pair: row.pair, row, isTooBig: false })
    if (this.#recent.length > KEPT_CALLS) this.#recent.shift()
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
