import { asCount, asString, isObject, stringAt } from '../../model/json.ts'
import type { RecordRef } from '../../model/record.ts'
import { NO_TOKENS, totalTokens } from '../../model/usage.ts'
import type { Item } from '../contract.ts'
import type { ResumableMapper } from '../kit/jsonl-unit.ts'
import { type Branch, leftBehind } from './branches.ts'
import { observe } from './facts.ts'
import { foundLeaf, leafTitle } from './leaf-title.ts'
import { contentOf, isResultBlock, type Line, lineOf } from './line.ts'
import { mapAssistant } from './map-assistant.ts'
import { holdsOnlyResults, type MappedMessage, mapUser, splitResults } from './map-user.ts'
import { isInlineSidechain, messageRow } from './message-row.ts'
import { printOf } from './print.ts'
import { answered } from './results.ts'
import { nameOf, type SessionName } from './session-id.ts'
import { sessionRow } from './session-row.ts'
import { ownAccount, startedBy } from './spawned.ts'
import { State, WholeReadingNeeded } from './state.ts'
import type { NodeKind } from './tree.ts'

export interface MapperOptions {
  readonly sessionId: string
  /** The transcript. */
  readonly path: string
  /** State of a mapper that read the lines before; null: these are the first. */
  readonly state: string | null
  /** Whether the session may have a better name for its agent than this transcript can give. */
  readonly isKnown: boolean
}

/** Lines of one transcript in, rows out. */
export class TranscriptMapper implements ResumableMapper {
  readonly #name: SessionName
  readonly #path: string
  readonly #state: State
  readonly #branches: Branch[] = []
  readonly #agent: string | null
  #hasLines = false
  #hasMessages = false

  constructor({ sessionId, path, state, isKnown }: MapperOptions) {
    this.#name = nameOf(sessionId)
    this.#path = path
    this.#state = State.open(state)
    this.#agent = isKnown ? null : 'claude-code/subagent'
  }

  state(): string {
    return this.#state.encode()
  }

  *push(record: { readonly ref: RecordRef; readonly type: string; readonly json: unknown }): Iterable<Item> {
    if (!isObject(record.json)) return
    const line = lineOf(record.ref, record.json)
    this.#hasLines = true
    observe(this.#state, line, this.#name)
    if (line.type === 'user' || line.type === 'assistant') yield* this.#message(line)
    else {
      yield* this.#other(line)
      if (line.uuid !== null && this.#state.tree.get(line.uuid) === undefined)
        this.#add(line, line.uuid, 'other', this.#above(line, false))
    }
  }

  *end(): Iterable<Item> {
    const { facts } = this.#state
    if (this.#hasLines && (this.#state.isDirty || !this.#state.isTold)) yield this.#session()
    const account = this.#hasMessages ? ownAccount(this.#name, facts) : null
    if (account !== null) yield account
    if (this.#state.isWhole && this.#branches.length > 0) {
      const messageIds = leftBehind(this.#state.tree, this.#branches)
      this.#state.isBranched = false
      yield { kind: 'off-path', sessionId: this.#name.sessionId, messageIds }
    }
  }

  #session(): Item {
    this.#state.isTold = true
    this.#state.isDirty = false
    const session = sessionRow(this.#name, this.#state.facts, this.#path, this.#agent)
    return { kind: 'session', sessionId: this.#name.sessionId, session }
  }

  *#message(line: Line): Iterable<Item> {
    const print = printOf(line)
    const twin = line.uuid === null ? undefined : this.#state.tree.get(line.uuid)
    // Resuming may leave a line in its file twice.
    if (twin?.print === print && twin.kind !== 'other') return
    if (!this.#state.isTold) yield this.#session()
    this.#hasMessages = true
    if (twin !== undefined) yield this.#problem(line, `Another line with the id ${twin.uuid} says something else.`)
    const nativeId =
      line.uuid === null ? `line:${line.position}` : twin === undefined ? line.uuid : `${line.uuid}@${line.position}`
    const above = this.#above(line, true) ?? null
    const { facts } = this.#state
    if (line.type === 'user') {
      const isTool = holdsOnlyResults(line)
      this.#noticeBranch(line, isTool)
      const row = messageRow(line, isTool ? 'TOOL' : 'USER', nativeId, above, this.#name, facts)
      for (const mapped of mapUser(line, row, this.#state)) yield* this.#rows(mapped)
      if (twin === undefined) this.#add(line, line.uuid, isTool ? 'tool' : 'prompt', nativeId, print)
    } else {
      const row = messageRow(line, 'ASSISTANT', nativeId, above, this.#name, facts)
      const response = stringAt(line.json, 'message', 'id') ?? nativeId
      const known = this.#state.drafts.get(response)
      const { draft, parts, calls, oddFields } = mapAssistant(line, row, known)
      const before = totalTokens(known?.message.usage ?? NO_TOKENS) ?? 0
      facts.tokens += (totalTokens(draft.message.usage ?? NO_TOKENS) ?? 0) - before
      this.#state.drafts.set(response, draft)
      for (const call of calls) this.#state.calls.set(call.pair, call)
      yield* this.#rows({ message: draft.message, parts })
      for (const mapped of splitResults(line, draft.message, `.${line.position}`, this.#state))
        yield* this.#rows(mapped)
      if (oddFields.length > 0) yield this.#problem(line, `These fields hold no counts: ${oddFields.join(', ')}.`)
      if (twin === undefined) this.#add(line, line.uuid, 'assistant', draft.message.nativeId, print)
    }
    yield* this.#answers(line)
  }

  *#rows({ message, parts }: MappedMessage): Iterable<Item> {
    const { sessionId } = this.#name
    yield { kind: 'message', sessionId, message }
    for (const part of parts) yield { kind: 'part', sessionId, part }
  }

  /** Calls that have their result now, and what they spawned. */
  *#answers(line: Line): Iterable<Item> {
    const content = contentOf(line.json)
    if (typeof content === 'string') return
    const rootId = this.#name.parentId ?? this.#name.sessionId
    for (const block of content) {
      const call = isResultBlock(block) ? this.#state.callOf(block) : null
      if (call === null) continue
      const part = answered(call, line, block, rootId)
      yield { kind: 'part', sessionId: this.#name.sessionId, part }
      yield* startedBy(line, part, rootId)
      this.#state.calls.delete(part.pair)
    }
  }

  *#other(line: Line): Iterable<Item> {
    const { sessionId } = this.#name
    const { json } = line
    if (line.type === 'summary') yield* leafTitle(this.#state, line, sessionId)
    if (line.type !== 'system') return
    if (json['subtype'] === 'turn_duration') {
      const durationMs = asCount(json['durationMs'])
      const messageId = this.#above(line, true) ?? line.parent
      if (durationMs !== null && durationMs > 0 && messageId !== null)
        yield { kind: 'turn-duration', sessionId, messageId, durationMs }
    }
    if (json['subtype'] === 'away_summary') {
      const nativeId = line.uuid ?? `${sessionId}-away-${stringAt(json, 'timestamp') ?? line.position}`
      const messageId = this.#above(line, true) ?? null
      const summary = {
        nativeId,
        kind: 'away_summary',
        timeMs: line.timeMs,
        content: asString(json['content']),
        messageId,
      }
      if (!this.#state.isTold) yield this.#session()
      yield { kind: 'summary', sessionId, summary }
    }
  }

  /** The nearest message above a line. Undefined: it stands before what is remembered, which only some can live with. */
  #above(line: Line, isNeeded: boolean): string | null | undefined {
    const { tree, isWhole } = this.#state
    const isMessage = line.type === 'user' || line.type === 'assistant'
    if (line.parent === null) {
      // History that is written again starts without a parent. A sub-agent's turns do so, too, and are none.
      if (!isWhole && isMessage && line.json['isSidechain'] !== true) throw new WholeReadingNeeded()
      return null
    }
    const above = tree.get(line.parent)
    const message = above === undefined && isWhole ? null : above?.message
    if (message === undefined && isNeeded) throw new WholeReadingNeeded()
    return message
  }

  #noticeBranch(line: Line, isTool: boolean): void {
    const { tree, isWhole } = this.#state
    if (isTool || line.uuid === null || line.parent === null || isInlineSidechain(line.json, this.#name)) return
    if (tree.get(line.parent)?.isLeft !== true) return
    if (!isWhole) throw new WholeReadingNeeded()
    this.#branches.push({ parent: line.parent, prompt: line.uuid })
    this.#state.isBranched = true
  }

  #add(line: Line, uuid: string | null, kind: NodeKind, message: string | null | undefined, print = 0): void {
    if (uuid === null) return
    const parent = line.parent === uuid ? null : line.parent
    // Turns of an inline sub-agent are on no path of the person's.
    const ofTree = isInlineSidechain(line.json, this.#name) ? 'other' : kind
    this.#state.tree.add({ uuid, parent, message, kind: ofTree, print, isLeft: false })
    foundLeaf(this.#state, uuid)
  }

  #problem(line: Line, message: string): Item {
    // The reader knows which physical line it is; the position among records is the same but for lines that hold several.
    const location = `${this.#path}:${line.position + 1}`
    return { kind: 'problem', problem: { kind: 'SCHEMA', location, message, sessionId: this.#name.sessionId } }
  }
}
