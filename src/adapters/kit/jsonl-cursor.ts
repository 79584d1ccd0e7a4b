import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { asCount, asObject, asString } from '../../model/json.ts'

/** How far an append-only file was read, and how to tell whether it still is the same file (design §4.5). */
export interface FileCursor {
  readonly offset: number
  /** Number of the line that starts at `offset`. */
  readonly line: number
  /** Device and inode. Numbers are used again, and a copy has others: a hint only, the hash decides. */
  readonly identity: string
  /** Hash of the start of the file and of what stands directly before `offset`. */
  readonly hash: string
}

export type FileChange = 'same' | 'appended' | 'rewritten'

/** Bytes of either end of the prefix that are hashed. */
const HASHED_BYTES = 1024

/** The cursor that says that `path` was read up to `offset`. */
export function fileCursor(path: string, offset: number, line: number): FileCursor {
  return withFile(path, (file) => {
    const { dev, ino } = fstatSync(file)
    return { offset, line, identity: `${dev}:${ino}`, hash: prefixHash(file, offset) }
  })
}

/** What became of the file since `cursor`. Throws what the file system throws when it is gone. */
export function detectChange(path: string, cursor: FileCursor): FileChange {
  return withFile(path, (file) => {
    const { size } = fstatSync(file)
    if (size < cursor.offset || prefixHash(file, cursor.offset) !== cursor.hash) return 'rewritten'
    return size === cursor.offset ? 'same' : 'appended'
  })
}

export const encodeFileCursor = ({ offset, line, identity, hash }: FileCursor): string =>
  JSON.stringify([offset, line, identity, hash])

/** Null when the text is no cursor of ours: then the file is read from the start. */
export function decodeFileCursor(text: string): FileCursor | null {
  try {
    const fields = asObject({ ...JSON.parse(text) })
    const offset = asCount(fields?.['0'])
    const line = asCount(fields?.['1'])
    const identity = asString(fields?.['2'])
    const hash = asString(fields?.['3'])
    return offset === null || line === null || identity === null || hash === null
      ? null
      : { offset, line, identity, hash }
  } catch {
    return null
  }
}

function prefixHash(file: number, offset: number): string {
  const head = Buffer.alloc(Math.min(HASHED_BYTES, offset))
  const tail = Buffer.alloc(head.length)
  readSync(file, head, 0, head.length, 0)
  readSync(file, tail, 0, tail.length, offset - tail.length)
  return createHash('sha256').update(head).update(tail).digest('base64url').slice(0, 22)
}

function withFile<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, 'r')
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}
