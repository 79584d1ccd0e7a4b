import type { RecordAddress } from '../db/archive/address.ts'
import type { StoredMessage } from '../db/queries/messages.ts'
import type { StoredPart } from '../db/queries/parts.ts'
import { recordCounts, recordsAt, recordsOfSession, type StoredRecord } from '../db/queries/records.ts'
import type { SessionHandle } from '../db/queries/session-handle.ts'
import type { StoredSession } from '../db/queries/sessions.ts'
import { itself, Lookup } from './batch.ts'
import { List, type PageArgs } from './connection.ts'
import { readRecord } from './content.ts'
import { shownJson } from './json-value.ts'
import type { Scope } from './scope.ts'
import { sourcesById } from './source-tables.ts'
import { type MaxChars, shown } from './text.ts'

export type { StoredRecord } from '../db/queries/records.ts'

/** Streams stand one behind the other in the positions of a session's records, each with room for this many. */
const STREAM_SPAN = 2 ** 32

const byAddress = new Lookup<readonly [number, number], StoredRecord | null>(
  ({ services }, keys) => recordsAt(services.store, keys),
  (key) => key.join(':'),
)
const counts = new Lookup<number, number>(({ services }, ids) => recordCounts(services.store, ids), itself)

export const recordCount = (scope: Scope, session: StoredSession) => counts.load(scope, session.id)
export const recordPosition = ({ streamRank, no }: StoredRecord): number => streamRank * STREAM_SPAN + no

/** `path:line`, or what the source's adapter makes of the record's key. */
export async function recordLocation(scope: Scope, { path, line, key, no, session }: StoredRecord): Promise<string> {
  if (key === null) return `${path}:${line ?? no + 1}`
  const source = (await sourcesById(scope)).get(session.sourceId)
  return scope.services.locate(source?.name ?? '')(path, key)
}

const ofSession = new List<SessionHandle, StoredRecord>()

export type RecordArgs = PageArgs & {
  readonly types?: readonly string[] | null | undefined
  readonly unmapped?: boolean | null | undefined
}

export const listRecords = (scope: Scope, args: RecordArgs, session: SessionHandle) =>
  ofSession.page(scope, recordsOfSession({ types: args.types ?? null, unmapped: args.unmapped ?? null }), args, session)

/** What a message was read from; nothing for one that Weir split off another. */
export const recordsOfMessage = ({ streamId, recordNo, moreRecords }: StoredMessage): RecordAddress[] =>
  streamId === null || recordNo === null ? [] : [recordNo, ...(moreRecords ?? [])].map((no) => ({ streamId, no }))

/** What a part was read from. A part that was split off cites nothing, though it knows where its text stands. */
export const recordsOfPart = ({ streamId, recordNo, isSplitOff }: StoredPart): RecordAddress[] =>
  isSplitOff || streamId === null || recordNo === null ? [] : [{ streamId, no: recordNo }]

/** The source's own record of a session, where it has one. */
export const recordsOfSessionItself = ({ recordStreamId, recordNo }: StoredSession): RecordAddress[] =>
  recordStreamId === null || recordNo === null ? [] : [{ streamId: recordStreamId, no: recordNo }]

export async function loadRecords(scope: Scope, addresses: readonly RecordAddress[]): Promise<StoredRecord[]> {
  const found = await Promise.all(addresses.map(({ streamId, no }) => byAddress.load(scope, [streamId, no])))
  return found.flatMap((record) => record ?? [])
}

/** The first of the records, parsed. */
export async function rawOf(scope: Scope, addresses: readonly RecordAddress[]): Promise<unknown> {
  const [first] = addresses
  if (first === undefined) return null
  const record = await byAddress.load(scope, [first.streamId, first.no])
  return record === null ? null : recordJson(scope, record)
}

export const recordJson = (scope: Scope, record: StoredRecord): Promise<unknown> =>
  readRecord(scope, record, 'JSON', (value) => {
    scope.spend(record.byteLength)
    return shownJson(value)
  })

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The record's exact text; null when its bytes are none. */
export const recordText = (scope: Scope, record: StoredRecord, maxChars: MaxChars): Promise<string | null> =>
  readRecord(scope, record, 'BYTES', (value) => {
    const text = value instanceof Uint8Array ? decode(value) : null
    return text === null ? null : shown(scope, text, maxChars)
  })

function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}
