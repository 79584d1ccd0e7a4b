import { asObject, isObject, type JsonObject, stringAt } from '../../model/json.ts'
import type { Problem, RecordRef } from '../../model/record.ts'
import { type MessageRow, type SessionRow, UNKNOWN_SESSION } from '../../model/rows.ts'
import type { Item } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import type { ResumableMapper } from '../kit/jsonl-unit.ts'
import type { EventFrame } from './event.ts'
import { type Header, headerOf, isKnownVersion } from './header.ts'
import { memberData } from './packed.ts'
import { EventProjection } from './projection.ts'
import { rowOf } from './row.ts'
import { decodeState, encodeState, type MapperState, NeedsWholeReading, START_STATE } from './state.ts'

/** What a child says of itself. */
export interface Descriptor {
  readonly label: string | null
}

/**
 * Rows of one log to events and rows. The events are the journal itself: seqs have no gaps, so the first row that is damaged ends what is
 * read (design §4.7), here as in a mapping of archived records.
 */
export class DshMapper implements ResumableMapper {
  readonly #sessionId: string
  readonly #path: string
  readonly #state: MapperState
  readonly #projection: EventProjection
  /** Of a log that marks its inherited part: messages behind the last mark, as another mark may follow. Null when reading began later. */
  readonly #unmarked: Map<string, MessageRow> | null
  /** Problems that are of its own finding. */
  readonly said = new WeakSet<Problem>()
  /** Came in this reading. */
  descriptor: Descriptor | null = null

  constructor(sessionId: string, path: string, state: string | null) {
    this.#sessionId = sessionId
    this.#path = path
    const known = state === null ? START_STATE() : decodeState(state)
    if (known === null) throw new NeedsWholeReading()
    this.#state = known
    this.#unmarked = state === null ? new Map() : null
    const frame: EventFrame = {
      sessionId,
      parentId: () => this.#state.header?.parentId ?? null,
      isInherited: (seq) => this.#isInherited(seq),
      problem: (kind, record, message) => this.#problem(kind, record, message),
    }
    this.#projection = new EventProjection(frame, known.events)
  }

  *push({ ref, json }: { readonly ref: RecordRef; readonly type: string; readonly json: unknown }): Generator<Item> {
    const state = this.#state
    if (state.isEnded || typeof ref !== 'number') return
    // A row before this one could not be read: whoever read it has said so.
    if (ref !== state.record || !isObject(json)) {
      state.isEnded = true
      return
    }
    state.record += 1
    if (ref === 0) yield* this.#header(json)
    else yield* this.#row(ref, json)
  }

  *end(): Generator<Item> {}

  state(): string {
    return encodeState(this.#state)
  }

  get isEnded(): boolean {
    return this.#state.isEnded
  }

  get header(): Header | null {
    return this.#state.header
  }

  /** A row can't be read: nothing behind it is. */
  stop(): void {
    this.#state.isEnded = true
  }

  *#header(json: JsonObject): Generator<Item> {
    const state = this.#state
    const header = headerOf(json)
    if (header === null) {
      yield this.#damage(0, 'It is no header of a session.')
      return
    }
    state.header = header
    state.lastTime = header.createdAt ?? 0
    yield { kind: 'session', sessionId: this.#sessionId, session: this.#session(header) }
    if (header.createdAt === null) yield this.#problem('SCHEMA', 0, 'The session names no time of its creation.')
    if (isKnownVersion(header.version)) return
    state.isEnded = true
    const message = `Logs of generation ${header.version} are unknown, 0 to 4 are read: its rows are kept and not shown.`
    yield this.#problem('UNSUPPORTED', 0, message)
  }

  #session({ createdAt, cwd, parentId, isSubagent }: Header): SessionRow {
    const parent = parentId === null || parentId === this.#sessionId || !isSafeId(parentId) ? null : parentId
    return {
      ...UNKNOWN_SESSION,
      kind: isSubagent ? 'SUBAGENT' : 'MAIN',
      agent: isSubagent ? 'dsh/subagent' : 'dsh',
      projectPath: cwd,
      parentNativeId: parent,
      relation: parent === null ? null : isSubagent ? 'SPAWN' : 'FORK',
      createdAt: createdAt === null ? null : { ms: createdAt, origin: 'RECORDED' },
      record: 0,
    }
  }

  *#row(record: number, json: JsonObject): Generator<Item> {
    const state = this.#state
    const version = state.header?.version ?? 0
    const row = rowOf(json, { record, seq: state.seq, version, lastTime: state.lastTime })
    if ('fault' in row) {
      yield this.#damage(record, row.fault)
      return
    }
    if (row.oddFields.length > 0)
      yield this.#problem('SCHEMA', record, `These fields hold nothing that can be read: ${row.oddFields.join(', ')}.`)
    const { events } = row
    state.seq += events.length
    state.lastTime = events.at(-1)?.time ?? state.lastTime
    for (const native of events) yield { kind: 'event', sessionId: this.#sessionId, event: native }
    for (const [k, native] of events.entries()) {
      const data = events.length > 1 || native.citation.place !== 'data' ? memberData(json, k) : asObject(json['data'])
      if (data === null) continue
      yield* this.#marks(native.type, data)
      for (const item of this.#projection.push({ native, data, record })) {
        if (item.kind === 'message' && state.header?.inherited === 'marked')
          this.#unmarked?.set(item.message.nativeId, item.message)
        yield item
        if (item.kind === 'message' && item.message.isBilledOnly !== true) yield* this.#cut(item.message)
      }
    }
  }

  /** Events about the session's beginnings. */
  *#marks(type: string, data: JsonObject): Generator<Item> {
    const state = this.#state
    if (type === 'session/end-seed' && data['inherited'] === true && state.header?.inherited === 'marked') {
      if (state.isSeedEnded) yield* this.#inherit()
      state.isSeedEnded = true
      this.#unmarked?.clear()
    }
    if (type !== 'subagent/descriptor' || state.hasDescriptor || this.#isInherited(state.seq - 1)) return
    state.hasDescriptor = true
    this.descriptor = { label: stringAt(data, 'label') }
    const persona = stringAt(data, 'persona')
    if (persona === null || state.header?.isSubagent !== true) return
    const session: SessionRow = { ...UNKNOWN_SESSION, agent: `dsh/${persona}` }
    yield { kind: 'session', sessionId: this.#sessionId, session }
  }

  /** A fork of a fork: what stands between the two marks was copied, too. */
  *#inherit(): Generator<Item> {
    if (this.#unmarked === null) throw new NeedsWholeReading()
    for (const message of this.#unmarked.values()) {
      const copy = message.copy === null ? null : { ...message.copy, origin: this.#state.header?.parentId ?? null }
      yield { kind: 'message', sessionId: this.#sessionId, message: { ...message, isInherited: true, copy } }
      if (message.isBilledOnly !== true) yield* this.#cut({ ...message, isInherited: true })
    }
  }

  /** The last message that was copied is where the session was cut from its parent. */
  *#cut({ nativeId, isInherited }: MessageRow): Generator<Item> {
    const state = this.#state
    if (isInherited) {
      state.lastInherited = nativeId
      state.isCutTold = false
    } else if (state.lastInherited !== null && !state.isCutTold) {
      state.isCutTold = true
      const session: SessionRow = { ...UNKNOWN_SESSION, parentMessageNativeId: state.lastInherited }
      yield { kind: 'session', sessionId: this.#sessionId, session }
    }
  }

  #isInherited(seq: number): boolean {
    const { header, isSeedEnded } = this.#state
    if (header === null) return false
    return header.inherited === 'marked' ? !isSeedEnded : seq < header.inherited
  }

  #damage(record: number, fault: string): Item {
    this.#state.isEnded = true
    return this.#problem('SCHEMA', record, behindDamage(fault))
  }

  #problem(kind: Problem['kind'], record: number, message: string): Item {
    const location = `${this.#path}:${record + 1}`
    const problem: Problem = { kind, location, message, sessionId: this.#sessionId }
    this.said.add(problem)
    return { kind: 'problem', problem }
  }
}

/** What is wrong with a row, and what that means for those behind it. */
export const behindDamage = (fault: string): string =>
  `${fault} The session is read up to here: rows have no gaps. This one and those behind it are kept as records.`
