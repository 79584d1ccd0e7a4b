import { asCount, type JsonObject, stringAt } from '../../model/json.ts'
import type { ToolCallRow } from '../../model/rows.ts'
import { answered } from './call.ts'
import { NeedsWholeReading, type OpenCall } from './state.ts'

/** Calls that may still be answered, and answered ones that may be again. */
const KEPT = 64

/** The calls that were made last. The harness tells them apart by turn and id: providers use short ids again and again. */
export class OpenCalls {
  readonly #calls: OpenCall[]

  /** `calls` is the state, and is kept up to date. */
  constructor(calls: OpenCall[]) {
    this.#calls = calls
  }

  /** What ties a new call to its results, unique in the session. */
  pairOf(turn: number | null, callId: string | null, seq: number): string {
    const pair = `${turn ?? ''}/${callId ?? seq}`
    return this.#calls.some((call) => call.pair === pair) ? `${pair}/${seq}` : pair
  }

  add(row: ToolCallRow, turn: number | null): void {
    if (row.callId === null) return
    this.#calls.push({ callId: row.callId, turn, pair: row.pair, name: row.name, category: row.category, row })
    if (this.#calls.length > KEPT) this.#calls.shift()
  }

  /** The call that `data` names, once it runs. */
  started(data: JsonObject, turn: number | null, time: number): ToolCallRow | null {
    const at = this.#find(stringAt(data, 'callId'), asCount(data['turn']) ?? turn)
    return this.#change(at, (row) => ({ ...row, startedAt: row.startedAt ?? time }))
  }

  /** The call that a result answers, and its row when this is the first. */
  answer(callId: string | null, turn: number | null, isFailure: boolean | null, time: number) {
    const at = this.#find(callId, turn)
    const call = this.#calls[at]
    if (call === undefined) return null
    if (call.isTooBig) throw new NeedsWholeReading()
    const row = call.row === null ? null : answered(call.row, isFailure, time)
    this.#calls[at] = { ...call, row: null }
    return { call, row }
  }

  /** The turn ended: what still runs was interrupted. */
  interrupt(): readonly ToolCallRow[] {
    return this.#calls.flatMap(({ row, isTooBig }, at) =>
      row?.status === 'RUNNING' || isTooBig
        ? (this.#change(at, (old) => ({ ...old, status: 'INTERRUPTED' })) ?? [])
        : [],
    )
  }

  /** The call that delegated to a child of this label. */
  delegate(childId: string, label: string | null): { readonly pair: string; readonly row: ToolCallRow | null } | null {
    const at = this.#calls.findLastIndex(
      ({ name, row, isTooBig }) =>
        isTooBig || (row !== null && isDelegation(name) && stringAt(row.params, 'description') === label),
    )
    const call = this.#calls[at]
    if (call === undefined) return null
    return { pair: call.pair, row: this.#change(at, (row) => ({ ...row, childNativeId: childId })) }
  }

  #change(at: number, change: (row: ToolCallRow) => ToolCallRow): ToolCallRow | null {
    const call = this.#calls[at]
    if (call?.isTooBig) throw new NeedsWholeReading()
    if (call === undefined || call.row === null) return null
    const row = change(call.row)
    this.#calls[at] = { ...call, row }
    return row
  }

  #find(callId: string | null, turn: number | null): number {
    const isIt = (call: OpenCall): boolean => call.callId === callId && (turn === null || call.turn === turn)
    const open = this.#calls.findIndex((call) => isIt(call) && (call.row !== null || call.isTooBig))
    return open >= 0 ? open : this.#calls.findLastIndex(isIt)
  }
}

/** `subagent`, `subagent_fork`. */
export const isDelegation = (tool: string | null): boolean => tool?.startsWith('subagent') === true
