import { and, desc, eq, inArray, lt, or } from 'drizzle-orm'
import type { SyncStatus, SyncTrigger } from '../../model/enums.ts'
import type { Store } from '../open.ts'
import { runProblems, type StoredProgress, syncRuns } from '../schema.ts'

export type StoredRun = typeof syncRuns.$inferSelect

/** The last runs are kept, so many of them (design §5.7). */
const KEPT_RUNS = 1000

export class RunWriter {
  private readonly store: Store

  constructor(store: Store) {
    this.store = store
  }

  add(run: {
    trigger: SyncTrigger
    sources: readonly string[] | null
    verify: boolean
    status: SyncStatus
    progress: StoredProgress
    now: number
  }): number {
    const { trigger, sources, verify, status, progress, now } = run
    const row = { trigger, sources, verify, status, progress, startedAt: now, endedAt: null }
    const { lastInsertRowid } = this.store.orm.insert(syncRuns).values(row).run()
    const id = Number(lastInsertRowid)
    this.store.orm
      .delete(syncRuns)
      .where(lt(syncRuns.id, id - KEPT_RUNS))
      .run()
    this.store.orm
      .delete(runProblems)
      .where(lt(runProblems.runId, id - KEPT_RUNS))
      .run()
    return id
  }

  get(id: number): StoredRun | undefined {
    return this.store.orm.select().from(syncRuns).where(eq(syncRuns.id, id)).get()
  }

  update(id: number, change: Partial<Pick<StoredRun, 'status' | 'endedAt' | 'progress' | 'startedAt'>>): void {
    this.store.orm.update(syncRuns).set(change).where(eq(syncRuns.id, id)).run()
  }

  /** Runs that a process left behind when it died can't go on. */
  failAbandoned(now: number): void {
    const unfinished = or(eq(syncRuns.status, 'QUEUED'), eq(syncRuns.status, 'RUNNING'))
    this.store.orm.update(syncRuns).set({ status: 'FAILED', endedAt: now }).where(unfinished).run()
  }

  /** The newest queued run for exactly these sources. */
  queuedLike(sources: readonly string[] | null, verify: boolean): StoredRun | undefined {
    const queued = this.store.orm
      .select()
      .from(syncRuns)
      .where(and(eq(syncRuns.status, 'QUEUED'), inArray(syncRuns.trigger, ['MANUAL', 'STARTUP'])))
      .orderBy(desc(syncRuns.id))
      .all()
    const wanted = JSON.stringify(sources)
    return queued.find((run) => run.verify === verify && JSON.stringify(run.sources) === wanted)
  }
}
