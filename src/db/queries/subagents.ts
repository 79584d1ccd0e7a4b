import type { InferSelectModel } from 'drizzle-orm'
import { type JsonKey, oneByKey } from '../by-key.ts'
import type { ListQuery } from '../keyset.ts'
import type { Store } from '../open.ts'
import { rowShape } from '../row-shape.ts'
import { subagents } from '../schema.ts'
import { decodeHandle, HANDLE_COLUMNS, HANDLE_WIDTH, type SessionHandle } from './session-handle.ts'

export type StoredSubagent = InferSelectModel<typeof subagents> & { readonly session: SessionHandle }

const shape = rowShape(subagents, 't')

/** Sub-agents of a session, by their ids: sources tell no common order of them. */
export const subagentsOfSession: ListQuery<SessionHandle, StoredSubagent> = {
  name: 'subagents',
  from: 'subagents t',
  parent: 't.session_id',
  where: [],
  order: ['t.agent_id'],
  direction: 'ASC',
  unique: ['t.id'],
  columns: shape.columns,
  decode: (values, from, session) => ({ ...shape.decode(values, from), session }),
}

/** By (uid of the session in hexadecimal digits, agent id). */
export const subagentsByUid = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${HANDLE_COLUMNS}, ${shape.columns} from json_each(?) k join sessions s on s.uid = unhex(k.value ->> 0)
     join subagents t on t.session_id = s.id and t.agent_id = k.value ->> 1`,
    keys,
    (values): StoredSubagent => ({ ...shape.decode(values, 1 + HANDLE_WIDTH), session: decodeHandle(values, 1) }),
  )
