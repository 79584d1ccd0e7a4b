import type { Adapter, Item } from '../adapters/contract.ts'
import type { OpenStream } from '../db/archive/write.ts'
import type { StoreWriter } from '../db/write/index.ts'
import type { StoredMessage } from '../db/write/message-writer.ts'
import type { JournalWriter } from '../journal/append.ts'
import type { StoreEventType } from '../model/journal.ts'
import type { Problem, RecordRef } from '../model/record.ts'
import type { OpenSession } from './open-session.ts'

/** What a unit is to the store. */
export interface UnitPlace {
  readonly adapter: Adapter
  readonly origin: { readonly id: number; readonly uid: string }
  readonly sourceId: number
  readonly rootId: number
  readonly unitId: number
  readonly unitKey: string
  readonly path: string
  /** Stand-in for the creation of a session that tells no time of its own, ms. */
  readonly changedAt: number
  /** It was read before: what comes now changed since. */
  readonly isKnown: boolean
  /** First import of much: records are sealed at once. */
  readonly isBulk: boolean
  /** Rows are mapped anew from archived records: what the source dropped stays dropped. */
  readonly isReprojection: boolean
  /** Generation of the unit's records that rows cite; null for the newest. */
  readonly generation: number | null
  /** Sessions that are read as a new generation: their journals are told anew, what stayed the same included. */
  readonly rebuilding: ReadonlySet<string>
}

export interface Tally {
  messagesInserted: number
  messagesUpdated: number
  partsInserted: number
  partsUpdated: number
}

export const emptyTally = (): Tally => ({ messagesInserted: 0, messagesUpdated: 0, partsInserted: 0, partsUpdated: 0 })

export function addTally(to: Tally, more: Readonly<Tally>): void {
  to.messagesInserted += more.messagesInserted
  to.messagesUpdated += more.messagesUpdated
  to.partsInserted += more.partsInserted
  to.partsUpdated += more.partsUpdated
}

/** Items that a commit takes in one by one, in the order in which the adapter gave them. */
export type RowItem = Extract<Item, { sessionId: string }>

/** What all steps of one commit share. */
export class CommitContext {
  readonly writer: StoreWriter
  readonly journal: JournalWriter
  readonly place: UnitPlace
  /** Milliseconds since 1970. */
  readonly now: number
  readonly tally = emptyTally()
  readonly problems: Problem[] = []
  /** Groups of copies that this commit touched. */
  readonly copyKeys = new Set<number>()
  /** Complete lists of parts, of messages that were stored before. */
  readonly partLists = new Map<number, { readonly open: OpenSession; readonly partIds: readonly string[] }>()
  /** Messages of which a part is new or has changed. */
  readonly changedParts = new Set<number>()
  private waitingTitles: Set<string> | null = null

  constructor(writer: StoreWriter, journal: JournalWriter, place: UnitPlace, now: number) {
    this.writer = writer
    this.journal = journal
    this.place = place
    this.now = now
  }

  /** Messages and parts that side files have titles for; read when they are first asked for. */
  titles(): Set<string> {
    this.waitingTitles ??= this.writer.waiting.titles(this.place.sourceId)
    return this.waitingTitles
  }

  /** The stream that the session's records of this unit go to. */
  stream(open: OpenSession, isKeyed: boolean): OpenStream {
    const { unitId, path } = this.place
    const { archive } = this.writer
    if (open.stream === null) {
      const generation = this.place.generation ?? archive.generation(open.row.id, unitId)
      open.stream = archive.stream(open.row.id, unitId, generation, path, isKeyed)
    }
    return open.stream
  }

  /** Number of a record that a row cites; null when it was never put. */
  numberOf(open: OpenSession, ref: RecordRef): number | null {
    const put = open.recordNos.get(ref)
    if (put !== undefined) return put
    const no = this.writer.archive.cite(this.stream(open, typeof ref === 'string'), ref)
    if (no !== null) open.recordNos.set(ref, no)
    return no
  }

  findMessage(open: OpenSession, nativeId: string): StoredMessage | undefined {
    const known = open.messages.get(nativeId) ?? this.writer.messages.find(open.row.id, nativeId)
    if (known !== undefined) open.messages.set(nativeId, known)
    return known
  }

  event(open: OpenSession, type: StoreEventType, time: number, messageId: number | null, partId: number | null): void {
    this.journal.append(open.row, type, time, { messageId, partId })
  }

  problem(kind: Problem['kind'], ref: RecordRef, message: string, open: OpenSession): void {
    this.problems.push({ kind, location: locationOf(this.place, ref), message, sessionId: open.row.nativeId })
  }
}

/** Where a record stands, for people. */
export function locationOf(
  place: Pick<UnitPlace, 'adapter' | 'path'>,
  ref: RecordRef,
  line: number | null = null,
): string {
  return typeof ref === 'number' ? `${place.path}:${line ?? ref + 1}` : place.adapter.locate(place.path, ref)
}
