import { asObject, asString, type JsonObject, stringAt } from '../../model/json.ts'
import type { Problem, RecordRef } from '../../model/record.ts'
import type { Item } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import type { ResumableMapper } from '../kit/jsonl-unit.ts'
import { Calls } from './calls.ts'
import { type Entry, entryOf, headerOf, nameOf } from './line.ts'
import { isMessage, mapMessage } from './map-message.ts'
import { type SessionFacts, sessionRow } from './map-session.ts'
import { decodeState, encodeState, type MapperState, START } from './state.ts'
import { subagentsIn } from './subagents.ts'
import { NeedsWholeReading, Tree } from './tree.ts'

/** Lines of one file to rows. It knows the whole tree in a reading from the start, else its leaf; throws `NeedsWholeReading` when that won't do. */
export class PiMapper implements ResumableMapper {
  readonly #sessionId: string
  readonly #path: string
  readonly #tree: Tree
  readonly #calls: Calls
  #facts: SessionFacts
  /** Position of the last line. */
  #last: number
  /** A session was told of. */
  #isTold: boolean
  /** The lane (version 4) whose leaf is the session's. */
  #lane: string | null
  #isEnded = false

  constructor(sessionId: string, path: string, state: string | null) {
    this.#sessionId = sessionId
    this.#path = path
    const known: MapperState | null = state === null ? START : decodeState(state)
    if (known === null) throw new NeedsWholeReading()
    this.#tree = new Tree(known.leaf, state === null)
    this.#calls = new Calls(known.calls)
    this.#facts = known.facts
    this.#last = known.last
    this.#isTold = known.isTold
    this.#lane = known.lane
  }

  *push({ ref, json }: { readonly ref: RecordRef; readonly type: string; readonly json: unknown }): Generator<Item> {
    const position = typeof ref === 'number' ? ref : this.#last + 1
    const line = asObject(json)
    if (position > this.#last + 1 || line === null) this.#tree.skip()
    this.#last = position
    if (line === null) return
    const entry = entryOf(line)
    if (!this.#isTold || nameOf(line) !== null) yield* this.#session(line, position)
    if (line['kind'] === 'lane') this.#moveLane(line)
    if (entry !== null && headerOf(line) === null) yield* this.#entry(entry, position)
  }

  /** Calls without a result; only a reading from the start knows what is off the path. */
  *end(): Generator<Item> {
    this.#isEnded = true
    for (const part of this.#calls.give()) yield { kind: 'part', sessionId: this.#sessionId, part }
    if (!this.#tree.isWhole || !this.#isTold) return
    yield { kind: 'off-path', sessionId: this.#sessionId, messageIds: this.#tree.offPath() }
  }

  state(): string {
    return encodeState({
      leaf: this.#tree.leaf,
      calls: this.#calls.state,
      facts: this.#facts,
      last: this.#last,
      isTold: this.#isTold,
      lane: this.#lane,
      // What a reading that stops here has not said of its branches, the next one can't know.
      isUsable: (this.#isEnded || !this.#tree.hasBranch) && this.#calls.isCarried,
    })
  }

  *#session(line: JsonObject, position: number): Generator<Item> {
    const header = this.#isTold ? null : headerOf(line)
    if (header !== null) {
      const { createdAt, cwd, parentId } = header
      this.#facts = { ...this.#facts, createdAt, cwd, parentId, record: position }
    }
    this.#facts = { ...this.#facts, name: nameOf(line) ?? this.#facts.name }
    this.#isTold = true
    yield { kind: 'session', sessionId: this.#sessionId, session: sessionRow(this.#facts, this.#path) }
  }

  *#entry(entry: Entry, position: number): Generator<Item> {
    const isHostile = entry.id !== null && !isSafeId(entry.id)
    const messageId = isMessage(entry) && !isHostile ? (entry.id ?? `#${position}`) : null
    const parentId = this.#tree.add(entry.id, entry.parentId, messageId)
    if (isHostile)
      yield this.#problem('HOSTILE_ID', position, 'This id could name a file elsewhere; the line makes no message.')
    if (messageId === null) return
    const { message, parts, oddFields } = mapMessage(entry, messageId, position, parentId, this.#facts, this.#calls)
    const sessionId = this.#sessionId
    if (entry.time === null)
      yield this.#problem('SCHEMA', position, 'Its time is none; the start of its session stands in for it.')
    if (oddFields.length > 0)
      yield this.#problem('SCHEMA', position, `These fields hold no counts: ${oddFields.join(', ')}.`)
    yield { kind: 'message', sessionId, message }
    for (const part of parts) yield { kind: 'part', sessionId, part }
    for (const part of parts)
      if (part.kind === 'TOOL_RESULT')
        for (const subagent of subagentsIn(asObject(entry.body['message']) ?? {}, part.pair))
          yield { kind: 'subagent', sessionId, subagent }
  }

  /** The first lane is the session's own; others are of work beside it. */
  #moveLane(line: JsonObject): void {
    const lane = asString(line['lane'])
    this.#lane ??= lane
    if (lane === this.#lane && line['leafId'] !== undefined) this.#tree.moveTo(stringAt(line, 'leafId'))
  }

  #problem(kind: Problem['kind'], position: number, message: string): Item {
    const location = `${this.#path}:${position + 1}`
    return { kind: 'problem', problem: { kind, location, message, sessionId: this.#sessionId } }
  }
}
