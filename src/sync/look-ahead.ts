import type { RecordRef } from '../model/record.ts'
import type { RowItem } from './commit-context.ts'

/** What a commit's items say of each other. */
export interface LookAhead {
  /** The items, each message and part once: in the place where it is first told, in its last form. */
  readonly items: readonly RowItem[]
  /** Records that rows of this commit cite. */
  readonly cited: ReadonlySet<RecordRef>
  /** Messages with a part that the person or the model wrote. */
  readonly conversational: ReadonlySet<string>
  /** The first time that is told of each session. */
  readonly firstTimes: ReadonlyMap<string, number>
}

/** Looks through a commit's items before they are taken, so that every row is written once. */
export function lookAhead(all: readonly RowItem[]): LookAhead {
  const cited = new Set<RecordRef>()
  const conversational = new Set<string>()
  const firstTimes = new Map<string, number>()
  const items: RowItem[] = []
  const placesOf = bySession(() => ({ messages: new Map<string, number>(), parts: new Map<string, number>() }))
  for (const item of withoutRetracted(all)) {
    let places: Map<string, number> | null = null
    let nativeId = ''
    if (item.kind === 'message') {
      for (const ref of item.message.records) cited.add(ref)
      if (!firstTimes.has(item.sessionId)) firstTimes.set(item.sessionId, item.message.time.ms)
      places = placesOf(item.sessionId).messages
      nativeId = item.message.nativeId
    } else if (item.kind === 'part') {
      cited.add(item.part.citation.record)
      if (item.part.provenance === 'CONVERSATIONAL') conversational.add(item.part.messageId)
      places = placesOf(item.sessionId).parts
      nativeId = item.part.nativeId
    } else if (item.kind === 'session') {
      if (item.session.record !== null) cited.add(item.session.record)
      if (item.session.createdAt !== null) firstTimes.set(item.sessionId, item.session.createdAt.ms)
    }
    const place = places?.get(nativeId)
    if (place !== undefined) items[place] = item
    else {
      places?.set(nativeId, items.length)
      items.push(item)
    }
  }
  return { items, cited, conversational, firstTimes }
}

/** Values by session; nearly always it is the one that was asked for before. */
function bySession<T>(make: () => T): (sessionId: string) => T {
  const all = new Map<string, T>()
  let last: { readonly id: string; readonly value: T } | null = null
  return (id) => {
    if (last?.id === id) return last.value
    const value = all.get(id) ?? make()
    all.set(id, value)
    last = { id, value }
    return value
  }
}

/** The items without those of a session that stand before its retraction. */
function withoutRetracted(items: readonly RowItem[]): readonly RowItem[] {
  const retractedAt = new Map<string, number>()
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (item?.kind === 'delete-session') retractedAt.set(item.sessionId, i)
  }
  return retractedAt.size === 0 ? items : items.filter((item, i) => i >= (retractedAt.get(item.sessionId) ?? 0))
}
