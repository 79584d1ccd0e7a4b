import { and, eq, inArray } from 'drizzle-orm'
import type { RootStatus } from '../../model/enums.ts'
import type { Store } from '../open.ts'
import { origins, roots, type StoredWarning, sources } from '../schema.ts'

export type StoredRoot = typeof roots.$inferSelect

/** What a look at a root told. */
export interface RootState {
  readonly status: RootStatus
  readonly generations: readonly string[]
  readonly warnings: readonly StoredWarning[]
}

/** Origins, sources and roots: few rows, written when something about them changed. */
export class RootWriter {
  private readonly store: Store

  constructor(store: Store) {
    this.store = store
  }

  originId(uid: string, name: string): number {
    const { orm } = this.store
    orm.insert(origins).values({ uid, name, isLocal: true }).onConflictDoNothing().run()
    const row = orm.select().from(origins).where(eq(origins.uid, uid)).get()
    if (row === undefined) throw new Error('The origin that was just stored is not there.')
    return row.id
  }

  sourceId(name: string, title: string, isEnabled: boolean): number {
    const { orm } = this.store
    orm
      .insert(sources)
      .values({ name, title, isEnabled })
      .onConflictDoUpdate({ target: sources.name, set: { title, isEnabled } })
      .run()
    const row = orm.select().from(sources).where(eq(sources.name, name)).get()
    if (row === undefined) throw new Error('The source that was just stored is not there.')
    return row.id
  }

  synced(sourceId: number, at: number): void {
    this.store.orm.update(sources).set({ lastSyncedAt: at }).where(eq(sources.id, sourceId)).run()
  }

  /** Days after which the agent deletes its sessions; null when its settings don't say. */
  setRetention(sourceId: number, days: number | null): void {
    const { orm } = this.store
    const row = orm.select().from(sources).where(eq(sources.id, sourceId)).get()
    if (row !== undefined && row.retentionDays !== days)
      orm.update(sources).set({ retentionDays: days }).where(eq(sources.id, sourceId)).run()
  }

  root(sourceId: number, originId: number, path: string): StoredRoot {
    const { orm } = this.store
    const values = {
      sourceId,
      originId,
      path,
      status: 'EMPTY' as const,
      generations: [],
      warnings: [],
      isConfigured: true,
    }
    orm
      .insert(roots)
      .values(values)
      .onConflictDoUpdate({ target: [roots.originId, roots.sourceId, roots.path], set: { isConfigured: true } })
      .run()
    const where = and(eq(roots.originId, originId), eq(roots.sourceId, sourceId), eq(roots.path, path))
    const row = orm.select().from(roots).where(where).get()
    if (row === undefined) throw new Error('The root that was just stored is not there.')
    return row
  }

  /** Roots of a source that are no longer read keep their sessions, but are not shown as its roots. Returns the ids of all such. */
  forgetOthers(sourceId: number, paths: readonly string[]): number[] {
    const known = this.store.orm.select().from(roots).where(eq(roots.sourceId, sourceId)).all()
    for (const root of known) {
      const isConfigured = paths.includes(root.path)
      if (root.isConfigured !== isConfigured)
        this.store.orm.update(roots).set({ isConfigured }).where(eq(roots.id, root.id)).run()
    }
    return known.filter(({ path }) => !paths.includes(path)).map(({ id }) => id)
  }

  /** The system gives no more watches: changes in these sources' roots are polled for. */
  notePolling(sourceIds: readonly number[]): void {
    this.store.orm
      .update(roots)
      .set({ status: 'POLLING', warnings: [POLLING_WARNING] })
      .where(and(inArray(roots.sourceId, [...sourceIds]), eq(roots.status, 'OK')))
      .run()
  }

  /** Stores what a look told, if it is news. */
  setState(root: StoredRoot, state: RootState): void {
    const { status, generations, warnings } = root
    if (JSON.stringify({ status, generations, warnings }) === JSON.stringify(state)) return
    this.store.orm.update(roots).set(state).where(eq(roots.id, root.id)).run()
  }
}

const POLLING_WARNING = {
  code: 'POLLING',
  message:
    'The system gives no more file watches, so changes are looked for every 2 seconds. Raise fs.inotify.max_user_watches to see them at once.',
}
