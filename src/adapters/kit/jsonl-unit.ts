import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { asArray, asCount, asObject, asString, isObject } from '../../model/json.ts'
import type { Problem, SourceRecord } from '../../model/record.ts'
import type { Item, Mapper } from '../contract.ts'
import { jsonFault } from './json-fault.ts'
import { type JsonlEnd, type JsonlLine, lineText } from './jsonl.ts'
import type { FileChange } from './jsonl-cursor.ts'
import { isOpen, type LineGuard, type LineSource, plainLines, START } from './line-source.ts'
import { splitObjects } from './split-objects.ts'

/** A mapper whose small state goes into the cursor, so that reading can go on where it stopped as if it never had. */
export interface ResumableMapper extends Mapper {
  /** What it must know of the lines before; small, whatever their number. Called between lines only. */
  state(): string
}

export interface JsonlUnit {
  readonly path: string
  readonly sessionId: string
  /** Where its lines come from; left out for a plain file. */
  readonly source?: LineSource
  /** Cursor of the unit; null reads from the start. */
  readonly cursor: string | null
  /** The format's own type of a line. */
  typeOf(json: Readonly<Record<string, unknown>>): string
  /** A mapper at the start (null), or with the state that `state` gave. */
  open(state: string | null): ResumableMapper
}

/** Lines between places where a commit is safe. */
const LINES_A_CHECKPOINT = 32

/**
 * Reads an append-only file of JSON lines: only what was appended since the cursor, or all of it as a new generation when it was
 * rewritten (design §4.5), be it while it was read. Every byte ends up in a record: blank lines too, and lines that are no JSON, with a
 * problem. The records of a file, one behind the other, are the file.
 */
export function* parseJsonl(unit: JsonlUnit): Generator<Item, string | null> {
  const { path, sessionId } = unit
  const source = unit.source ?? plainLines(path)
  const known = decodeCursor(unit.cursor, source)
  const change = known === null ? 'new' : changeSince(path, source, known)
  if (change === 'same') return null
  if (change === 'rewritten') yield { kind: 'new-generation', sessionId }
  const resumed = change === 'appended' ? known : null
  const guard = source.guard(resumed?.mark ?? null)
  let cursor = yield* readFrom(unit, source, resumed, guard)
  while (guard.isRewritten) {
    guard.restart()
    yield { kind: 'new-generation', sessionId }
    cursor = yield* readFrom(unit, source, null, guard)
  }
  return cursor
}

function* readFrom(
  unit: JsonlUnit,
  source: LineSource,
  known: Known | null,
  guard: LineGuard,
): Generator<Item, string> {
  const { sessionId } = unit
  const mapper = unit.open(known === null ? null : known.state)
  let position = known === null ? 0 : known.position
  let end = known === null ? START : known.start
  const cursorAt = (open: OpenLine | null) => encodeCursor(guard.mark(end), position, mapper.state(), open)
  const cursor = () => cursorAt(null)

  const lines = source.lines(known === null ? null : known.mark)
  try {
    let sinceCheckpoint = 0
    for (;;) {
      const step = lines.next()
      if (step.done === true) {
        end = step.value
        break
      }
      const line = step.value
      // A torn last line is read when it is whole.
      if (!line.isComplete) continue
      if (isOpen(line)) {
        // Whole, but its line end may yet come, or more: it is read now, and once again when something came.
        const before = cursorAt({ size: line.size, hash: hashOf(line.bytes) })
        yield* readLine(line)
        yield* mapper.end()
        return before
      }
      yield* readLine(line)
      end = { offset: line.offset + line.size, line: line.line + 1 }
      sinceCheckpoint += 1
      if (sinceCheckpoint < LINES_A_CHECKPOINT) continue
      sinceCheckpoint = 0
      guard.pass(end)
      if (guard.isRewritten) return cursor()
      yield { kind: 'checkpoint', cursor }
    }
  } finally {
    lines.return(end)
  }
  yield* mapper.end()
  return cursor()

  function* readLine(line: JsonlLine): Generator<Item> {
    const object = soleObject(line)
    if (object !== null) {
      const ref = position++
      const type = unit.typeOf(object)
      yield { kind: 'record', sessionId, record: { ref, type, bytes: line.bytes, line: line.line, cutFrom: null } }
      yield* mapper.push({ ref, type, json: object })
      return
    }
    for (const { record, json, problem } of recordsOn(line, position, unit)) {
      position += 1
      yield { kind: 'record', sessionId, record }
      if (problem !== null) yield { kind: 'problem', problem }
      if (json !== null) yield* mapper.push({ ref: record.ref, type: record.type, json })
    }
  }
}

/** The object that a line is, as nearly every line is one. */
function soleObject({ bytes, size, fault }: JsonlLine): Readonly<Record<string, unknown>> | null {
  if (bytes.length < size || fault !== undefined) return null
  const value = parsed(lineText(bytes))
  return isObject(value) ? value : null
}

/** A last line that was read without a line end. */
interface OpenLine {
  readonly size: number
  readonly hash: string
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64url').slice(0, 22)

/** What became of the file, the open line behind the cursor's offset included. */
function changeSince(path: string, source: LineSource, { mark, start, open }: Known): FileChange {
  const change = source.changeSince(mark)
  if (open === null || change === 'rewritten') return change
  const { bytes, isAll } = bytesAt(path, start.offset, open.size)
  if (bytes.length < open.size || hashOf(bytes) !== open.hash) return 'rewritten'
  return isAll ? 'same' : 'appended'
}

function bytesAt(path: string, offset: number, size: number): { readonly bytes: Buffer; readonly isAll: boolean } {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(size)
    const read = readSync(file, bytes, 0, size, offset)
    return { bytes: bytes.subarray(0, read), isAll: fstatSync(file).size === offset + size }
  } finally {
    closeSync(file)
  }
}

interface ReadRecord {
  readonly record: SourceRecord
  readonly json: Readonly<Record<string, unknown>> | null
  readonly problem: Problem | null
}

function recordsOn(line: JsonlLine, position: number, unit: JsonlUnit): ReadRecord[] {
  const isCut = line.bytes.length < line.size
  const make = (
    at: number,
    bytes: Buffer,
    type: string,
    json: ReadRecord['json'],
    fault: Fault | null,
  ): ReadRecord => ({
    record: {
      ref: position + at,
      type,
      bytes,
      line: line.line,
      cutFrom: at === 0 && isCut ? line.size : null,
    },
    json,
    problem: fault === null ? null : { ...fault, location: `${unit.path}:${line.line}`, sessionId: unit.sessionId },
  })
  if (line.fault !== undefined) return [make(0, line.bytes, 'damaged', null, { kind: 'PARSE', message: line.fault })]
  if (isCut) return [make(0, line.bytes, 'oversize', null, oversize(line))]
  const text = lineText(line.bytes)
  if (text === '') return [make(0, line.bytes, 'blank', null, line.bytes.includes(0) ? NULS : null)]
  const whole = parsed(text)
  if (whole !== undefined) return [make(0, line.bytes, ...judged(whole, unit))]
  const pieces = splitObjects(text)
  if (pieces.length < 2) return [make(0, line.bytes, 'invalid', null, notJson(text))]
  return bytesOf(line.bytes, pieces).map((bytes, at) => {
    const value = parsed(lineText(bytes))
    const [type, json, fault] = value === undefined ? (['invalid', null, notJson(text)] as const) : judged(value, unit)
    return make(at, bytes, type, json, fault ?? (at === 0 ? SEVERAL : null))
  })
}

type Fault = Pick<Problem, 'kind' | 'message'>

const NULS: Fault = {
  kind: 'PARSE',
  message: 'The line holds nothing but NUL bytes, as an interrupted write leaves them.',
}
const SEVERAL: Fault = { kind: 'REPAIRED', message: 'Several objects stand on this line; each was read by itself.' }
const oversize = (line: JsonlLine): Fault => ({
  kind: 'OVERSIZE',
  message: `The line has ${line.size} bytes; the first ${line.bytes.length} are kept and nothing is shown of it.`,
})
const notJson = (text: string): Fault => {
  try {
    JSON.parse(text)
  } catch (error) {
    return { kind: 'PARSE', message: jsonFault(error) }
  }
  return { kind: 'PARSE', message: 'The line is not valid JSON.' }
}

function judged(value: unknown, unit: JsonlUnit): [string, ReadRecord['json'], Fault | null] {
  if (isObject(value)) return [unit.typeOf(value), value, null]
  return ['json', null, { kind: 'SCHEMA', message: 'The line is JSON, but no object.' }]
}

/** Undefined when it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Cuts a line's bytes at the ends of its pieces, so that all of them together are the line. */
function bytesOf(line: Buffer, pieces: readonly string[]): Buffer[] {
  let from = 0
  return pieces.map((piece, i) => {
    const start = from
    const found = line.indexOf(Buffer.from(piece), from)
    from = i === pieces.length - 1 || found < 0 ? line.length : found + Buffer.byteLength(piece)
    return line.subarray(start, from)
  })
}

/** `open`: the last line, which was read without a line end and stands behind `mark`. */
const encodeCursor = (mark: string, position: number, state: string, open: OpenLine | null): string =>
  JSON.stringify({ f: mark, n: position, s: state, o: open === null ? null : [open.size, open.hash] })

interface Known {
  readonly mark: string
  readonly start: JsonlEnd
  /** Records before it. */
  readonly position: number
  readonly state: string
  readonly open: OpenLine | null
}

function decodeCursor(text: string | null, source: LineSource): Known | null {
  if (text === null) return null
  const fields = asObject(parsed(text))
  const mark = asString(fields?.['f'])
  const start = mark === null ? null : source.start(mark)
  const position = asCount(fields?.['n'])
  const state = asString(fields?.['s'])
  const [size, hash] = asArray(fields?.['o'])
  const open: OpenLine | null = typeof size === 'number' && typeof hash === 'string' ? { size, hash } : null
  if (mark === null || start === null || position === null || state === null) return null
  return { mark, start, position, state, open }
}
