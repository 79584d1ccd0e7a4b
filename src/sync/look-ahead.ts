import type { RecordRef } from '../model/record.ts'
import type { MessageRow, PartRow } from '../model/rows.ts'
import type { RowItem } from './commit-context.ts'

/** What a commit's items say of each other, so that every row is written once, in its last form. */
export interface LookAhead {
  /** Records that rows of this commit cite. */
  readonly cited: ReadonlySet<RecordRef>
  /** Messages with a part that the person or the model wrote. */
  readonly conversational: ReadonlySet<string>
  /** The first time that is told of each session. */
  readonly firstTimes: ReadonlyMap<string, number>
  /** The last form of a message or part that is told more than once; each is removed when it is taken. */
  readonly messages: Map<string, MessageRow>
  readonly parts: Map<string, PartRow>
}

export function lookAhead(items: readonly RowItem[]): LookAhead {
  const cited = new Set<RecordRef>()
  const conversational = new Set<string>()
  const firstTimes = new Map<string, number>()
  const messages = new Map<string, MessageRow>()
  const parts = new Map<string, PartRow>()
  for (const item of items) {
    if (item.kind === 'message') {
      for (const ref of item.message.records) cited.add(ref)
      if (!firstTimes.has(item.sessionId)) firstTimes.set(item.sessionId, item.message.time.ms)
      messages.set(rowKey(item.sessionId, item.message), item.message)
    } else if (item.kind === 'part') {
      cited.add(item.part.citation.record)
      if (item.part.provenance === 'CONVERSATIONAL') conversational.add(item.part.messageId)
      parts.set(rowKey(item.sessionId, item.part), item.part)
    } else if (item.kind === 'session') {
      if (item.session.record !== null) cited.add(item.session.record)
      if (item.session.createdAt !== null) firstTimes.set(item.sessionId, item.session.createdAt.ms)
    }
  }
  return { cited, conversational, firstTimes, messages, parts }
}

export const rowKey = (sessionId: string, row: { readonly nativeId: string }): string => `${sessionId}\0${row.nativeId}`

/** The last form of a row; undefined when it was taken already. */
export function takeLast<T extends { readonly nativeId: string }>(
  rows: Map<string, T>,
  sessionId: string,
  row: T,
): T | undefined {
  const key = rowKey(sessionId, row)
  const last = rows.get(key)
  rows.delete(key)
  return last
}

/** The items without those of a session that stand before its retraction. */
export function withoutRetracted(items: readonly RowItem[]): readonly RowItem[] {
  const retractedAt = new Map<string, number>()
  items.forEach((item, i) => {
    if (item.kind === 'delete-session') retractedAt.set(item.sessionId, i)
  })
  return retractedAt.size === 0 ? items : items.filter((item, i) => i >= (retractedAt.get(item.sessionId) ?? 0))
}
