import { codeOf } from '../db/columns.ts'
import type { Store } from '../db/open.ts'
import { FEED_ONLY_SEQ, STORE_EVENT_TYPES, type StoreEventType } from '../model/journal.ts'

/** What an event is about; it refers to rows and copies nothing (design §6.1). */
export interface Subject {
  readonly messageId: number | null
  readonly partId: number | null
}

/** A session as far as its journal goes. */
export interface JournalOwner {
  readonly id: number
  nextSeq: number
}

/** Appends what the store did to journals, inside the transaction that did it. The caller stores the owner's `nextSeq`. */
export class JournalWriter {
  private readonly insert
  private readonly newest
  private readonly drop

  constructor(store: Store) {
    this.insert = store.sqlite.prepare<[number, number, number, number, number | null, number | null, string | null]>(
      'insert into journal (session_id, seq, type, time, message_id, part_id, data) values (?, ?, ?, ?, ?, ?, ?)',
    )
    this.drop = store.sqlite.prepare<[number]>('delete from journal where session_id = ? and seq >= 0')
    this.newest = store.sqlite.prepare<[], { position: number | null }>('select max(position) as position from journal')
  }

  /** The next event of a session's own journal. */
  append(owner: JournalOwner, type: StoreEventType, time: number, subject: Subject): void {
    const code = codeOf(STORE_EVENT_TYPES, type)
    this.insert.run(owner.id, owner.nextSeq, code, time, subject.messageId, subject.partId, null)
    owner.nextSeq += 1
  }

  /** An event about a whole session: in the feed only. */
  announce(sessionId: number, type: StoreEventType, time: number, data: object | null = null): void {
    const code = codeOf(STORE_EVENT_TYPES, type)
    this.insert.run(sessionId, FEED_ONLY_SEQ, code, time, null, null, data === null ? null : JSON.stringify(data))
  }

  /** A session's journal begins anew, under another epoch. */
  reset(sessionId: number): void {
    this.drop.run(sessionId)
  }

  /** Position of the newest event of all; 0 when there is none. */
  position(): number {
    return this.newest.get()?.position ?? 0
  }
}
