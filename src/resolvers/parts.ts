import { codeOf } from '../db/columns.ts'
import { type BlobFacts, blobFacts } from '../db/queries/blobs.ts'
import type { StoredMessage } from '../db/queries/messages.ts'
import { partsByPair, partsByUid, partsOfMessage, type StoredPart } from '../db/queries/parts.ts'
import type { SessionHandle } from '../db/queries/session-handle.ts'
import { type StoredTouch, type ToolCallFilter, toolCallsOfSession, touchesOfParts } from '../db/queries/tool-calls.ts'
import { PART_KINDS, type PartKind } from '../model/enums.ts'
import { CodedError } from '../model/error.ts'
import type { NodeId } from '../model/ids.ts'
import { repair } from '../model/text.ts'
import { itself, Lookup } from './batch.ts'
import { List, type PageArgs } from './connection.ts'
import { readRecord } from './content.ts'
import { uidHex } from './ids.ts'
import { shownJson } from './json-value.ts'
import { messageById } from './messages.ts'
import type { Scope } from './scope.ts'
import { type MaxChars, shown } from './text.ts'

export type { StoredPart } from '../db/queries/parts.ts'

const byUid = new Lookup<readonly [string, string], StoredPart | null>(
  ({ services }, keys) => partsByUid(services.store, keys),
  (key) => key.join('/'),
)
const byPair = new Lookup<readonly [number, string, number], StoredPart | null>(
  ({ services }, keys) => partsByPair(services.store, keys),
  (key) => JSON.stringify(key),
)
const touches = new Lookup<number, StoredTouch[]>(({ services }, ids) => touchesOfParts(services.store, ids), itself)
const blobs = new Lookup<string, BlobFacts | null>(({ services }, hashes) => blobFacts(services.store, hashes), itself)

export const partOfId = (scope: Scope, { uid, key }: NodeId) => byUid.load(scope, [uidHex(uid), key])

export async function messageOfPart(scope: Scope, part: StoredPart): Promise<StoredMessage> {
  const message = part.message ?? (await messageById(scope, part.messageId))
  if (message === null) throw new CodedError('NOT_FOUND', 'The message was erased while it was read.')
  return message
}

/** The call of a result, or the result of a call. */
export const counterpart = async (scope: Scope, part: StoredPart, kind: PartKind): Promise<StoredPart | null> =>
  part.pair === null ? null : byPair.load(scope, [part.session.id, part.pair, codeOf(PART_KINDS, kind)])

/** The call of a session that has the pair; null when there is none. */
export const callOfPair = (scope: Scope, session: SessionHandle, pair: string): Promise<StoredPart | null> =>
  byPair.load(scope, [session.id, pair, codeOf(PART_KINDS, 'TOOL_CALL')])

const ofMessage = new List<StoredMessage, StoredPart>()
const calls = new List<SessionHandle, StoredPart>()

export type PartArgs = PageArgs & { readonly kinds?: readonly PartKind[] | null | undefined }
export type ToolCallArgs = PageArgs & { readonly filter?: ToolCallFilter | null | undefined }

export const listParts = (scope: Scope, args: PartArgs, message: StoredMessage) =>
  ofMessage.page(scope, partsOfMessage(args.kinds ?? null), args, message)

export const listToolCalls = (scope: Scope, args: ToolCallArgs, session: SessionHandle) =>
  calls.page(scope, toolCallsOfSession({ ...args.filter }), args, session)

export const blobOfPart = async (scope: Scope, part: StoredPart): Promise<BlobFacts | null> =>
  part.blob === null ? null : blobs.load(scope, uidHex(part.blob))

/** One file in one call. */
export interface FileTouch extends StoredTouch {
  readonly part: StoredPart
}

export const filesOfCall = async (scope: Scope, part: StoredPart): Promise<FileTouch[]> =>
  (await touches.load(scope, part.id)).map((touch) => ({ ...touch, part }))

const IN_RESULT = 'result/'

/** Unified diff of a touch, where the record of the call or of its result has it. */
export async function touchDiff(scope: Scope, touch: FileTouch, maxChars: MaxChars): Promise<string | null> {
  const { diffPlace, part } = touch
  if (diffPlace === null) return null
  const isInResult = diffPlace.startsWith(IN_RESULT)
  const holder = isInResult ? await counterpart(scope, part, 'TOOL_RESULT') : part
  if (holder === null || holder.streamId === null || holder.recordNo === null) return null
  const place = isInResult ? diffPlace.slice(IN_RESULT.length) : diffPlace
  return readRecord(scope, { streamId: holder.streamId, no: holder.recordNo }, { place }, (value) =>
    typeof value === 'string' ? shown(scope, repair(value).text, maxChars) : null,
  )
}

export type MaxBytes = number | null | undefined

/** Params of a call, a result or a DATA part's data, as the source has it; null when it has more than `maxBytes`. */
export async function partJson(scope: Scope, part: StoredPart, maxBytes: MaxBytes): Promise<unknown> {
  if (typeof maxBytes === 'number' && maxBytes < 0) {
    throw new CodedError('BAD_USER_INPUT', '"maxBytes" can\'t be negative.')
  }
  const { jsonBytes, preview, isWhole, kind, streamId, recordNo, place } = part
  if (typeof maxBytes === 'number' && (jsonBytes ?? 0) > maxBytes) return null
  if (isWhole && preview !== null && kind !== 'TOOL_RESULT') {
    scope.spend(preview.length)
    return JSON.parse(preview)
  }
  if (isWhole && preview !== null && partDetail(part)['isString'] === true) {
    scope.spend(preview.length)
    return preview
  }
  if (streamId === null || recordNo === null) return null
  return readRecord(scope, { streamId, no: recordNo }, { place }, (value) => {
    scope.spend(jsonBytes ?? 0)
    return shownJson(value)
  })
}

const EMPTY: Readonly<Record<string, unknown>> = {}

/** What the part's row holds beside its columns; see part-detail.ts. */
export function partDetail({ detail }: StoredPart): Readonly<Record<string, unknown>> {
  if (detail === null) return EMPTY
  const parsed: unknown = JSON.parse(detail)
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : EMPTY
}
