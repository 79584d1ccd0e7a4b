import type { Problem } from '../../model/record.ts'
import { UNKNOWN_SESSION } from '../../model/rows.ts'
import type { Item, Unit } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import { lineText } from '../kit/jsonl.ts'
import { parseJsonl } from '../kit/jsonl-unit.ts'
import { endedLines, type LineSource, START } from '../kit/line-source.ts'
import { zstdLines } from '../kit/zstd-lines.ts'
import { withBytes } from './attachments.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { delegatingCall } from './delegation.ts'
import { type Header, headerOf, isKnownVersion, typeOf } from './header.ts'
import { behindDamage, DshMapper } from './map.ts'
import { NeedsWholeReading } from './state.ts'
import { isLogMeta, type LogMeta } from './unit.ts'

/** Reads a session's log: what was appended, or all of it when it is another generation than the one that was read before. */
export async function* read({ meta }: Unit, cursor: string | null): AsyncGenerator<Item, string | null> {
  if (!isLogMeta(meta)) return null
  const source = await linesIn(meta)
  const first = firstLine(source)
  if (first === null) {
    yield { kind: 'skip', reason: 'empty', count: 1 }
    return null
  }
  const header = headerOf(first.json)
  const reading = new Reading(meta, source, header)
  const known = decodeCursor(cursor)
  const isSame = known !== null && known.name === meta.name && known.sessionId === reading.sessionId
  if (known !== null && !isSame) yield { kind: 'new-generation', sessionId: reading.sessionId }
  if (!isSame) yield* reading.judgeHeader()
  try {
    return yield* reading.run(isSame ? known.lines : null)
  } catch (error) {
    if (!(error instanceof NeedsWholeReading) || !isSame) throw error
  }
  return yield* reading.run(null)
}

const linesIn = ({ path, isCompressed }: Pick<LogMeta, 'path' | 'isCompressed'>): LineSource | Promise<LineSource> =>
  isCompressed ? zstdLines(path) : endedLines(path)

/** The first line, once it is whole. */
function firstLine(source: LineSource): { readonly json: unknown } | null {
  const lines = source.lines(null)
  const first = lines.next()
  lines.return(START)
  if (first.done === true) return null
  try {
    return { json: JSON.parse(lineText(first.value.bytes)) }
  } catch {
    return { json: null }
  }
}

class Reading {
  readonly sessionId: string
  readonly #meta: LogMeta
  readonly #source: LineSource
  readonly #header: Header | null
  #mapper: DshMapper | null = null

  constructor(meta: LogMeta, source: LineSource, header: Header | null) {
    this.#meta = meta
    this.#source = source
    this.#header = header
    const id = header?.id ?? null
    this.sessionId = id !== null && isSafeId(id) ? id : meta.segment
  }

  /** What the header says that the place of the log contradicts. */
  *judgeHeader(): Generator<Item> {
    if (this.#header === null) return
    const { id, version } = this.#header
    if (id !== null && !isSafeId(id))
      yield this.#problem('HOSTILE_ID', "The header's id could name a file elsewhere; the directory's name stands in.")
    if (version !== this.#meta.generation && isKnownVersion(version))
      yield this.#problem(
        'SCHEMA',
        `The header says generation ${version}, and is believed; the file's name says another.`,
      )
  }

  async *run(cursor: string | null): AsyncGenerator<Item, string | null> {
    const { sessionId } = this
    if (cursor === null)
      yield { kind: 'session', sessionId, session: { ...UNKNOWN_SESSION, sourcePath: this.#meta.path } }
    const lines = yield* this.#lines(cursor)
    if (this.#header !== null && !isKnownVersion(this.#header.version))
      yield { kind: 'skip', reason: 'unsupported', count: 1 }
    yield* this.#tieToParent()
    return lines === null ? null : this.#cursor(lines)
  }

  async *#lines(cursor: string | null): AsyncGenerator<Item, string | null> {
    const lines = parseJsonl({
      path: this.#meta.path,
      sessionId: this.sessionId,
      source: this.#source,
      cursor,
      typeOf,
      open: (state) => {
        this.#mapper = new DshMapper(this.sessionId, this.#meta.path, state)
        return this.#mapper
      },
    })
    try {
      for (;;) {
        const step = await lines.next()
        if (step.done === true) return step.value
        yield* this.#item(step.value)
      }
    } finally {
      await lines.return(null)
    }
  }

  *#item(item: Item): Generator<Item> {
    if (item.kind === 'checkpoint') yield this.#checkpoint(item)
    else if (item.kind === 'problem') yield* this.#fault(item.problem)
    else if (item.kind === 'part' && item.part.kind === 'FILE') {
      const { file, fault } = withBytes(item.part, this.#meta.home)
      yield { ...item, part: file }
      if (fault !== null) yield { kind: 'problem', problem: { ...fault, sessionId: this.sessionId } }
    } else yield item
    // A blank line is no row either, and nobody has said so yet.
    if (item.kind !== 'record' || item.record.type !== 'blank' || !isBlank(item.record.bytes)) return
    const location = `${this.#meta.path}:${item.record.line ?? 1}`
    yield* this.#fault({ kind: 'SCHEMA', location, message: 'The line is blank.', sessionId: this.sessionId })
  }

  /** A line that is no row ends the session; what is wrong behind it is of no more interest. */
  *#fault(problem: Problem): Generator<Item> {
    const mapper = this.#mapper
    if (mapper === null || problem.kind === 'REPAIRED' || mapper.said.has(problem)) yield { kind: 'problem', problem }
    else if (!mapper.isEnded) {
      mapper.stop()
      yield { kind: 'problem', problem: { ...problem, message: behindDamage(problem.message) } }
    }
  }

  #checkpoint(item: Extract<Item, { kind: 'checkpoint' }>): Item {
    const { cursor } = item
    if (cursor === null) return item
    return { kind: 'checkpoint', cursor: () => this.#cursor(typeof cursor === 'function' ? cursor() : cursor) }
  }

  #cursor(lines: string): string {
    return encodeCursor({ name: this.#meta.name, sessionId: this.sessionId, lines })
  }

  /** What only both logs together tell: the call that made this child. */
  async *#tieToParent(): AsyncGenerator<Item> {
    const descriptor = this.#mapper?.descriptor ?? null
    const { parentId = null, createdAt = null, isSubagent = false } = this.#header ?? {}
    if (descriptor === null || !isSubagent || parentId === null || createdAt === null) return
    const parent = this.#meta.others(parentId)
    if (parent === null) return
    const { label } = descriptor
    const pair = await delegatingCall(await linesIn(parent), { label, createdAt })
    if (pair !== null)
      yield { kind: 'session', sessionId: this.sessionId, session: { ...UNKNOWN_SESSION, parentPair: pair } }
    const subagent = {
      agentId: this.sessionId,
      agentType: null,
      description: label,
      durationMs: null,
      totalTokens: null,
      pair,
      childNativeId: this.sessionId,
    }
    yield { kind: 'subagent', sessionId: parentId, subagent }
  }

  #problem(kind: Problem['kind'], message: string): Item {
    const location = `${this.#meta.path}:1`
    return { kind: 'problem', problem: { kind, location, message, sessionId: this.sessionId } }
  }
}

/** A row may name itself so, too. */
const isBlank = (bytes: Uint8Array): boolean => Buffer.from(bytes).toString('latin1').trim() === ''
