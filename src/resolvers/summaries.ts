import type { StoredMessage } from '../db/queries/messages.ts'
import type { SessionHandle } from '../db/queries/session-handle.ts'
import { type StoredSummary, summariesByMessage, summariesByUid, summariesOfSession } from '../db/queries/summaries.ts'
import type { NodeId } from '../model/ids.ts'
import { Lookup } from './batch.ts'
import { List, type PageArgs } from './connection.ts'
import { uidHex } from './ids.ts'
import { messageById } from './messages.ts'
import type { Scope } from './scope.ts'
import { summaryTexts } from './summary-text.ts'

export type { StoredSummary } from '../db/queries/summaries.ts'

const byMessage = new Lookup<readonly [number, number], StoredSummary | null>(
  ({ services }, keys) => summariesByMessage(services.store, keys),
  (key) => key.join('/'),
)
const byUid = new Lookup<readonly [string, string], StoredSummary | null>(
  ({ services }, keys) => summariesByUid(services.store, keys),
  (key) => key.join('/'),
)

const ofSession = new List<SessionHandle, StoredSummary>()

export const listSummaries = (scope: Scope, args: PageArgs, session: SessionHandle) =>
  ofSession.page(scope, summariesOfSession, args, session)

/** The summary that a compaction left on a message. */
export const compactionOf = async (scope: Scope, message: StoredMessage): Promise<StoredSummary | null> =>
  message.compaction === null ? null : byMessage.load(scope, [message.session.id, message.id])

export const summaryOfId = (scope: Scope, { uid, key }: NodeId) => byUid.load(scope, [uidHex(uid), key])

export const summaryMessage = async (scope: Scope, { messageId }: StoredSummary): Promise<StoredMessage | null> =>
  messageId === null ? null : messageById(scope, messageId)

/** The summary's text: its own, else that of the message which carries it; null where the source keeps it unreadable. */
export async function summaryContent(scope: Scope, summary: StoredSummary): Promise<string | null> {
  if (summary.content !== null) {
    scope.spend(summary.content.length)
    return summary.content
  }
  return summary.messageId === null ? null : summaryTexts(scope, summary.messageId)
}
