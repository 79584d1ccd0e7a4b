import { createHash, type Hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Decompress } from 'fzstd'
import createXxhash, { type XXHashAPI } from 'xxhash-wasm'
import { asArray, asCount, asString } from '../../model/json.ts'
import { RECORD_CAP_BYTES } from '../../model/record.ts'
import { type JsonlEnd, type JsonlLine, PendingLine } from './jsonl.ts'
import { decodeFileCursor, detectChange, encodeFileCursor, type FileChange, fileCursor } from './jsonl-cursor.ts'
import { type LineGuard, type LineSource, START } from './line-source.ts'
import { frameAt, type ZstdFrame } from './zstd-frames.ts'

/** Bytes of a frame that are decoded at once. */
const PIECE_BYTES = 128 * 1024
/** A frame up to this size is held while its checksum is compared; a larger one is decoded twice. */
const HELD_BYTES = 4 * 1024 * 1024
const CHECKSUM_BYTES = 4
const NEWLINE = 10

let hashing: Promise<XXHashAPI> | null = null

/**
 * The lines of a file of concatenated Zstandard frames, each of which a writer appended with whole lines in it. Reading goes on at the frame
 * where it stopped. Of a torn last frame the whole lines are given; a writer may put the frame away and write its lines again. A frame
 * that is whole but broken ends what can be read: it and all that follows are given as they are, as damage.
 */
export async function zstdLines(path: string): Promise<LineSource> {
  hashing ??= createXxhash()
  return new ZstdLines(path, await hashing)
}

/** Where reading stands: in front of a frame, and how much of the lines from there on was consumed. */
interface Mark {
  /** Of the compressed bytes before the frame, as text. */
  readonly file: string
  readonly frame: JsonlEnd
  readonly skip: number
  readonly skipLines: number
  readonly skipHash: string
  readonly isDamaged: boolean
}

/** What was consumed is not what stands there now. */
class Rewritten extends Error {}

class ZstdLines implements LineSource {
  readonly #path: string
  readonly #xxhash: XXHashAPI
  /** The frame that is read, in compressed bytes; its place in the text; what was consumed from there on. */
  #frameOffset = 0
  #frame: JsonlEnd = START
  #consumed: Hash = createHash('sha256')
  #isDamaged = false

  constructor(path: string, xxhash: XXHashAPI) {
    this.#path = path
    this.#xxhash = xxhash
  }

  start(mark: string): JsonlEnd | null {
    const known = decodeMark(mark)
    return known && { offset: known.frame.offset + known.skip, line: known.frame.line + known.skipLines }
  }

  changeSince(mark: string): FileChange {
    const known = decodeMark(mark)
    const file = known === null ? null : decodeFileCursor(known.file)
    if (known === null || file === null) return 'rewritten'
    const change = detectChange(this.#path, file)
    if (change === 'rewritten' || known.isDamaged) return change
    const lines = this.lines(mark)
    try {
      return lines.next().done === true ? 'same' : 'appended'
    } catch (error) {
      if (error instanceof Rewritten) return 'rewritten'
      throw error
    } finally {
      lines.return(START)
    }
  }

  *lines(mark: string | null): Generator<JsonlLine, JsonlEnd> {
    const known = mark === null ? null : decodeMark(mark)
    this.#enter(known === null ? 0 : (decodeFileCursor(known.file)?.offset ?? 0), known?.frame ?? START)
    this.#isDamaged = known?.isDamaged ?? false
    const file = openSync(this.#path, 'r')
    try {
      return yield* this.#from(file, known)
    } finally {
      closeSync(file)
    }
  }

  /** Frames are checked as they are read; a file that was rewritten meanwhile is found so by the next look. */
  guard(): LineGuard {
    return { isRewritten: false, mark: (end) => this.#mark(end), pass: () => undefined, restart: () => undefined }
  }

  #mark(end: JsonlEnd): string {
    const { offset, line } = this.#frame
    const file = encodeFileCursor(fileCursor(this.#path, this.#frameOffset, line))
    const hash = end.offset === offset ? '' : digest(this.#consumed)
    return JSON.stringify([file, offset, line, end.offset - offset, end.line - line, hash, this.#isDamaged ? 1 : 0])
  }

  #enter(frameOffset: number, frame: JsonlEnd): void {
    this.#frameOffset = frameOffset
    this.#frame = frame
    this.#consumed = createHash('sha256')
  }

  *#from(file: number, known: Mark | null): Generator<JsonlLine, JsonlEnd> {
    const { size } = fstatSync(file)
    let skip = known?.skip ?? 0
    let end = this.#frame
    for (let position = this.#frameOffset; ; ) {
      const frame = this.#isDamaged ? null : frameAt(file, position, size)
      if (frame === null) break
      const text =
        frame.kind === 'whole' ? this.#checked(file, frame) : frame.kind === 'torn' ? tornText(file, frame) : []
      if (frame.kind === 'broken' || text instanceof Fault) {
        this.#enter(position, end)
        end = yield* this.#damage(file, size, end, text instanceof Fault ? text.message : faultOf(frame))
        break
      }
      for (const line of linesOf(text, end)) {
        if (line.isComplete || frame.kind === 'whole') {
          end = { offset: line.offset + line.size, line: line.line + 1 }
          this.#consumed.update(line.bytes)
        }
        if (skip > 0) {
          skip -= line.size
          if (skip < 0 || (skip === 0 && digest(this.#consumed) !== known?.skipHash)) throw new Rewritten()
        } else if (line.isComplete) yield line
        else if (frame.kind === 'whole') yield { ...line, isComplete: true, fault: ENDS_INSIDE }
      }
      if (frame.kind === 'torn') break
      position = frame.end
      // What is to be skipped may span frames: lines of a torn one were written again, in others.
      if (skip === 0) this.#enter(position, end)
    }
    if (skip > 0) throw new Rewritten()
    if (this.#isDamaged) end = yield* this.#damage(file, size, end, BEHIND_DAMAGE)
    return end
  }

  /** The bytes from here on, as they are. */
  *#damage(file: number, size: number, from: JsonlEnd, fault: string): Generator<JsonlLine, JsonlEnd> {
    this.#isDamaged = true
    let { offset, line } = from
    while (this.#frameOffset < size) {
      const bytes = readAt(file, this.#frameOffset, Math.min(PIECE_BYTES, size - this.#frameOffset))
      if (bytes.length === 0) break
      const piece = { bytes, offset, line, size: bytes.length, isComplete: true, fault }
      offset += bytes.length
      line += 1
      this.#enter(this.#frameOffset + bytes.length, { offset, line })
      yield piece
    }
    return { offset, line }
  }

  /** The text of a whole frame, once it is known to be what was written. */
  #checked(file: number, frame: WholeFrame): Iterable<Buffer> | Fault {
    const hash = this.#xxhash.create64()
    let held: Buffer[] | null = []
    let heldBytes = 0
    try {
      for (const piece of textOf(file, frame)) {
        if (frame.hasChecksum) hash.update(piece)
        heldBytes += piece.length
        if (heldBytes > HELD_BYTES) held = null
        held?.push(piece)
      }
    } catch (error) {
      return new Fault(`This frame can't be decoded: ${error instanceof Error ? error.message : String(error)}.`)
    }
    if (frame.hasChecksum) {
      const stated = readAt(file, frame.end - CHECKSUM_BYTES, CHECKSUM_BYTES).readUInt32LE(0)
      if (Number(BigInt.asUintN(32, hash.digest())) !== stated) return new Fault('The checksum of this frame is wrong.')
    }
    return held ?? textOf(file, frame)
  }
}

const ENDS_INSIDE = 'The frame ends inside of this line.'
const BEHIND_DAMAGE = 'These bytes stand behind a frame that is broken.'

class Fault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

type WholeFrame = Extract<ZstdFrame, { kind: 'whole' | 'torn' }>
const faultOf = (frame: ZstdFrame): string => (frame.kind === 'broken' ? frame.fault : BEHIND_DAMAGE)

/** The decoded bytes of a frame, piece by piece. Throws where it can't be decoded. */
function* textOf(file: number, { offset, end, kind }: WholeFrame): Generator<Buffer> {
  let pieces: Buffer[] = []
  const stream = new Decompress((data) => {
    if (data.length > 0) pieces.push(Buffer.from(data))
  })
  for (let from = offset; from < end; from += PIECE_BYTES) {
    const isLast = from + PIECE_BYTES >= end
    stream.push(readAt(file, from, Math.min(PIECE_BYTES, end - from)), isLast && kind === 'whole')
    yield* pieces
    pieces = []
  }
}

/** What can be decoded of a frame that the file ends in. */
function* tornText(file: number, frame: WholeFrame): Generator<Buffer> {
  try {
    yield* textOf(file, frame)
  } catch (error) {
    // Its end is missing, and with it what it would be judged by; once it is whole it is read again.
    if (!(error instanceof Error)) throw error
  }
}

/** The lines of a text that comes in pieces; the last one may lack its end. */
function* linesOf(pieces: Iterable<Buffer>, start: JsonlEnd): Generator<JsonlLine> {
  let { offset, line } = start
  let pending = new PendingLine(RECORD_CAP_BYTES)
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const found = piece.indexOf(NEWLINE, from)
      const end = found < 0 ? piece.length : found + 1
      pending.add(piece.subarray(from, end))
      from = end
      if (found < 0) break
      yield { bytes: pending.bytes(), offset, line, size: pending.size, isComplete: true }
      offset += pending.size
      line += 1
      pending = new PendingLine(RECORD_CAP_BYTES)
    }
  }
  if (pending.size > 0) yield { bytes: pending.bytes(), offset, line, size: pending.size, isComplete: false }
}

function readAt(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, readSync(file, buffer, 0, length, position))
}

const digest = (hash: Hash): string => hash.copy().digest('base64url').slice(0, 22)

function decodeMark(text: string): Mark | null {
  try {
    const [file, offset, line, skip, skipLines, hash, damaged] = asArray(JSON.parse(text))
    const counts = [offset, line, skip, skipLines].map(asCount)
    const [plainOffset, plainLine, skipBytes, skipped] = counts
    const cursor = asString(file)
    if (cursor === null || decodeFileCursor(cursor) === null || typeof hash !== 'string') return null
    if (plainOffset == null || plainLine == null || skipBytes == null || skipped == null) return null
    const frame = { offset: plainOffset, line: plainLine }
    return { file: cursor, frame, skip: skipBytes, skipLines: skipped, skipHash: hash, isDamaged: damaged === 1 }
  } catch {
    return null
  }
}
