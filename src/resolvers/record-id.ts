import { createHash } from 'node:crypto'
import {
  recordNumbers,
  recordsAt,
  type StoredRecord,
  type StreamName,
  streamsOfSessions,
} from '../db/queries/records.ts'
import { encodeNodeId, type NodeId } from '../model/ids.ts'
import { itself, Lookup } from './batch.ts'
import { uidHex } from './ids.ts'
import type { Scope } from './scope.ts'

/**
 * Id of a record: made from its unit's key, its generation, and its own key or number, so that it is the same in a store that was
 * built anew, where streams have other row ids.
 */
export const recordId = (record: StoredRecord): string =>
  encodeNodeId(
    'SourceRecord',
    record.session.uid,
    `${streamMark(record)}${record.key === null ? record.no : `#${record.key}`}`,
  )

const streamMark = ({ unitKey, generation }: Pick<StoredRecord, 'unitKey' | 'generation'>): string =>
  `${createHash('sha256').update(unitKey).digest('base64url').slice(0, 11)}/${generation}/`

const streams = new Lookup<string, StreamName[]>(
  ({ services }, uids) => streamsOfSessions(services.store, uids),
  itself,
)
const numbers = new Lookup<readonly [number, string], number | null>(
  ({ services }, keys) => recordNumbers(services.store, keys),
  (key) => key.join('/'),
)
const records = new Lookup<readonly [number, number], StoredRecord | null>(
  ({ services }, keys) => recordsAt(services.store, keys),
  (key) => key.join('/'),
)

/** The record that an id names. */
export async function recordOfId(scope: Scope, { uid, key }: NodeId): Promise<StoredRecord | null> {
  const stream = (await streams.load(scope, uidHex(uid))).find((one) => key.startsWith(streamMark(one)))
  if (stream === undefined) return null
  const place = key.slice(streamMark(stream).length)
  const no = place.startsWith('#') ? await numbers.load(scope, [stream.streamId, place.slice(1)]) : numberOf(place)
  return no === null ? null : records.load(scope, [stream.streamId, no])
}

const numberOf = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null)
