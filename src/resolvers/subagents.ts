import type { SessionHandle } from '../db/queries/session-handle.ts'
import { type StoredSubagent, subagentsByUid, subagentsOfSession } from '../db/queries/subagents.ts'
import { encodeNodeId, type NodeId } from '../model/ids.ts'
import { Lookup } from './batch.ts'
import { List, type PageArgs } from './connection.ts'
import { uidHex } from './ids.ts'
import { callOfPair } from './parts.ts'
import type { Scope } from './scope.ts'
import { siblingSession } from './sessions.ts'

export type { StoredSubagent } from '../db/queries/subagents.ts'

const byUid = new Lookup<readonly [string, string], StoredSubagent | null>(
  ({ services }, keys) => subagentsByUid(services.store, keys),
  (key) => JSON.stringify(key),
)
const ofSession = new List<SessionHandle, StoredSubagent>()

export const subagentId = ({ session, agentId }: StoredSubagent): string =>
  encodeNodeId('Subagent', session.uid, agentId)

export const subagentOfId = (scope: Scope, { uid, key }: NodeId) => byUid.load(scope, [uidHex(uid), key])

export const listSubagents = (scope: Scope, args: PageArgs, session: SessionHandle) =>
  ofSession.page(scope, subagentsOfSession, args, session)

export const subagentCall = async (scope: Scope, { session, pair }: StoredSubagent) =>
  pair === null ? null : callOfPair(scope, session, pair)

/** The session that its transcript became, where the source keeps one. */
export const subagentSession = async (scope: Scope, { session, childNativeId }: StoredSubagent) =>
  childNativeId === null ? null : siblingSession(scope, session, childNativeId)
