import { basename } from 'node:path'
import { isObject } from '../../model/json.ts'
import { isSafeId } from '../kit/ids.ts'
import { lineText, readLines } from '../kit/jsonl.ts'
import { entryOf, type Header, headerOf, idOfPath, isTimedName } from './line.ts'

/** What the first line of a file says that it is. */
export type FileLook =
  /** Nothing whole stands in it yet. */
  | { readonly kind: 'unfinished' }
  /** Another program's file. */
  | { readonly kind: 'foreign' }
  | {
      readonly kind: 'session'
      readonly sessionId: string
      readonly header: Header | null
      /** The header's id can't be used. */
      readonly isHostile: boolean
    }

/** A header is short; what is longer is none. */
const HEADER_BYTES = 1024 * 1024

/** Looks at a file's first line; no other is read. */
export function lookAt(path: string): FileLook {
  const lines = readLines(path, { blockBytes: 64 * 1024, capBytes: HEADER_BYTES })
  const first = lines.next()
  lines.return({ offset: 0, line: 1 })
  if (first.done === true || !first.value.isComplete) return { kind: 'unfinished' }
  const json = parsed(lineText(first.value.bytes))
  const header = headerOf(json)
  const ofName = idOfPath(path) ?? basename(path)
  if (header !== null) {
    const isHostile = header.id !== null && !isSafeId(header.id)
    return { kind: 'session', sessionId: isHostile ? ofName : (header.id ?? ofName), header, isHostile }
  }
  const isOurs = isTimedName(basename(path)) || (isObject(json) && entryOf(json)?.type === 'message')
  return isOurs ? { kind: 'session', sessionId: ofName, header: null, isHostile: false } : { kind: 'foreign' }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
