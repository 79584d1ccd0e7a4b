import { statSync } from 'node:fs'
import type { JsonlEnd } from './jsonl.ts'
import { detectChange, encodeFileCursor, type FileCursor, fileCursor } from './jsonl-cursor.ts'

/** So much of a file's start tells it from another; a cursor hashes as much. */
const HEAD_BYTES = 1024
/** A long reading looks after so many bytes whether the file is still the same. */
const LOOK_EVERY_BYTES = 4 * 1024 * 1024
/** A file that is rewritten more often than this while it is read is left for the next sync. */
const MOST_RESTARTS = 3

/** Notices that a file is rewritten while it is read: no cursor may vouch for bytes that nobody has read. */
export class RewriteGuard {
  private readonly path: string
  /** A place up to which the file was as it was read. */
  private known: FileCursor
  private restarts = 0
  private isStale = false

  /** `from`: where reading goes on; null at the start of the file. */
  constructor(path: string, from: FileCursor | null) {
    this.path = path
    this.known = from ?? headOf(path)
  }

  get isRewritten(): boolean {
    return this.isStale
  }

  /** When the file is another by now, a mark that the next look finds rewritten. */
  mark({ offset, line }: JsonlEnd): string {
    this.isStale ||= detectChange(this.path, this.known) === 'rewritten'
    const read = fileCursor(this.path, offset, line)
    if (this.isStale) return encodeFileCursor({ ...read, hash: '' })
    if (offset >= this.known.offset) this.known = read
    return encodeFileCursor(read)
  }

  pass(end: JsonlEnd): void {
    if (end.offset - this.known.offset >= LOOK_EVERY_BYTES) this.mark(end)
  }

  restart(): void {
    this.restarts += 1
    if (this.restarts > MOST_RESTARTS)
      throw new Error('The file is rewritten again and again while it is read; the next sync tries it once more.')
    this.known = headOf(this.path)
    this.isStale = false
  }
}

const headOf = (path: string): FileCursor => fileCursor(path, Math.min(statSync(path).size, HEAD_BYTES), 1)
