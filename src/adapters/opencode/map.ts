import { asString, isObject, stringAt } from '../../model/json.ts'
import type { Problem, RecordRef } from '../../model/record.ts'
import type { SessionRow } from '../../model/rows.ts'
import { parseTime } from '../../model/time.ts'
import type { Item, Mapper } from '../contract.ts'
import { locationOf, placeOf, type UnitPlace } from './keys.ts'
import { type MessageDraft, mapMessage, type SessionContext } from './map-message.ts'
import { sessionRow, unnamedSession } from './map-session.ts'
import { unwrap, unwrapSession } from './unwrap.ts'

/**
 * Records of one session in, rows out. A message is held until all its parts are in: its rows depend on them.
 */
export class SessionMapper implements Mapper {
  readonly #sessionId: string
  readonly #place: UnitPlace
  #worktree: string | null = null
  #hasSession = false
  #context: SessionContext = { createdAt: null, projectId: null }
  #draft: MessageDraft | null = null

  constructor(sessionId: string, unitKey: string) {
    this.#sessionId = sessionId
    this.#place = placeOf(unitKey, sessionId)
  }

  *push(record: { readonly ref: RecordRef; readonly type: string; readonly json: unknown }): Iterable<Item> {
    const { ref, type, json } = record
    const [kind, subtype = ''] = type.split('/', 2)
    if (kind === 'project') this.#worktree = stringAt(json, 'worktree')
    else if (kind === 'session') yield this.#session(json)
    else if (kind === 'message') {
      yield* this.end()
      const data = unwrap(json)
      if (data !== null) this.#draft = { ref, id: idIn(ref, json), data, parts: [] }
    } else if (kind === 'part') yield* this.#part(ref, subtype, json)
  }

  *end(): Iterable<Item> {
    const draft = this.#draft
    this.#draft = null
    if (draft === null) return
    if (!this.#hasSession) yield this.#rowItem(unnamedSession(this.#place))
    const { rows, problems } = mapMessage(draft, this.#context)
    for (const { message, parts } of rows) {
      yield { kind: 'message', sessionId: this.#sessionId, message }
      for (const part of parts) yield { kind: 'part', sessionId: this.#sessionId, part }
    }
    for (const { ref, message } of problems) yield { kind: 'problem', problem: this.#problem(ref, message) }
  }

  #session(json: unknown): Item {
    const info = unwrapSession(json)
    this.#context = { createdAt: parseTime(info.created), projectId: info.projectId }
    return this.#rowItem(sessionRow(this.#sessionId, info, this.#worktree, this.#place))
  }

  #rowItem(session: SessionRow): Item {
    this.#hasSession = true
    return { kind: 'session', sessionId: this.#sessionId, session }
  }

  *#part(ref: RecordRef, subtype: string, json: unknown): Iterable<Item> {
    const data = unwrap(json)
    const messageId = stringAt(json, 'message_id') ?? stringAt(json, 'messageID') ?? messageOf(ref)
    if (data === null) return
    if (this.#draft?.id !== messageId) {
      yield* this.end()
      // Its message's record is damaged; what the part says is not lost with it.
      this.#draft = { ref: null, id: messageId, data: null, parts: [] }
    }
    this.#draft.parts.push({ ref, id: idIn(ref, json), type: asString(data['type']) ?? subtype, data })
  }

  #problem(ref: RecordRef, message: string): Problem {
    return { kind: 'SCHEMA', location: locationOf(this.#place, String(ref)), message, sessionId: this.#sessionId }
  }
}

const idIn = (ref: RecordRef, json: unknown): string =>
  (isObject(json) ? stringAt(json, 'id') : null) ?? String(ref).split('/').at(-1) ?? ''
const messageOf = (ref: RecordRef): string => String(ref).split('/')[1] ?? ''
