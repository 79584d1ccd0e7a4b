import { cursorAt, type Page } from '../db/keyset.ts'
import {
  type MessageFilter,
  messageRanks,
  messagesById,
  messagesByNative,
  messagesByUid,
  messagesOfSession,
  type StoredMessage,
} from '../db/queries/messages.ts'
import { type KindCount, partCountsOfMessages } from '../db/queries/parts.ts'
import type { SessionHandle } from '../db/queries/session-handle.ts'
import { CodedError } from '../model/error.ts'
import type { NodeId } from '../model/ids.ts'
import { itself, Lookup } from './batch.ts'
import { type Connection, List, MAX_PAGE_SIZE, type PageArgs } from './connection.ts'
import { parseIdOf, uidHex } from './ids.ts'
import type { Scope } from './scope.ts'

export { isOnActivePath, type StoredMessage } from '../db/queries/messages.ts'
export type { KindCount } from '../db/queries/parts.ts'

const byId = new Lookup<number, StoredMessage | null>(({ services }, ids) => messagesById(services.store, ids), itself)
const byUid = new Lookup<readonly [string, string], StoredMessage | null>(
  ({ services }, keys) => messagesByUid(services.store, keys),
  (key) => key.join('/'),
)
const byNative = new Lookup<readonly [number, string], StoredMessage | null>(
  ({ services }, keys) => messagesByNative(services.store, keys),
  (key) => key.join('/'),
)
const ranks = new Lookup<StoredMessage, number>(
  ({ services }, messages) => messageRanks(services.store, messages),
  ({ id }) => id,
)
const counts = new Lookup<number, KindCount[]>(({ services }, ids) => partCountsOfMessages(services.store, ids), itself)

export const messageById = (scope: Scope, id: number) => byId.load(scope, id)
export const messageOfId = (scope: Scope, { uid, key }: NodeId) => byUid.load(scope, [uidHex(uid), key])
export const messageByNativeId = (scope: Scope, sessionRow: number, nativeId: string) =>
  byNative.load(scope, [sessionRow, nativeId])
export const messageIndex = (scope: Scope, message: StoredMessage) => ranks.load(scope, message)
export const messagePartCounts = (scope: Scope, message: StoredMessage) => counts.load(scope, message.id)

const ofSession = new List<SessionHandle, StoredMessage>()

export type MessageArgs = PageArgs & { readonly filter?: MessageFilter | null | undefined }

/** The filter in one canonical form, so that cursors of the same filter fit together. */
const readFilter = (filter: MessageFilter | null | undefined): MessageFilter => ({
  roles: filter?.roles ?? null,
  conversationalOnly: filter?.conversationalOnly ?? false,
  activePathOnly: filter?.activePathOnly ?? false,
})

export const listMessages = (scope: Scope, args: MessageArgs, session: SessionHandle) =>
  ofSession.page(scope, messagesOfSession(readFilter(args.filter)), args, session)

export interface AroundArgs {
  readonly message: string
  readonly before?: number | null | undefined
  readonly after?: number | null | undefined
}
const AROUND = 25

/** A message with its neighbours; the page goes on through `messages`. */
export async function messagesAround(
  scope: Scope,
  args: AroundArgs,
  session: SessionHandle,
): Promise<Connection<StoredMessage>> {
  const message = await messageOfId(scope, parseIdOf('Message', args.message))
  if (message === null || message.session.id !== session.id) {
    throw new CodedError('NOT_FOUND', 'This session has no message with that id.')
  }
  const query = messagesOfSession(readFilter(null))
  const here: Page<SessionHandle, StoredMessage> = {
    parent: session,
    request: { limit: 1, isForward: true, after: null, before: null },
    rows: [message],
    sortValues: [[message.orderKey, message.id]],
    hasMore: false,
  }
  const cursor = cursorAt(query, here, 0)
  const beside = async (limit: number, isForward: boolean) => {
    if (limit < 0 || limit > MAX_PAGE_SIZE) {
      throw new CodedError('BAD_USER_INPUT', `"before" and "after" must be from 0 to ${MAX_PAGE_SIZE}.`)
    }
    if (limit === 0) return null
    const bound = isForward ? { after: cursor, before: null } : { after: null, before: cursor }
    return ofSession.rows(scope, query, { limit, isForward, ...bound }, session)
  }
  const [before, after] = await Promise.all([beside(args.before ?? AROUND, false), beside(args.after ?? AROUND, true)])
  return ofSession.connect(scope, query, {
    ...here,
    // Both cursors are set, so that what lies beyond either end is looked up and not taken for nothing.
    request: { limit: 1, isForward: true, after: cursor, before: cursor },
    rows: [...(before?.rows ?? []), message, ...(after?.rows ?? [])],
    sortValues: [...(before?.sortValues ?? []), ...here.sortValues, ...(after?.sortValues ?? [])],
    hasMore: after?.hasMore ?? false,
  })
}
