import type { InferSelectModel } from 'drizzle-orm'
import { type JsonKey, oneByKey } from '../by-key.ts'
import type { ListQuery } from '../keyset.ts'
import type { Store } from '../open.ts'
import { rowShape } from '../row-shape.ts'
import { workflowAgents, workflows } from '../schema.ts'
import { decodeHandle, HANDLE_COLUMNS, HANDLE_WIDTH, type SessionHandle } from './session-handle.ts'

export type StoredWorkflow = InferSelectModel<typeof workflows> & { readonly session: SessionHandle }
export type StoredWorkflowAgent = InferSelectModel<typeof workflowAgents> & { readonly workflow: StoredWorkflow }

const shape = rowShape(workflows, 't')
const agentShape = rowShape(workflowAgents, 'a')
/** Runs without a time come last. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER

/** Workflow runs of a session, oldest first. */
export const workflowsOfSession: ListQuery<SessionHandle, StoredWorkflow> = {
  name: 'workflows',
  from: 'workflows t',
  parent: 't.session_id',
  where: [],
  order: [`coalesce(t.time, ${END_OF_TIME})`, 't.run_id'],
  direction: 'ASC',
  unique: ['t.id'],
  columns: shape.columns,
  decode: (values, from, session) => ({ ...shape.decode(values, from), session }),
}

/** Agents of a run, by their ids. */
export const agentsOfWorkflow: ListQuery<StoredWorkflow, StoredWorkflowAgent> = {
  name: 'workflow agents',
  from: 'workflow_agents a',
  parent: 'a.workflow_id',
  where: [],
  order: ['a.agent_id'],
  direction: 'ASC',
  unique: ['a.id'],
  columns: agentShape.columns,
  decode: (values, from, workflow) => ({ ...agentShape.decode(values, from), workflow }),
}

/** How many agents each run has: counted, never stored. */
export const agentCounts = (store: Store, ids: readonly number[]): number[] =>
  oneByKey(
    store,
    'select k.key, (select count(*) from workflow_agents a where a.workflow_id = k.value) from json_each(?) k',
    ids,
    (row) => Number(row[1]),
  ).map((count) => count ?? 0)

const columns = `${HANDLE_COLUMNS}, ${shape.columns}`
const decode = (values: readonly unknown[]): StoredWorkflow => ({
  ...shape.decode(values, 1 + HANDLE_WIDTH),
  session: decodeHandle(values, 1),
})

/** By (uid of the session in hexadecimal digits, run id). */
export const workflowsByUid = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${columns} from json_each(?) k join sessions s on s.uid = unhex(k.value ->> 0)
     join workflows t on t.session_id = s.id and t.run_id = k.value ->> 1`,
    keys,
    decode,
  )

/** By (uid of the session in hexadecimal digits, run id, agent id). */
export const workflowAgentsByUid = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${columns}, ${agentShape.columns} from json_each(?) k join sessions s on s.uid = unhex(k.value ->> 0)
     join workflows t on t.session_id = s.id and t.run_id = k.value ->> 1
     join workflow_agents a on a.workflow_id = t.id and a.agent_id = k.value ->> 2`,
    keys,
    (values): StoredWorkflowAgent => ({
      ...agentShape.decode(values, 1 + HANDLE_WIDTH + shape.width),
      workflow: decode(values),
    }),
  )
