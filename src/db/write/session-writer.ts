import { randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { PART_KINDS, type SessionRelation } from '../../model/enums.ts'
import type { Store } from '../open.ts'
import { sessions, tags } from '../schema.ts'
import { type NewRow, TableWriter } from './table-writer.ts'

export type StoredSession = typeof sessions.$inferSelect
export type SessionValues = NewRow<typeof sessions>

/** What names a session in the store, and where it was found. */
export interface SessionPlace {
  readonly uid: Buffer
  readonly originId: number
  readonly sourceId: number
  readonly rootId: number | null
  readonly nativeId: string
}

/** Session rows, their place in the tree of sessions, and what flows up that tree. */
export class SessionWriter {
  private readonly store: Store
  private readonly table
  private readonly byUid
  private readonly byId
  private readonly statements

  constructor(store: Store) {
    this.store = store
    this.table = new TableWriter(store, sessions)
    this.byUid = store.orm
      .select()
      .from(sessions)
      .where(eq(sessions.uid, sql.placeholder('uid')))
      .prepare()
    this.byId = store.orm
      .select()
      .from(sessions)
      .where(eq(sessions.id, sql.placeholder('id')))
      .prepare()
    const { sqlite } = store
    this.statements = {
      erased: sqlite.prepare<[Buffer], { found: number }>('select 1 as found from erased where uid = ?'),
      parent: sqlite.prepare<[number, number, string], { id: number }>(
        'select id from sessions where origin_id = ? and source_id = ? and native_id = ?',
      ),
      orphans: sqlite.prepare<[string, number, number], { id: number }>(`
        select id from sessions where parent_native_id = ? and origin_id = ? and source_id = ? and parent_id is null`),
      parentOf: sqlite.prepare<[number], { parentId: number | null }>(
        'select parent_id as parentId from sessions where id = ?',
      ),
      setParent: sqlite.prepare<[number | null, number]>('update sessions set parent_id = ? where id = ?'),
      addInherited: sqlite.prepare<[number, number]>(
        'update sessions set inherited_message_count = inherited_message_count + ? where id = ?',
      ),
      raise: sqlite.prepare<[number, number, number], { parentId: number | null }>(`
        update sessions set last_activity_at = ? where id = ? and last_activity_at < ? returning parent_id as parentId`),
      activity: sqlite.prepare<[number], { at: number }>('select last_activity_at as at from sessions where id = ?'),
      shifting: sqlite.prepare<[number, number], { id: number }>(
        'select id from sessions where shifts_at <= ? order by shifts_at limit ?',
      ),
      nextShift: sqlite.prepare<[], { at: number | null }>(
        'select min(shifts_at) as at from sessions where shifts_at is not null',
      ),
      setShift: sqlite.prepare<[number | null, number]>('update sessions set shifts_at = ? where id = ?'),
      lower: sqlite.prepare<{ id: number }>(`
        update sessions set last_activity_at =
          max(updated_at, coalesce((select max(c.last_activity_at) from sessions c where c.parent_id = @id), 0))
        where id = @id and last_activity_at <>
          max(updated_at, coalesce((select max(c.last_activity_at) from sessions c where c.parent_id = @id), 0))`),
      childActivity: sqlite.prepare<[number], { at: number | null }>(
        'select max(last_activity_at) as at from sessions where parent_id = ?',
      ),
      orderKey: sqlite.prepare<[number, string], { orderKey: string }>(
        'select order_key as orderKey from messages where session_id = ? and native_id = ?',
      ),
      totals: sqlite.prepare<[number], { totalTokens: number | null; costNanos: number | null }>(`
        select sum(cost_nanos) as costNanos, case when count(coalesce(input_tokens, output_tokens, reasoning_tokens,
            cache_read_tokens, cache_write_tokens)) > 0 then
          total(input_tokens) + total(output_tokens) + total(reasoning_tokens) + total(cache_read_tokens) + total(cache_write_tokens)
          end as totalTokens
        from usage_quarters where session_id = ? and is_inherited = 0`),
      latestTime: sqlite.prepare<[number], { at: number | null }>(
        'select max(time) as at from messages where session_id = ? and is_billed_only = 0',
      ),
      counts: sqlite.prepare<
        [number],
        Pick<
          StoredSession,
          'messageCount' | 'inheritedMessageCount' | 'promptCount' | 'toolCallCount' | 'failedToolCallCount'
        >
      >(`
        select count(m.id) as messageCount, coalesce(sum(is_inherited), 0) as inheritedMessageCount,
          coalesce(sum(role = 1 and is_conversational = 1 and is_meta = 0), 0) as promptCount,
          (select count(*) from parts p where p.session_id = s.id and p.category is not null) as toolCallCount,
          (select count(*) from parts p where p.session_id = s.id and p.status = 2) as failedToolCallCount
        from sessions s left join messages m on m.session_id = s.id and m.is_billed_only = 0 where s.id = ?`),
      partCounts: sqlite.prepare<[number], { kind: number; count: number }>(
        'select kind, count(*) as count from parts where session_id = ? group by kind',
      ),
      models: sqlite.prepare<[number], { model: string }>(`
        select n.value as model from messages m join names n on n.id = m.model_id
        where m.session_id = ? and m.role = 2 group by m.model_id order by min(m.order_key)`),
    }
  }

  isErased(uid: Buffer): boolean {
    return this.statements.erased.get(uid) !== undefined
  }

  find(uid: Buffer): StoredSession | undefined {
    return this.byUid.get({ uid })
  }

  get(id: number): StoredSession | undefined {
    return this.byId.get({ id })
  }

  /** A session that nothing is known of but its name and the agent's. */
  create(place: SessionPlace, agent: string, createdAt: number, revision: number): StoredSession {
    const values: SessionValues = {
      ...place,
      ...BLANK,
      agent,
      createdAt,
      updatedAt: createdAt,
      lastActivityAt: createdAt,
      endedAt: createdAt,
      changedAt: 0,
      revision,
      epoch: newEpoch(),
    }
    const id = this.table.insert(values)
    if (id === null) throw new Error(`Session ${place.nativeId} is already stored.`)
    return { ...values, id }
  }

  /** Writes the row if it differs from what is stored. */
  save(session: StoredSession, stored: StoredSession | null): void {
    if (stored === null || !this.table.isEqual(session, stored)) this.table.update(session.id, session)
  }

  /** Row id of a session of the same origin and source; null when it is not stored. */
  sibling(session: StoredSession, nativeId: string): number | null {
    return this.statements.parent.get(session.originId, session.sourceId, nativeId)?.id ?? null
  }

  /** Sessions that were waiting for this one to become their parent. */
  orphansOf(session: StoredSession): number[] {
    return this.statements.orphans.all(session.nativeId, session.originId, session.sourceId).map(({ id }) => id)
  }

  /** Whether making `parentId` the parent of `id` would close a ring. */
  closesRing(id: number, parentId: number): boolean {
    const seen = new Set<number>([id])
    for (
      let here: number | null = parentId;
      here !== null;
      here = this.statements.parentOf.get(here)?.parentId ?? null
    ) {
      if (seen.has(here)) return true
      seen.add(here)
    }
    return false
  }

  setParent(id: number, parentId: number | null): void {
    this.statements.setParent.run(parentId, id)
  }

  /** Makes a session of copies the child of the one that they were copied from. */
  adopt(id: number, parentId: number, relation: SessionRelation): void {
    this.store.orm.update(sessions).set({ parentId, relation }).where(eq(sessions.id, id)).run()
  }

  /** Sets what a person says of a session; what is left out stays. */
  annotate(
    session: StoredSession,
    news: { readonly isStarred?: boolean; readonly tags?: readonly string[]; readonly note?: string | null },
  ): void {
    const { isStarred = session.isStarred, note = session.note } = news
    this.store.orm.update(sessions).set({ isStarred, note }).where(eq(sessions.id, session.id)).run()
    if (news.tags === undefined) return
    this.store.orm.delete(tags).where(eq(tags.sessionId, session.id)).run()
    const rows = [...new Set(news.tags)].map((tag) => ({ sessionId: session.id, tag }))
    if (rows.length > 0) this.store.orm.insert(tags).values(rows).run()
  }

  /** So many more of its messages turned out to be copies. */
  addInherited(id: number, by: number): void {
    if (by !== 0) this.statements.addInherited.run(by, id)
  }

  /** Lets the activity of a session be seen on its ancestors. */
  raiseActivity(parentId: number | null, at: number): void {
    let here = parentId
    while (here !== null) here = this.statements.raise.get(at, here, at)?.parentId ?? null
  }

  /** Works out anew what ancestors show of their descendants' activity, after one of those turned out to be older. */
  settleActivity(parentId: number | null): void {
    for (let here = parentId; here !== null; ) {
      const { parentId: next, changes } = this.lowerActivity(here)
      if (changes === 0) return
      here = next
    }
  }

  private lowerActivity(id: number): { parentId: number | null; changes: number } {
    const { changes } = this.statements.lower.run({ id })
    return { changes, parentId: this.statements.parentOf.get(id)?.parentId ?? null }
  }

  /** Latest activity among a session's children; 0 when it has none. */
  childActivity(id: number): number {
    return this.statements.childActivity.get(id)?.at ?? 0
  }

  activityOf(id: number): number {
    return this.statements.activity.get(id)?.at ?? 0
  }

  /** Sessions for which time alone has changed what their agent does, the earliest first. */
  shifting(now: number, limit: number): StoredSession[] {
    return this.statements.shifting.all(now, limit).flatMap(({ id }) => this.get(id) ?? [])
  }

  /** When the next session shifts; null: none will. */
  nextShift(): number | null {
    return this.statements.nextShift.get()?.at ?? null
  }

  setShift(id: number, at: number | null): void {
    this.statements.setShift.run(at, id)
  }

  orderKeyOf(sessionId: number, nativeId: string): string | null {
    return this.statements.orderKey.get(sessionId, nativeId)?.orderKey ?? null
  }

  /** Own sums for ordering, from the rollups. */
  totals(sessionId: number): { totalTokens: number | null; costNanos: number | null } {
    return this.statements.totals.get(sessionId) ?? { totalTokens: null, costNanos: null }
  }

  latestMessageTime(sessionId: number): number | null {
    return this.statements.latestTime.get(sessionId)?.at ?? null
  }

  /** Counts a session's rows anew, after something else than counting in step changed them. */
  recount(id: number): void {
    const stored = this.get(id)
    const counts = this.statements.counts.get(id)
    if (stored === undefined || counts === undefined) return
    const byKind = new Map(this.statements.partCounts.all(id).map(({ kind, count }) => [kind, count]))
    const partCounts = PART_KINDS.map((_, kind) => byKind.get(kind) ?? 0)
    this.save({ ...stored, ...counts, partCounts, models: this.modelsOf(id), ...this.totals(id) }, stored)
  }

  modelsOf(sessionId: number): string[] {
    return this.statements.models.all(sessionId).map(({ model }) => model)
  }
}

/** Names one journal: seqs compare only within it. */
export const newEpoch = (): string => randomBytes(9).toString('base64url')

const BLANK = {
  sourcePath: null,
  kind: 'MAIN',
  title: null,
  titleOrigin: null,
  projectId: null,
  gitBranch: null,
  clientVersion: null,
  shareUrl: null,
  parentId: null,
  parentNativeId: null,
  relation: null,
  parentPair: null,
  parentMessageNativeId: null,
  createdAtOrigin: 'FILE',
  ending: 'NONE',
  shiftsAt: null,
  archivedAt: null,
  isSourceMissing: false,
  revertedFrom: null,
  revertedFromKey: null,
  messageCount: 0,
  inheritedMessageCount: 0,
  promptCount: 0,
  toolCallCount: 0,
  failedToolCallCount: 0,
  models: [],
  partCounts: PART_KINDS.map(() => 0),
  totalTokens: null,
  costNanos: null,
  recordStreamId: null,
  recordNo: null,
  nextSeq: 0,
  isStarred: false,
  note: null,
} as const satisfies Partial<SessionValues>
