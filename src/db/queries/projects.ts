import type { InferSelectModel } from 'drizzle-orm'
import { type JsonKey, oneByKey } from '../by-key.ts'
import type { ListParent, ListQuery } from '../keyset.ts'
import type { Store } from '../open.ts'
import { rowShape } from '../row-shape.ts'
import { projects } from '../schema.ts'

export type StoredProject = InferSelectModel<typeof projects>

const shape = rowShape(projects, 't')

/** All projects, the one last worked in first. */
export const allProjects: ListQuery<ListParent, StoredProject> = {
  name: 'projects',
  from: 'projects t',
  parent: null,
  where: [],
  order: ['t.last_activity_at'],
  direction: 'DESC',
  unique: ['t.id'],
  columns: shape.columns,
  decode: (values, from) => shape.decode(values, from),
}

export const projectsById = (store: Store, ids: readonly number[]) =>
  oneByKey(store, `select k.key, ${shape.columns} from json_each(?) k join projects t on t.id = k.value`, ids, (row) =>
    shape.decode(row, 1),
  )

/** By (uid of the origin, path in normal form). */
export const projectsByPath = (store: Store, keys: readonly JsonKey[]) =>
  oneByKey(
    store,
    `select k.key, ${shape.columns} from json_each(?) k join origins o on o.uid = k.value ->> 0
     join projects t on t.origin_id = o.id and t.path_key = k.value ->> 1`,
    keys,
    (row) => shape.decode(row, 1),
  )

/** Sessions of each project that a person started. */
export const sessionCountsOfProjects = (store: Store, ids: readonly number[]): number[] =>
  oneByKey(
    store,
    `select k.key, (select count(*) from sessions s where s.project_id = k.value and s.kind = 0) from json_each(?) k`,
    ids,
    (row) => Number(row[1]),
  ).map((count) => count ?? 0)
