import type { InferSelectModel } from 'drizzle-orm'
import { type JsonKey, manyByKey, oneByKey } from '../by-key.ts'
import type { ListParent, ListQuery } from '../keyset.ts'
import type { Store } from '../open.ts'
import { rowShape } from '../row-shape.ts'
import { sessions } from '../schema.ts'
import type { Sql } from '../sql.ts'
import { type SessionFilter, sessionConditions } from './session-filter.ts'

export type StoredSession = InferSelectModel<typeof sessions>

const shape = rowShape(sessions, 't')

export const SESSION_ORDER_FIELDS = [
  'UPDATED_AT',
  'CREATED_AT',
  'LAST_ACTIVITY_AT',
  'MESSAGE_COUNT',
  'TOTAL_TOKENS',
  'COST',
  'TITLE',
] as const
export type SessionOrderField = (typeof SESSION_ORDER_FIELDS)[number]
export interface SessionOrder {
  readonly field: SessionOrderField
  readonly direction: 'ASC' | 'DESC'
}

/** Each has an index with the row's id behind it. */
const ORDER_COLUMNS: {
  readonly [field in SessionOrderField]: { readonly column: string; readonly isNullable: boolean }
} = {
  UPDATED_AT: { column: 't.updated_at', isNullable: false },
  CREATED_AT: { column: 't.created_at', isNullable: false },
  LAST_ACTIVITY_AT: { column: 't.last_activity_at', isNullable: false },
  MESSAGE_COUNT: { column: 't.message_count', isNullable: false },
  TOTAL_TOKENS: { column: 't.total_tokens', isNullable: true },
  COST: { column: 't.cost_nanos', isNullable: true },
  TITLE: { column: 't.title', isNullable: true },
}

function sessionList(
  name: string,
  parent: string | null,
  where: readonly Sql[],
  order: SessionOrder,
): ListQuery<ListParent, StoredSession> {
  const { column, isNullable } = ORDER_COLUMNS[order.field]
  return {
    name: `${name} ${order.field} ${order.direction}`,
    from: 'sessions t',
    parent,
    where,
    order: [column],
    isNullable,
    direction: order.direction,
    unique: ['t.id'],
    columns: shape.columns,
    decode: (values, from) => shape.decode(values, from),
  }
}

/** All sessions that pass the filter. */
export const allSessions = (
  filter: SessionFilter,
  order: SessionOrder,
  now: number,
): ListQuery<ListParent, StoredSession> =>
  sessionList(`sessions ${JSON.stringify(filter)}`, null, sessionConditions(filter, now), order)

/** Sessions of a project that pass the filter. */
export const sessionsOfProject = (
  filter: SessionFilter,
  order: SessionOrder,
  now: number,
): ListQuery<ListParent, StoredSession> =>
  sessionList(`project sessions ${JSON.stringify(filter)}`, 't.project_id', sessionConditions(filter, now), order)

/** What a session spawned, and what was forked or resumed from it, oldest first. */
export const childrenOfSession: ListQuery<ListParent, StoredSession> = sessionList('children', 't.parent_id', [], {
  field: 'CREATED_AT',
  direction: 'ASC',
})

export const sessionsById = (store: Store, ids: readonly number[]) =>
  oneByKey(store, `select k.key, ${shape.columns} from json_each(?) k join sessions t on t.id = k.value`, ids, (row) =>
    shape.decode(row, 1),
  )

/** By uid in hexadecimal digits. */
export const sessionsByUid = (store: Store, uids: readonly string[]) =>
  oneByKey(
    store,
    `select k.key, ${shape.columns} from json_each(?) k join sessions t on t.uid = unhex(k.value)`,
    uids,
    (row) => shape.decode(row, 1),
  )

/** By (origin's row id, source's row id, native id). */
export const sessionsByNative = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${shape.columns} from json_each(?) k join sessions t
     on t.native_id = k.value ->> 2 and t.origin_id = k.value ->> 0 and t.source_id = k.value ->> 1`,
    keys,
    (row) => shape.decode(row, 1),
  )

/** The session that a call of its parent started, by (row id of the parent, pair of the call); the first, if there are several. */
export const sessionsByParentPair = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${shape.columns} from json_each(?) k join sessions t
     on t.parent_id = k.value ->> 0 and t.parent_pair = k.value ->> 1 order by k.key, t.created_at, t.id`,
    keys,
    (row) => shape.decode(row, 1),
  )

/** How many sessions stand below each in the tree. `union` ends the walk where parents form a cycle. */
export const descendantCounts = (store: Store, ids: readonly number[]): number[] =>
  oneByKey(
    store,
    `with recursive below (top, id) as (
       select k.key, s.id from json_each(?) k join sessions s on s.parent_id = k.value
       union select b.top, s.id from below b join sessions s on s.parent_id = b.id)
     select top, count(*) from below group by top`,
    ids,
    (row) => Number(row[1]),
  ).map((count) => count ?? 0)

/** Tags in alphabetical order. */
export const tagsOfSessions = (store: Store, ids: readonly number[]): string[][] =>
  manyByKey(
    store,
    'select k.key, t.tag from json_each(?) k join tags t on t.session_id = k.value order by k.key, t.tag',
    ids,
    (row) => String(row[1]),
  )

/** Order key of a session's newest prompt of the person, by its message's row id. */
export const lastPrompts = (store: Store, ids: readonly number[]) =>
  oneByKey(
    store,
    `select k.key, (select m.id from messages m where m.session_id = k.value and m.role = 1 and m.is_conversational = 1
       and m.is_meta = 0 and m.is_removed = 0 order by m.order_key desc limit 1) from json_each(?) k`,
    ids,
    (row) => (row[1] === null ? null : Number(row[1])),
  )

export const uidKey = (uid: Uint8Array): string => Buffer.from(uid).toString('hex')
