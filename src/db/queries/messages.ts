import type { InferSelectModel } from 'drizzle-orm'
import { MESSAGE_ROLES, type MessageRole } from '../../model/enums.ts'
import { type JsonKey, oneByKey } from '../by-key.ts'
import { codeOf } from '../columns.ts'
import type { ListQuery } from '../keyset.ts'
import type { Store } from '../open.ts'
import { rowShape } from '../row-shape.ts'
import { messages } from '../schema.ts'
import { oneOf, type Sql, sql } from '../sql.ts'
import { decodeHandle, HANDLE_COLUMNS, HANDLE_WIDTH, type SessionHandle } from './session-handle.ts'

export type StoredMessage = InferSelectModel<typeof messages> & { readonly session: SessionHandle }

export interface MessageFilter {
  readonly roles?: readonly MessageRole[] | null | undefined
  readonly conversationalOnly?: boolean | null | undefined
  readonly activePathOnly?: boolean | null | undefined
}

const shape = rowShape(messages, 't')

/** Messages of a session, in session order. */
export function messagesOfSession(filter: MessageFilter): ListQuery<SessionHandle, StoredMessage> {
  return {
    name: `messages ${JSON.stringify(filter)}`,
    from: 'messages t',
    parent: 't.session_id',
    where: messageConditions(filter),
    order: ['t.order_key'],
    direction: 'ASC',
    unique: ['t.id'],
    columns: shape.columns,
    decode: (values, from, session) => ({ ...shape.decode(values, from), session }),
  }
}

function messageConditions({ roles, conversationalOnly, activePathOnly }: MessageFilter): Sql[] {
  const conditions: Sql[] = [sql('t.is_billed_only = 0')]
  if (roles)
    conditions.push(
      oneOf(
        't.role',
        roles.map((role) => codeOf(MESSAGE_ROLES, role)),
      ),
    )
  if (conversationalOnly === true) conditions.push(sql('t.is_conversational = 1'))
  if (activePathOnly === true) {
    conditions.push(
      sql('t.is_on_active_path = 1 and t.is_removed = 0'),
      sql(
        `not exists (select 1 from sessions s where s.id = t.session_id and s.reverted_from_key is not null
         and t.order_key >= s.reverted_from_key)`,
      ),
    )
  }
  return conditions
}

/** Whether the message is part of what the session now holds: on no branch left behind, not reverted, not deleted at its source. */
export const isOnActivePath = ({ isOnActivePath, isRemoved, orderKey, session }: StoredMessage): boolean =>
  isOnActivePath && !isRemoved && (session.revertedFromKey === null || orderKey < session.revertedFromKey)

const columns = `${HANDLE_COLUMNS}, ${shape.columns}`
const decode = (values: readonly unknown[]): StoredMessage => ({
  ...shape.decode(values, 1 + HANDLE_WIDTH),
  session: decodeHandle(values, 1),
})

export const messagesById = (store: Store, ids: readonly number[]) =>
  oneByKey(
    store,
    `select k.key, ${columns} from json_each(?) k join messages t on t.id = k.value join sessions s on s.id = t.session_id`,
    ids,
    decode,
  )

/** By (uid of the session in hexadecimal digits, native id). */
export const messagesByUid = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${columns} from json_each(?) k join sessions s on s.uid = unhex(k.value ->> 0)
     join messages t on t.session_id = s.id and t.native_id = k.value ->> 1 and t.is_billed_only = 0`,
    keys,
    decode,
  )

/** By (row id of the session, native id). */
export const messagesByNative = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${columns} from json_each(?) k join sessions s on s.id = k.value ->> 0
     join messages t on t.session_id = s.id and t.native_id = k.value ->> 1`,
    keys,
    decode,
  )

/** Each message's rank in its session, from 0. One walk a session, as far as its last message asked for, however many were. */
export function messageRanks(store: Store, wanted: readonly StoredMessage[]): number[] {
  const inOrder = [...wanted].sort(
    (a, b) => a.session.id - b.session.id || Buffer.compare(Buffer.from(a.orderKey), Buffer.from(b.orderKey)),
  )
  const steps = inOrder.map((message, i): JsonKey => {
    const previous = inOrder[i - 1]
    return [message.session.id, previous?.session.id === message.session.id ? previous.orderKey : '', message.orderKey]
  })
  const counts = oneByKey(
    store,
    `select k.key, (select count(*) from messages m where m.session_id = k.value ->> 0
       and m.is_billed_only = 0 and m.order_key >= k.value ->> 1 and m.order_key < k.value ->> 2) from json_each(?) k`,
    steps,
    (row) => Number(row[1]),
  )
  const ranks = new Map<number, number>()
  let rank = 0
  for (const [i, message] of inOrder.entries()) {
    if (inOrder[i - 1]?.session.id !== message.session.id) rank = 0
    rank += counts[i] ?? 0
    ranks.set(message.id, rank)
  }
  return wanted.map(({ id }) => ranks.get(id) ?? 0)
}
