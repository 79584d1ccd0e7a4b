import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { RECORD_CAP_BYTES } from '../../model/record.ts'
import { splitObjects } from './split-objects.ts'

const NEWLINE = 10
const BLOCK_BYTES = 1024 * 1024

export interface JsonlLine {
  /** Exact bytes, line end included, the receiver's to keep; the first `capBytes` of a longer line. */
  readonly bytes: Buffer
  /** Where it starts in the file. */
  readonly offset: number
  /** Physical line, from 1. */
  readonly line: number
  /** True size, line end included. */
  readonly size: number
  /** Ends with a line end, or is complete JSON without one. What is not complete is not consumed. */
  readonly isComplete: boolean
  /** What is wrong with the place that it comes from: the bytes are to be kept, and are no line to read. */
  readonly fault?: string
}

export interface JsonlOptions {
  /** Byte to start at, the start of a line. Default 0. */
  readonly offset?: number
  /** Number of the line that starts there. Default 1. */
  readonly line?: number
  /** Bytes read at once. Default 1 MiB. */
  readonly blockBytes?: number
  /** A longer line yields this much of its start. Default `RECORD_CAP_BYTES`. */
  readonly capBytes?: number
}

export interface JsonlEnd {
  /** Everything before it was consumed: where to go on. */
  readonly offset: number
  readonly line: number
}

/**
 * The lines of a file as bytes, read in blocks: memory is bounded by a block and the cap, whatever the length of the file or of
 * a line. A last line without line end is yielded, but only consumed when it is a complete JSON object or array.
 */
export function* readLines(path: string, options: JsonlOptions = {}): Generator<JsonlLine, JsonlEnd> {
  const file = openSync(path, 'r')
  try {
    return yield* linesOf(file, options)
  } finally {
    closeSync(file)
  }
}

function* linesOf(file: number, options: JsonlOptions): Generator<JsonlLine, JsonlEnd> {
  if (fstatSync(file).isDirectory()) throw new Error('EISDIR: a directory stands where a file was expected')
  const blockBytes = options.blockBytes ?? BLOCK_BYTES
  const capBytes = options.capBytes ?? RECORD_CAP_BYTES
  let { offset = 0, line = 1 } = options
  let position = offset
  let pending = new PendingLine(capBytes)
  for (;;) {
    const block = nextBlock(file, position, blockBytes)
    if (block === null) break
    position += block.length
    let from = 0
    for (;;) {
      const end = block.indexOf(NEWLINE, from)
      pending.add(block.subarray(from, end < 0 ? block.length : end + 1))
      if (end < 0) break
      yield { bytes: pending.bytes(), offset, line, size: pending.size, isComplete: true }
      offset += pending.size
      line += 1
      pending = new PendingLine(capBytes)
      from = end + 1
    }
  }
  if (pending.size > 0) {
    const bytes = pending.bytes()
    const isComplete = bytes.length === pending.size && isWholeJson(bytes)
    yield { bytes, offset, line, size: pending.size, isComplete }
    // The line number stays: what is appended next still stands on this physical line.
    if (isComplete) offset += pending.size
  }
  return { offset, line }
}

/** The next bytes of a file, in memory of their own: lines are views into it. Null at the end. */
function nextBlock(file: number, position: number, blockBytes: number): Buffer | null {
  const left = fstatSync(file).size - position
  // No more than is there, and room to see that the file has grown.
  const block = Buffer.allocUnsafeSlow(Math.max(1, Math.min(blockBytes, left)))
  const read = readSync(file, block, 0, block.length, position)
  return read === 0 ? null : block.subarray(0, read)
}

/** Pieces of a line that may span blocks, no more than the cap of it kept. */
export class PendingLine {
  readonly #pieces: Buffer[] = []
  readonly #capBytes: number
  #kept = 0
  size = 0

  constructor(capBytes: number) {
    this.#capBytes = capBytes
  }

  add(piece: Buffer): void {
    this.size += piece.length
    const room = this.#capBytes - this.#kept
    if (room <= 0 || piece.length === 0) return
    const kept = piece.length <= room ? piece : piece.subarray(0, room)
    this.#pieces.push(kept)
    this.#kept += kept.length
  }

  bytes(): Buffer {
    return this.#pieces.length === 1 && this.#pieces[0] !== undefined ? this.#pieces[0] : Buffer.concat(this.#pieces)
  }
}

/** A scalar may be the start of a longer one, so only objects and arrays count as whole. */
function isWholeJson(bytes: Buffer): boolean {
  const text = lineText(bytes)
  return /^[{[]/.test(text) && isJson(text)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The JSON texts that stand on a line: none on a blank one, several where a writer put them back to back. */
export function valuesOn(bytes: Buffer): readonly string[] {
  const text = lineText(bytes)
  if (text === '') return []
  return isJson(text) ? [text] : splitObjects(text)
}

/** A line as text for a JSON parser: without byte order mark, line end, and the NULs that an interrupted write leaves. */
export function lineText(bytes: Buffer): string {
  const text = bytes.toString('utf8').trim()
  // Looked for in the bytes, which is much faster; trimming takes a byte order mark for a space.
  return bytes.includes(0) ? text.replaceAll('\0', '').trim() : text
}
