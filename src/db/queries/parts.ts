import type { InferSelectModel } from 'drizzle-orm'
import { PART_KINDS, type PartKind } from '../../model/enums.ts'
import { type JsonKey, manyByKey, oneByKey } from '../by-key.ts'
import { codeOf, valueAt } from '../columns.ts'
import type { ListQuery } from '../keyset.ts'
import type { Store } from '../open.ts'
import { rowShape } from '../row-shape.ts'
import { parts } from '../schema.ts'
import { oneOf } from '../sql.ts'
import type { StoredMessage } from './messages.ts'
import { decodeHandle, HANDLE_COLUMNS, HANDLE_WIDTH, type SessionHandle } from './session-handle.ts'

export type StoredPart = InferSelectModel<typeof parts> & {
  readonly session: SessionHandle
  /** Set where the part was reached from its message. */
  readonly message: StoredMessage | null
}

export const partShape = rowShape(parts, 't')

/** Parts of a message, in order; what its source took out again stands behind the others. */
export function partsOfMessage(kinds: readonly PartKind[] | null): ListQuery<StoredMessage, StoredPart> {
  return {
    name: `parts ${JSON.stringify(kinds)}`,
    from: 'parts t',
    parent: 't.message_id',
    where: [
      ...(kinds === null
        ? []
        : [
            oneOf(
              't.kind',
              kinds.map((kind) => codeOf(PART_KINDS, kind)),
            ),
          ]),
    ],
    order: ['t.ordinal'],
    direction: 'ASC',
    unique: ['t.id'],
    columns: partShape.columns,
    decode: (values, from, message) => ({ ...partShape.decode(values, from), session: message.session, message }),
  }
}

const columns = `${HANDLE_COLUMNS}, ${partShape.columns}`
const decode = (values: readonly unknown[]): StoredPart => ({
  ...partShape.decode(values, 1 + HANDLE_WIDTH),
  session: decodeHandle(values, 1),
  message: null,
})

/** By (uid of the session in hexadecimal digits, native id). */
export const partsByUid = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${columns} from json_each(?) k join sessions s on s.uid = unhex(k.value ->> 0)
     join parts t on t.session_id = s.id and t.native_id = k.value ->> 1`,
    keys,
    decode,
  )

/** The first part of a kind with that pair: the call of a result, or the result of a call. Keys are (row id of the session, pair, kind's code). */
export const partsByPair = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${columns} from json_each(?) k join sessions s on s.id = k.value ->> 0
     join parts t on t.session_id = s.id and t.pair = k.value ->> 1 and t.kind = k.value ->> 2 order by k.key, t.is_removed, t.id`,
    keys,
    decode,
  )

export interface KindCount {
  readonly kind: PartKind
  readonly count: number
}

/** How many parts of each kind the messages have; kinds without any are left out. */
export const partCountsOfMessages = (store: Store, ids: readonly number[]): KindCount[][] =>
  manyByKey(
    store,
    `select k.key, t.kind, count(*) from json_each(?) k join parts t on t.message_id = k.value
     group by k.key, t.kind order by k.key, t.kind`,
    ids,
    (row) => ({ kind: valueAt(PART_KINDS, Number(row[1])), count: Number(row[2]) }),
  )

const textParts = (store: Store, ids: readonly number[], where: string): StoredPart[][] =>
  manyByKey(
    store,
    `select k.key, ${columns} from json_each(?) k join parts t on t.message_id = k.value join sessions s on s.id = t.session_id
     where t.kind = 0 and t.text_length > 0 ${where} order by k.key, t.ordinal, t.id`,
    ids,
    decode,
  )

/** The parts that make up the messages' own text: what the person or the model wrote, not empty. */
export const textPartsOfMessages = (store: Store, ids: readonly number[]): StoredPart[][] =>
  textParts(store, ids, 'and t.provenance = 0')

/** The same, with what the harness put there. */
export const allTextPartsOfMessages = (store: Store, ids: readonly number[]): StoredPart[][] =>
  textParts(store, ids, '')

/** Code points of the messages' own texts, joined by blank lines. */
export const textLengthsOfMessages = (store: Store, ids: readonly number[]): number[] =>
  oneByKey(
    store,
    `select k.key, sum(t.text_length) + 2 * (count(*) - 1) from json_each(?) k join parts t on t.message_id = k.value
     where t.kind = 0 and t.provenance = 0 and t.text_length > 0 group by k.key`,
    ids,
    (row) => Number(row[1]),
  ).map((length) => length ?? 0)
