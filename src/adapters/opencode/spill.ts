import { closeSync, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { at, stringAt } from '../../model/json.ts'
import { RECORD_CAP_BYTES, type SourceRecord } from '../../model/record.ts'
import { isSafeId } from '../kit/ids.ts'
import type { ReadItem } from '../kit/parse-with.ts'
import { locationOf, spillKey, type UnitPlace } from './keys.ts'

/**
 * The whole output of a tool, where opencode cut it and put it into `tool-output/`, which it empties after some days: it is kept
 * as a record of its own. The recorded path may be of another home, so only its last name counts, and only below the data
 * directory.
 */
export function spilledOutput(
  dataDir: string,
  place: UnitPlace,
  sessionId: string,
  messageId: string,
  partId: string,
  part: unknown,
): Extract<ReadItem, { kind: 'record' }> | null {
  const recorded = at(part, 'type') === 'tool' ? stringAt(part, 'state', 'metadata', 'outputPath') : null
  const name = recorded === null ? null : basename(recorded.replaceAll('\\', '/'))
  if (name === null || !isSafeId(name)) return null
  const path = join(dataDir, 'tool-output', name)
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null
  const file = readCapped(path)
  if (file === null) return null
  const ref = spillKey(messageId, partId)
  const record = { ref, type: 'tool-output', line: null, ...file }
  return { kind: 'record', sessionId, record, location: locationOf(place, ref), expects: 'any', json: null }
}

/** A file's bytes up to the cap; null when it can't be read. */
export function readCapped(path: string): Pick<SourceRecord, 'bytes' | 'cutFrom'> | null {
  try {
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      const bytes = Buffer.alloc(Math.min(size, RECORD_CAP_BYTES))
      let length = 0
      while (length < bytes.length) {
        const read = readSync(file, bytes, length, bytes.length - length, length)
        if (read === 0) break
        length += read
      }
      return { bytes: bytes.subarray(0, length), cutFrom: size > RECORD_CAP_BYTES ? size : null }
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}
