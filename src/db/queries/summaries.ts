import type { InferSelectModel } from 'drizzle-orm'
import { type JsonKey, oneByKey } from '../by-key.ts'
import type { ListQuery } from '../keyset.ts'
import type { Store } from '../open.ts'
import { rowShape } from '../row-shape.ts'
import { summaries } from '../schema.ts'
import { decodeHandle, HANDLE_COLUMNS, HANDLE_WIDTH, type SessionHandle } from './session-handle.ts'

export type StoredSummary = InferSelectModel<typeof summaries> & { readonly session: SessionHandle }

const shape = rowShape(summaries, 't')
/** Summaries without a time come last. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER

/** Summaries of a session, oldest first. */
export const summariesOfSession: ListQuery<SessionHandle, StoredSummary> = {
  name: 'summaries',
  from: 'summaries t',
  parent: 't.session_id',
  where: [],
  order: [`coalesce(t.time, ${END_OF_TIME})`],
  direction: 'ASC',
  unique: ['t.id'],
  columns: shape.columns,
  decode: (values, from, session) => ({ ...shape.decode(values, from), session }),
}

const columns = `${HANDLE_COLUMNS}, ${shape.columns}`
const decode = (values: readonly unknown[]): StoredSummary => ({
  ...shape.decode(values, 1 + HANDLE_WIDTH),
  session: decodeHandle(values, 1),
})

/** The summary that a message carries. Keys are (row id of the session, row id of the message). */
export const summariesByMessage = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${columns} from json_each(?) k join sessions s on s.id = k.value ->> 0
     join summaries t on t.session_id = s.id and t.message_id = k.value ->> 1 order by k.key, t.id`,
    keys,
    decode,
  )

/** By (uid of the session in hexadecimal digits, native id). */
export const summariesByUid = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${columns} from json_each(?) k join sessions s on s.uid = unhex(k.value ->> 0)
     join summaries t on t.session_id = s.id and t.native_id = k.value ->> 1`,
    keys,
    decode,
  )
