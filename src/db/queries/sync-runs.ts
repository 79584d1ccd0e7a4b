import { and, asc, desc, eq, inArray, ne } from 'drizzle-orm'
import { oneByKey } from '../by-key.ts'
import type { ListParent, ListQuery } from '../keyset.ts'
import type { Store } from '../open.ts'
import { rowShape } from '../row-shape.ts'
import { syncRuns } from '../schema.ts'

export type StoredRun = typeof syncRuns.$inferSelect

const shape = rowShape(syncRuns, 't')

/** All runs that are kept, newest first. */
export const allRuns: ListQuery<ListParent, StoredRun> = {
  name: 'sync runs',
  from: 'sync_runs t',
  parent: null,
  where: [],
  order: [],
  direction: 'DESC',
  unique: ['t.id'],
  columns: shape.columns,
  decode: (values, from) => shape.decode(values, from),
}

export const runsById = (store: Store, ids: readonly number[]) =>
  oneByKey(store, `select k.key, ${shape.columns} from json_each(?) k join sync_runs t on t.id = k.value`, ids, (row) =>
    shape.decode(row, 1),
  )

/** The run that a person waits for: the one that runs, else the next in the queue. Watching is none. */
export function currentRun(store: Store): StoredRun | null {
  const { status, trigger, id } = syncRuns
  const open = store.orm
    .select()
    .from(syncRuns)
    .where(and(inArray(status, ['QUEUED', 'RUNNING']), ne(trigger, 'WATCH')))
  // RUNNING stands behind QUEUED in the list of statuses.
  return open.orderBy(desc(status), asc(id)).limit(1).get() ?? null
}

export const readRun = (store: Store, runId: number): StoredRun | null =>
  store.orm.select().from(syncRuns).where(eq(syncRuns.id, runId)).get() ?? null
