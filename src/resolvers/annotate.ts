import type { StoredSession } from '../db/queries/sessions.ts'
import { CodedError } from '../model/error.ts'
import { encodeNodeId } from '../model/ids.ts'
import { parseIdOf, uidHex } from './ids.ts'
import type { Scope } from './scope.ts'
import { sessionByUid } from './sessions.ts'
import { command } from './writer.ts'

export interface AnnotateInput {
  readonly session: string
  readonly isStarred?: boolean | null | undefined
  readonly tags?: readonly string[] | null | undefined
  readonly note?: string | null | undefined
}

const noSession = () => new CodedError('NOT_FOUND', 'There is no session with that id.')

/** Fields that are left out stay as they are; null clears. */
export async function annotateSession(scope: Scope, input: AnnotateInput): Promise<StoredSession> {
  const uid = uidHex(parseIdOf('Session', input.session).uid)
  if (input.tags?.some((tag) => tag.trim() === '')) throw new CodedError('BAD_USER_INPUT', 'A tag must not be blank.')
  const { isFound } = await command(scope, 'annotate', {
    uid,
    ...(input.isStarred === undefined ? {} : { isStarred: input.isStarred ?? false }),
    ...(input.tags === undefined ? {} : { tags: input.tags ?? [] }),
    ...(input.note === undefined ? {} : { note: input.note }),
  })
  const session = isFound ? await sessionByUid(scope, Buffer.from(uid, 'hex')) : null
  if (session === null) throw noSession()
  return session
}

export interface Erased {
  readonly erasedSessionIds: readonly string[]
  readonly inheritedCopies: readonly StoredSession[]
}

/** Answers when nothing of the session and its children is left in the store. */
export async function eraseSession(scope: Scope, id: string): Promise<Erased> {
  const uid = uidHex(parseIdOf('Session', id).uid)
  const { isFound, erasedUids, copyUids } = await command(scope, 'erase', { uid })
  if (!isFound) throw noSession()
  const copies = await Promise.all(copyUids.map((copy) => sessionByUid(scope, Buffer.from(copy, 'hex'))))
  return {
    erasedSessionIds: erasedUids.map((erased) => encodeNodeId('Session', Buffer.from(erased, 'hex'), '')),
    inheritedCopies: copies.flatMap((session) => session ?? []),
  }
}
