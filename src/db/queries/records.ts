import { type JsonKey, manyByKey, oneByKey } from '../by-key.ts'
import type { ListQuery } from '../keyset.ts'
import type { Store } from '../open.ts'
import { type Sql, sql } from '../sql.ts'
import { decodeHandle, HANDLE_COLUMNS, HANDLE_WIDTH, type SessionHandle } from './session-handle.ts'

export interface StoredRecord {
  readonly session: SessionHandle
  readonly streamId: number
  readonly no: number
  readonly type: string
  readonly byteLength: number
  /** Physical line, where the record is one. */
  readonly line: number | null
  /** Key of a record that is replaced in place. */
  readonly key: string | null
  readonly path: string
  readonly unitKey: string
  readonly generation: number
  /** How many streams of the session stand before this one. */
  readonly streamRank: number
}

export interface RecordFilter {
  readonly types: readonly string[] | null
  /** True: only records that no message or part was read from; false: only others. */
  readonly unmapped: boolean | null
}

const COLUMNS = `r.stream_id, r.no, n.value, r.byte_length, r.line, r.key, st.path, u.key, st.generation,
  (select count(*) from streams b where b.session_id = st.session_id and b.id < st.id), st.is_keyed`
const JOINS = 'left join names n on n.id = r.type_id left join units u on u.id = st.unit_id'

function decode(values: readonly unknown[], from: number, session: SessionHandle): StoredRecord {
  const text = (at: number): string => String(values[from + at] ?? '')
  const line = values[from + 4]
  const key = values[from + 5]
  const isKeyed = values[from + 10] === 1
  const no = Number(values[from + 1])
  return {
    session,
    streamId: Number(values[from]),
    no,
    type: text(2),
    byteLength: Number(values[from + 3]),
    line: isKeyed ? null : typeof line === 'number' ? line : no + 1,
    key: typeof key === 'string' ? key : null,
    path: text(6),
    unitKey: text(7),
    generation: Number(values[from + 8]),
    streamRank: Number(values[from + 9]),
  }
}

/** Everything that the source wrote for a session, in the source's order. */
export function recordsOfSession({ types, unmapped }: RecordFilter): ListQuery<SessionHandle, StoredRecord> {
  const where: Sql[] = []
  if (types !== null) {
    where.push(
      sql('r.type_id in (select id from names where value in (select value from json_each(?)))', JSON.stringify(types)),
    )
  }
  if (unmapped !== null) where.push(sql('r.is_mapped = ?', unmapped ? 0 : 1))
  return {
    name: `records ${JSON.stringify([types, unmapped])}`,
    from: `streams st cross join records r on r.stream_id = st.id ${JOINS}`,
    fromKeys: `records r join streams st on st.id = r.stream_id ${JOINS}`,
    parent: 'st.session_id',
    where,
    order: [],
    direction: 'ASC',
    unique: ['r.stream_id', 'r.no'],
    columns: COLUMNS,
    decode,
  }
}

/** Records at (stream, number). */
export const recordsAt = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${HANDLE_COLUMNS}, ${COLUMNS} from json_each(?) k
     join records r on r.stream_id = k.value ->> 0 and r.no = k.value ->> 1
     join streams st on st.id = r.stream_id join sessions s on s.id = st.session_id ${JOINS}`,
    keys,
    (row) => decode(row, 1 + HANDLE_WIDTH, decodeHandle(row, 1)),
  )

/** The format's own types of the records at (stream, number). */
export const recordTypesAt = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, n.value from json_each(?) k join records r on r.stream_id = k.value ->> 0 and r.no = k.value ->> 1
     join names n on n.id = r.type_id`,
    keys,
    (row) => String(row[1]),
  )

/** Number of a record with that key in its stream. Keys are (stream, record key). */
export const recordNumbers = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, r.no from json_each(?) k join records r on r.stream_id = k.value ->> 0 and r.key = k.value ->> 1`,
    keys,
    (row) => Number(row[1]),
  )

export interface StreamName {
  readonly streamId: number
  readonly unitKey: string
  readonly generation: number
}

/** The streams of the sessions with those uids (hexadecimal digits). A session has few. */
export const streamsOfSessions = (store: Store, uids: readonly string[]): StreamName[][] =>
  manyByKey(
    store,
    `select k.key, st.id, u.key, st.generation from json_each(?) k join sessions s on s.uid = unhex(k.value)
     join streams st on st.session_id = s.id join units u on u.id = st.unit_id`,
    uids,
    (row) => ({ streamId: Number(row[1]), unitKey: String(row[2]), generation: Number(row[3]) }),
  )

/** Number of records of each session. */
export const recordCounts = (store: Store, ids: readonly number[]): number[] =>
  oneByKey(
    store,
    'select k.key, sum(st.record_count) from json_each(?) k join streams st on st.session_id = k.value group by k.key',
    ids,
    (row) => Number(row[1]),
  ).map((count) => count ?? 0)
