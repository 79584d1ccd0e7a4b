import type { Store } from '../open.ts'

interface Member {
  readonly id: number
  readonly sessionId: number
  readonly session: string
  readonly createdAt: number
  readonly time: number
  readonly isInherited: number
  readonly isBilledElsewhere: number
  readonly isSharedId: number
  readonly copyOrigin: string | null
  readonly calls: string | null
}

/** A message for which it changed whether it is a copy, or where it is billed. */
export interface SettledCopy {
  readonly messageId: number
  readonly sessionId: number
  readonly was: { readonly isInherited: boolean; readonly isBilledElsewhere: boolean }
}

/** A session of copies, and the one that its copies point at. */
export interface FoundOrigin {
  readonly sessionId: number
  readonly originSessionId: number
}

/**
 * Decides which of the messages that stand in several sessions are copies, and where a response is billed (design §3.9): at the original, else,
 * while none is stored, at the copy in the oldest session. Decided anew whenever a message of the group arrives, so that the order of
 * import doesn't matter.
 */
export class CopyWriter {
  private readonly contested
  private readonly members
  private readonly mark

  constructor(store: Store) {
    this.contested = store.sqlite.prepare<[string], { key: number }>(`
      select copy_key as key from messages where copy_key in (select value from json_each(?)) group by copy_key
      having count(*) > 1 or max(is_inherited or is_billed_elsewhere or copy_origin is not null)`)
    this.members = store.sqlite.prepare<[number], Member>(`
      select m.id, m.session_id as sessionId, s.native_id as session, s.created_at as createdAt, m.time,
        m.is_inherited as isInherited, m.is_billed_elsewhere as isBilledElsewhere, m.is_shared_id as isSharedId,
        m.copy_origin as copyOrigin,
        case when m.is_shared_id = 0 then
          (select group_concat(json_extract(p.detail, '$.callId'), ' ' order by p.ordinal) from parts p
           where p.message_id = m.id and p.category is not null) end as calls
      from messages m join sessions s on s.id = m.session_id where m.copy_key = ?`)
    this.mark = store.sqlite.prepare<[number, number, number]>(
      'update messages set is_inherited = ?, is_billed_elsewhere = ? where id = ?',
    )
  }

  /** Which of these keys need settling: nearly all name one message that is no copy of anything. */
  open(copyKeys: ReadonlySet<number>): number[] {
    return copyKeys.size === 0 ? [] : this.contested.all(JSON.stringify([...copyKeys])).map(({ key }) => key)
  }

  /** Settles the group of messages with this key. */
  settle(copyKey: number): { settled: SettledCopy[]; origins: FoundOrigin[] } {
    const members = this.members.all(copyKey)
    const settled: SettledCopy[] = []
    const origins: FoundOrigin[] = []
    for (const member of members) {
      const original = member.isSharedId === 1 ? sharedOriginal(member, members) : evidentOriginal(member, members)
      if (original !== null) origins.push({ sessionId: member.sessionId, originSessionId: original.sessionId })
      const isBilledElsewhere = original !== null
      // Of shared ids, being one of several is what makes a copy; evidence stands by itself.
      const isInherited = member.isSharedId === 1 ? original !== null || namesOther(member) : member.isInherited === 1
      const was = { isInherited: member.isInherited === 1, isBilledElsewhere: member.isBilledElsewhere === 1 }
      if (was.isInherited === isInherited && was.isBilledElsewhere === isBilledElsewhere) continue
      this.mark.run(isInherited ? 1 : 0, isBilledElsewhere ? 1 : 0, member.id)
      settled.push({ messageId: member.id, sessionId: member.sessionId, was })
    }
    return { settled, origins }
  }
}

const namesOther = ({ copyOrigin, session }: Member): boolean => copyOrigin !== null && copyOrigin !== session

/** The message that a copy was made from, told by evidence; null for what is no copy, and for the eldest where no original is stored. */
function evidentOriginal(copy: Member, members: readonly Member[]): Member | null {
  if (copy.isInherited === 0) return null
  const alike = members.filter((other) => other.sessionId !== copy.sessionId && other.calls === copy.calls)
  const original = alike.filter((other) => other.isInherited === 0).sort(bySessionAge)[0]
  if (original !== undefined) return original
  const eldest = [copy, ...alike].sort(bySessionAge)[0]
  return eldest === undefined || eldest === copy ? null : eldest
}

/** Of messages with one id: the one in the session that a copy names, else the earliest, else the one in the oldest session. */
function sharedOriginal(copy: Member, members: readonly Member[]): Member | null {
  const named = new Set(members.filter(namesOther).map(({ copyOrigin }) => copyOrigin))
  const candidates = members.filter(({ session }) => named.has(session))
  const originals = (candidates.length > 0 ? candidates : members).toSorted(
    (a, b) => a.time - b.time || bySessionAge(a, b),
  )
  // A session that is itself copied may name its own origin: the first one that names nobody counts.
  const original = originals.find((member) => !namesOther(member)) ?? originals[0]
  return original === undefined || original.sessionId === copy.sessionId ? null : original
}

const bySessionAge = (a: Member, b: Member): number =>
  a.createdAt - b.createdAt || (a.session < b.session ? -1 : a.session > b.session ? 1 : 0)
