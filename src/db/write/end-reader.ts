import type { SessionEnding } from '../../model/activity.ts'
import { TOOL_CATEGORIES } from '../../model/enums.ts'
import { codeOf } from '../columns.ts'
import type { Store } from '../open.ts'

/** Messages at the end that are looked at: behind the last one that says something stand notes of the harness at most. */
const MOST_LOOKED_AT = 32

/** What agents ask leave for before they do it. */
const ASKED_FOR = ['SHELL', 'EDIT', 'WRITE'] as const

/** Stop reasons of answers that the model goes on from, in the words of the formats. */
const GOES_ON = new Set(['tool_use', 'tool-calls', 'tool_calls', 'toolUse', 'pause_turn'])

/** What failed because the person stopped it has not failed. */
const STOPPED = /abort|interrupt|cancel/i

interface LastMessage {
  readonly id: number
  readonly role: number
  readonly time: number
  readonly stopReason: string | null
  readonly error: string | null
  readonly hasUsage: number
}

/** Tells how a session ends, by a few rows at its end, whatever its length. */
export class EndReader {
  private readonly last
  private readonly lastBefore
  private readonly prompt
  private readonly running
  private readonly asking

  constructor(store: Store) {
    const { sqlite } = store
    // Two statements: SQLite would prepare one with an optional bound anew for every value of it.
    const last = (range: string) => `
      select id, role, time, stop_reason as stopReason, error, has_usage as hasUsage
      from (select * from messages where session_id = ? ${range} order by order_key desc limit ${MOST_LOOKED_AT})
      where is_on_active_path = 1 and is_removed = 0 and is_sidechain = 0 and is_billed_only = 0
        and (role in (2, 3) or (role = 1 and is_conversational = 1 and is_meta = 0))
      order by order_key desc limit 1`
    this.last = sqlite.prepare<[number], LastMessage>(last(''))
    this.lastBefore = sqlite.prepare<[number, string], LastMessage>(last('and order_key < ?'))
    this.prompt = sqlite.prepare<[number], { time: number }>(`
      select time from messages where session_id = ? and role = 1 and is_conversational = 1 and is_meta = 0
      order by order_key desc limit 1`)
    const asked = ASKED_FOR.map((category) => codeOf(TOOL_CATEGORIES, category)).join(', ')
    this.running = sqlite.prepare<[number], { isAskedFor: number | null }>(
      `select max(category in (${asked})) as isAskedFor from parts where session_id = ? and status = 0 and is_removed = 0`,
    )
    this.asking = sqlite.prepare<[number, number], { found: number }>(`
      select 1 as found from parts p where p.message_id = ? and p.kind = 5 and not exists (
        select 1 from messages m join parts r on r.message_id = m.id
        where m.session_id = ? and m.order_key >= (select order_key from messages where id = p.message_id) and r.kind = 6
          and json_extract(r.detail, '$.approvalId') = json_extract(p.detail, '$.approvalId'))
      limit 1`)
  }

  /** `revertedFromKey`: order key from which on the session was reverted. Null: it holds no message that says anything. */
  read(sessionId: number, revertedFromKey: string | null): { ending: SessionEnding; endedAt: number } | null {
    const last = revertedFromKey === null ? this.last.get(sessionId) : this.lastBefore.get(sessionId, revertedFromKey)
    if (last === undefined) return null
    const ending = this.endingOf(sessionId, last)
    const isOpen = ending === 'UNANSWERED' || ending === 'CALLING' || ending === 'CALLING_OR_ASKING'
    return { ending, endedAt: isOpen ? (this.prompt.get(sessionId)?.time ?? last.time) : last.time }
  }

  private endingOf(sessionId: number, last: LastMessage): SessionEnding {
    if (last.error !== null) return STOPPED.test(last.error) ? 'ANSWERED' : 'FAILED'
    if (this.asking.get(last.id, sessionId) !== undefined) return 'ASKING'
    const isAskedFor = this.running.get(sessionId)?.isAskedFor ?? null
    if (isAskedFor !== null) return isAskedFor === 1 ? 'CALLING_OR_ASKING' : 'CALLING'
    if (last.role !== 2) return 'UNANSWERED'
    if (last.stopReason !== null) return GOES_ON.has(last.stopReason) ? 'UNANSWERED' : 'ANSWERED'
    // Some formats tell no reason: then the usage comes with the end.
    return last.hasUsage === 1 ? 'ANSWERED' : 'UNANSWERED'
  }
}
