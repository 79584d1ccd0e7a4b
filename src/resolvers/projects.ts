import {
  allProjects,
  projectsById,
  projectsByPath,
  type StoredProject,
  sessionCountsOfProjects,
} from '../db/queries/projects.ts'
import { normalPath } from '../model/path.ts'
import { itself, Lookup } from './batch.ts'
import { List, type ListParent, type PageArgs, ROOT } from './connection.ts'
import { parseIdOf, projectId } from './ids.ts'
import type { Scope } from './scope.ts'
import { known, originsById } from './source-tables.ts'

export type { StoredProject } from '../db/queries/projects.ts'

const byId = new Lookup<number, StoredProject | null>(({ services }, ids) => projectsById(services.store, ids), itself)
const byPath = new Lookup<readonly [string, string], StoredProject | null>(
  ({ services }, keys) => projectsByPath(services.store, keys),
  (key) => key.join('\0'),
)
const counts = new Lookup<number, number>(({ services }, ids) => sessionCountsOfProjects(services.store, ids), itself)
const all = new List<ListParent, StoredProject>()

export const projectById = (scope: Scope, id: number) => byId.load(scope, id)
export const projectSessionCount = (scope: Scope, project: StoredProject) => counts.load(scope, project.id)
export const listProjects = (scope: Scope, args: PageArgs) => all.page(scope, allProjects, args, ROOT)

/** By path, in whatever form it was recorded, on the machine named. */
export const projectByPath = async (scope: Scope, path: string, origin: string | null | undefined) =>
  byPath.load(scope, [origin ? parseIdOf('Origin', origin).key : scope.services.origin.uid, normalPath(path)])

/** By the key that its id holds: origin and path in normal form. */
export async function projectOfKey(scope: Scope, key: string): Promise<StoredProject | null> {
  const [origin, path] = key.split('\0')
  return origin === undefined || path === undefined ? null : byPath.load(scope, [origin, path])
}

export async function projectGlobalId(scope: Scope, { originId, pathKey }: StoredProject): Promise<string> {
  return projectId(known(await originsById(scope), originId, 'origin').uid, pathKey)
}
