import type { SessionFilter } from '../db/queries/session-filter.ts'
import type { SessionHandle } from '../db/queries/session-handle.ts'
import {
  allSessions,
  childrenOfSession,
  descendantCounts,
  lastPrompts,
  type SessionOrder,
  type StoredSession,
  sessionsById,
  sessionsByNative,
  sessionsByParentPair,
  sessionsByUid,
  sessionsOfProject,
  tagsOfSessions,
} from '../db/queries/sessions.ts'
import { CodedError } from '../model/error.ts'
import { sessionUid } from '../model/ids.ts'
import { itself, Lookup } from './batch.ts'
import { type Connection, List, type ListParent, type PageArgs, ROOT } from './connection.ts'
import { parseIdOf, uidHex } from './ids.ts'
import type { Scope } from './scope.ts'
import { checkMaxChars, type MaxChars, messageText } from './text.ts'

export type { StoredSession } from '../db/queries/sessions.ts'
export { SESSION_ORDER_FIELDS } from '../db/queries/sessions.ts'

const byId = new Lookup<number, StoredSession | null>(({ services }, ids) => sessionsById(services.store, ids), itself)
const byUid = new Lookup<string, StoredSession | null>(
  ({ services }, uids) => sessionsByUid(services.store, uids),
  itself,
)
const byNative = new Lookup<readonly [number, number, string], StoredSession | null>(
  ({ services }, keys) => sessionsByNative(services.store, keys),
  (key) => JSON.stringify(key),
)
const byParentPair = new Lookup<readonly [number, string], StoredSession | null>(
  ({ services }, keys) => sessionsByParentPair(services.store, keys),
  (key) => JSON.stringify(key),
)
const descendants = new Lookup<number, number>(({ services }, ids) => descendantCounts(services.store, ids), itself)
const tags = new Lookup<number, readonly string[]>(({ services }, ids) => tagsOfSessions(services.store, ids), itself)
const prompts = new Lookup<number, number | null>(({ services }, ids) => lastPrompts(services.store, ids), itself)

export const sessionById = (scope: Scope, id: number) => byId.load(scope, id)
export const sessionByUid = (scope: Scope, uid: Uint8Array) => byUid.load(scope, uidHex(uid))
export const descendantCount = (scope: Scope, session: StoredSession) => descendants.load(scope, session.id)
export const sessionTags = (scope: Scope, session: StoredSession) => tags.load(scope, session.id)

/** The session of a row, which is there unless it was erased a moment ago. */
export async function sessionOf(
  scope: Scope,
  { session }: { readonly session: SessionHandle },
): Promise<StoredSession> {
  const found = await sessionById(scope, session.id)
  if (found === null) throw new CodedError('NOT_FOUND', 'The session was erased while it was read.')
  return found
}

/** By the source's own id, on the machine named. */
export const sessionByNativeId = (scope: Scope, source: string, nativeId: string, origin: string | null | undefined) =>
  sessionByUid(
    scope,
    sessionUid({ origin: origin ? parseIdOf('Origin', origin).key : scope.services.origin.uid, source, nativeId }),
  )

/** The session of the same agent on the same machine that another one names by native id. */
export const siblingSession = (scope: Scope, { originId, sourceId }: SessionHandle, nativeId: string) =>
  byNative.load(scope, [originId, sourceId, nativeId])

/** The session that a call started: the one that the call names, else the child that names the call. */
export async function childOfCall(
  scope: Scope,
  { session, pair }: { readonly session: SessionHandle; readonly pair: string | null },
  nativeId: string | null,
): Promise<StoredSession | null> {
  const named = nativeId === null ? null : await siblingSession(scope, session, nativeId)
  return named ?? (pair === null ? null : byParentPair.load(scope, [session.id, pair]))
}

/** A session filter as it comes: ids are global ids. */
export type SessionFilterInput = SessionFilter & {
  readonly origins?: readonly string[] | null | undefined
  readonly parent?: string | null | undefined
}

/** The filter in one canonical form, so that cursors of the same filter fit together. */
function readFilter(input: SessionFilterInput | null | undefined): SessionFilter {
  const given = Object.entries(input ?? {}).filter(([, value]) => value !== null && value !== undefined)
  const { origins, parent, ...rest }: SessionFilterInput = Object.fromEntries(
    given.sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  return {
    ...rest,
    ...(origins ? { origins: origins.map((id) => parseIdOf('Origin', id).key) } : {}),
    ...(parent ? { parent: uidHex(parseIdOf('Session', parent).uid) } : {}),
  }
}

const NEWEST: SessionOrder = { field: 'UPDATED_AT', direction: 'DESC' }

export type SessionArgs = PageArgs & {
  readonly filter?: SessionFilterInput | null | undefined
  readonly orderBy?: SessionOrder | null | undefined
}

const all = new List<ListParent, StoredSession>()
const ofProject = new List<ListParent, StoredSession>()
const ofParent = new List<ListParent, StoredSession>()

export const listSessions = async (scope: Scope, args: SessionArgs): Promise<Connection<StoredSession>> =>
  all.page(scope, allSessions(readFilter(args.filter), args.orderBy ?? NEWEST, Date.now()), args, ROOT)

export const listProjectSessions = async (scope: Scope, args: SessionArgs, project: { readonly id: number }) =>
  ofProject.page(scope, sessionsOfProject(readFilter(args.filter), args.orderBy ?? NEWEST, Date.now()), args, project)

export const listChildren = (scope: Scope, args: PageArgs, session: StoredSession) =>
  ofParent.page(scope, childrenOfSession, args, session)

/** The newest prompt of the person. */
export async function lastPrompt(scope: Scope, session: StoredSession, maxChars: MaxChars): Promise<string | null> {
  checkMaxChars(maxChars)
  const message = await prompts.load(scope, session.id)
  return message === null ? null : messageText(scope, message, maxChars)
}
