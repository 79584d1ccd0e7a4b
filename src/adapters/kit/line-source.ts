import { type JsonlEnd, type JsonlLine, readLines } from './jsonl.ts'
import { decodeFileCursor, detectChange, type FileChange } from './jsonl-cursor.ts'
import { RewriteGuard } from './rewrite-guard.ts'

/** Where the lines of an append-only file come from, and how to tell whether what was read of it still stands (design §4.5). */
export interface LineSource {
  /** Where `mark` stands; null when the text is no mark of this kind of source. */
  start(mark: string): JsonlEnd | null
  /** What became of the file since `mark`. */
  changeSince(mark: string): FileChange
  /** Its lines, from the start (null) or from where `mark` stands; returns the end of what was consumed. */
  lines(mark: string | null): Generator<JsonlLine, JsonlEnd>
  /** Makes marks while lines are read, from the start (null) or from a mark on. */
  guard(mark: string | null): LineGuard
}

/** Makes the marks of a reading, and sees to it that none vouches for bytes that nobody has read. */
export interface LineGuard {
  /** The file is another by now than the one whose lines were given. */
  readonly isRewritten: boolean
  /** The mark of `end`: the end of the line that was given last, or of all that was consumed. */
  mark(end: JsonlEnd): string
  /** Lines up to `end` were read; looks at the file when that is much. */
  pass(end: JsonlEnd): void
  /** Reading begins anew, with what the file is now. */
  restart(): void
}

export const START: JsonlEnd = { offset: 0, line: 1 }

/** The lines of a plain file. A last line that is JSON without a line end is given, too. */
export function plainLines(path: string): LineSource {
  return {
    start: decodeFileCursor,
    changeSince: (mark) => {
      const known = decodeFileCursor(mark)
      return known === null ? 'rewritten' : detectChange(path, known)
    },
    lines: (mark) => readLines(path, (mark === null ? null : decodeFileCursor(mark)) ?? START),
    guard: (mark) => new RewriteGuard(path, mark === null ? null : decodeFileCursor(mark)),
  }
}

/** The lines of a plain file whose writer takes a line for written only with its line end, and cuts off what has none. */
export function endedLines(path: string): LineSource {
  const plain = plainLines(path)
  return {
    ...plain,
    *lines(mark) {
      const lines = plain.lines(mark)
      let end = (mark === null ? null : plain.start(mark)) ?? START
      for (const line of lines) {
        if (!line.isComplete || isOpen(line)) break
        end = { offset: line.offset + line.size, line: line.line + 1 }
        yield line
      }
      return end
    },
  }
}

/** Without a line end: it can only be the last one. */
export const isOpen = ({ bytes, size, fault }: JsonlLine): boolean =>
  fault === undefined && bytes.length === size && bytes.at(-1) !== 10
