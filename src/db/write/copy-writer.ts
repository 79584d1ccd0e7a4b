import type { Store } from '../open.ts'
import type { StoredMessage } from './message-writer.ts'

interface Member {
  readonly id: number
  readonly sessionId: number
  readonly isInherited: number
  readonly isBilledElsewhere: number
  readonly createdAt: number
  readonly nativeId: string
  readonly calls: string | null
}

/** A message whose bill moved, and the session that it was found to be copied from. */
export interface MovedBill {
  readonly messageId: number
  readonly sessionId: number
  readonly isBilledElsewhere: boolean
}

/** A session of copies, and the one that its copies point at. */
export interface FoundOrigin {
  readonly sessionId: number
  readonly originSessionId: number
}

/**
 * Decides where a response that stands in several sessions is billed (design §3.9): at the one that is no copy, else, while no such is
 * stored, at the copy in the oldest session. Decided anew whenever a message of the group arrives, so that the order of import doesn't matter.
 */
export class CopyWriter {
  private readonly members
  private readonly bill

  constructor(store: Store) {
    this.members = store.sqlite.prepare<[number], Member>(`
      select m.id, m.session_id as sessionId, m.is_inherited as isInherited, m.is_billed_elsewhere as isBilledElsewhere,
        s.created_at as createdAt, s.native_id as nativeId,
        (select group_concat(json_extract(p.detail, '$.callId'), ' ' order by p.ordinal) from parts p
         where p.message_id = m.id and p.category is not null) as calls
      from messages m join sessions s on s.id = m.session_id where m.copy_key = ?`)
    this.bill = store.sqlite.prepare<[number, number]>('update messages set is_billed_elsewhere = ? where id = ?')
  }

  /** Settles the group of messages with this key. */
  settle(copyKey: number): { moved: MovedBill[]; origins: FoundOrigin[] } {
    const members = this.members.all(copyKey)
    const moved: MovedBill[] = []
    const origins: FoundOrigin[] = []
    for (const member of members) {
      const biller = member.isInherited === 1 ? this.billerOf(member, members) : null
      const isBilledElsewhere = biller !== null
      if (biller !== null) origins.push({ sessionId: member.sessionId, originSessionId: biller.sessionId })
      if (isBilledElsewhere === (member.isBilledElsewhere === 1)) continue
      this.bill.run(isBilledElsewhere ? 1 : 0, member.id)
      moved.push({ messageId: member.id, sessionId: member.sessionId, isBilledElsewhere })
    }
    return { moved, origins }
  }

  private billerOf(copy: Member, members: readonly Member[]): Member | null {
    const alike = members.filter((other) => other.sessionId !== copy.sessionId && other.calls === copy.calls)
    const original = alike.filter((other) => other.isInherited === 0).sort(byAge)[0]
    if (original !== undefined) return original
    const eldest = [copy, ...alike].sort(byAge)[0]
    return eldest === undefined || eldest === copy ? null : eldest
  }
}

const byAge = (a: Member, b: Member): number =>
  a.createdAt - b.createdAt || (a.nativeId < b.nativeId ? -1 : a.nativeId > b.nativeId ? 1 : 0)

/** Whether a message can be in a group of copies. */
export const hasCopies = (message: StoredMessage): boolean => message.copyKey !== null
