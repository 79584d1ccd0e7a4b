import type { OpenStream } from '../db/archive/write.ts'
import type { StoredMessage } from '../db/write/message-writer.ts'
import type { StoredPart } from '../db/write/part-writer.ts'
import type { StoredSession } from '../db/write/session-writer.ts'
import { PART_KINDS, TITLE_ORIGINS } from '../model/enums.ts'
import type { RecordRef } from '../model/record.ts'
import type { SessionRow } from '../model/rows.ts'

/** A session while one commit works on it. */
export interface OpenSession {
  /** As it will be stored. */
  readonly row: StoredSession
  /** As it was stored; null when this commit makes it. */
  readonly stored: StoredSession | null
  stream: OpenStream | null
  /** Counts of its parts by kind, as they will be stored. */
  readonly partCounts: number[]
  /** Numbers of the records that this commit put. */
  readonly recordNos: Map<RecordRef, number>
  /** Messages that this commit touched, by native id. */
  readonly messages: Map<string, StoredMessage>
  /** Ids of messages that this commit made. */
  readonly newMessages: Set<number>
  /** Turn durations that wait for their messages. */
  readonly durations: Map<string, number>
  hasNewModel: boolean
  hasUsageChange: boolean
}

export const opened = (
  row: StoredSession,
  stored: StoredSession | null,
  durations: Map<string, number>,
): OpenSession => ({
  row,
  stored,
  stream: null,
  partCounts: [...row.partCounts],
  recordNos: new Map(),
  messages: new Map(),
  newMessages: new Set(),
  durations,
  hasNewModel: false,
  hasUsageChange: false,
})

/** Merges what a contributor knows into the row: null says nothing, and titles go by their origin (design §4.4). */
export function mergeSession(row: StoredSession, news: SessionRow, projectId: (path: string) => number): void {
  row.kind = news.kind ?? row.kind
  row.agent = news.agent ?? row.agent
  row.gitBranch = news.gitBranch ?? row.gitBranch
  row.clientVersion = news.clientVersion ?? row.clientVersion
  row.shareUrl = news.shareUrl ?? row.shareUrl
  row.sourcePath = news.sourcePath ?? row.sourcePath
  row.relation = news.relation ?? row.relation
  row.parentNativeId = news.parentNativeId ?? row.parentNativeId
  row.parentPair = news.parentPair ?? row.parentPair
  row.parentMessageNativeId = news.parentMessageNativeId ?? row.parentMessageNativeId
  if (news.archivedAt !== null) row.archivedAt = news.archivedAt === false ? null : news.archivedAt
  if (news.revertedFrom !== null) row.revertedFrom = news.revertedFrom === false ? null : news.revertedFrom
  if (news.title !== null) mergeTitle(row, news.title)
  if (news.projectPath !== null && row.projectId === null) row.projectId = projectId(news.projectPath)
  if (news.createdAt !== null && (news.createdAt.origin === 'RECORDED' || row.createdAtOrigin !== 'RECORDED')) {
    row.createdAt = news.createdAt.ms
    row.createdAtOrigin = news.createdAt.origin
  }
}

/** A title of a higher origin wins, and of the same origin the later one. */
export function mergeTitle(row: StoredSession, title: NonNullable<SessionRow['title']>): void {
  if (rank(title.origin) < rank(row.titleOrigin)) return
  row.title = title.text
  row.titleOrigin = title.origin
}

const rank = (origin: StoredSession['titleOrigin']): number => (origin === null ? -1 : TITLE_ORIGINS.indexOf(origin))

/** Whether a message is a prompt of the person: what opens a turn. */
export const isPrompt = (message: StoredMessage): boolean =>
  message.role === 'USER' && message.isConversational && !message.isMeta

/** Keeps the session's counters in step with one message. */
export function countMessage(row: StoredSession, now: StoredMessage, old: StoredMessage | null): void {
  row.messageCount += old === null ? 1 : 0
  row.inheritedMessageCount += Number(now.isInherited) - Number(old?.isInherited ?? false)
  row.promptCount += Number(isPrompt(now)) - Number(old !== null && isPrompt(old))
}

/** Keeps the session's counters in step with one part. */
export function countPart(open: OpenSession, now: StoredPart, old: StoredPart | null): void {
  if (old !== null) addToCounts(open, old, -1)
  addToCounts(open, now, 1)
}

function addToCounts({ row, partCounts }: OpenSession, part: StoredPart, by: number): void {
  const kind = PART_KINDS.indexOf(part.kind)
  partCounts[kind] = (partCounts[kind] ?? 0) + by
  if (part.kind === 'TOOL_CALL') row.toolCallCount += by
  if (part.status === 'FAILED') row.failedToolCallCount += by
}

const VISIBLE = [
  'kind',
  'agent',
  'title',
  'projectId',
  'gitBranch',
  'clientVersion',
  'shareUrl',
  'parentNativeId',
  'relation',
  'createdAt',
  'archivedAt',
  'isSourceMissing',
  'revertedFrom',
  'sourcePath',
] as const satisfies readonly (keyof StoredSession)[]

/** Whether something about the session itself changed, which the feed tells; its messages tell of themselves. */
export const isNews = (row: StoredSession, stored: StoredSession | null): boolean =>
  stored === null || VISIBLE.some((key) => row[key] !== stored[key])
