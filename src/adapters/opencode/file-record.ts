import type { ReadItem } from '../kit/parse-with.ts'
import { readCapped } from './spill.ts'

/** A whole file as one record; null when there is none. */
export function readFileRecord(
  path: string,
  sessionId: string,
  ref: string,
  type: string,
  expects: 'object' | 'any',
): Extract<ReadItem, { kind: 'record' }> | null {
  const file = readCapped(path)
  if (file === null) return null
  return { kind: 'record', sessionId, location: path, expects, record: { ref, type, line: null, ...file } }
}
