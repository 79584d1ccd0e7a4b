import type { RecordRef } from '../model/record.ts'
import type { RowItem } from './commit-context.ts'

/** What later items of a commit say of earlier ones, so that rows are written once and not corrected. */
export interface LookAhead {
  /** Records that rows of this commit cite. */
  readonly cited: ReadonlySet<RecordRef>
  /** Messages with a part that the person or the model wrote. */
  readonly conversational: ReadonlySet<string>
  /** The first time that is told of each session. */
  readonly firstTimes: ReadonlyMap<string, number>
}

export function lookAhead(items: readonly RowItem[]): LookAhead {
  const cited = new Set<RecordRef>()
  const conversational = new Set<string>()
  const firstTimes = new Map<string, number>()
  for (const item of items) {
    if (item.kind === 'message') {
      for (const ref of item.message.records) cited.add(ref)
      if (!firstTimes.has(item.sessionId)) firstTimes.set(item.sessionId, item.message.time.ms)
    } else if (item.kind === 'part') {
      cited.add(item.part.citation.record)
      if (item.part.provenance === 'CONVERSATIONAL') conversational.add(item.part.messageId)
    } else if (item.kind === 'session') {
      if (item.session.record !== null) cited.add(item.session.record)
      if (item.session.createdAt !== null) firstTimes.set(item.sessionId, item.session.createdAt.ms)
    }
  }
  return { cited, conversational, firstTimes }
}
