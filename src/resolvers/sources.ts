import type { SourceCount, StoredOrigin, StoredRoot, StoredSource } from '../db/queries/sources.ts'
import { rootId } from './ids.ts'
import type { Scope } from './scope.ts'
import { known, originsById, rootsById, sourceCounts, sourcesById } from './source-tables.ts'

export type { StoredRoot, StoredSource } from '../db/queries/sources.ts'

/** A machine; what the API shows of it needs no row. */
export type Origin = Pick<StoredOrigin, 'uid' | 'name' | 'isLocal'>

export interface Warning {
  readonly code: string
  readonly message: string
}

export const localOrigin = ({ services }: Scope): Origin => ({ ...services.origin, isLocal: true })

export const originById = async (scope: Scope, id: number): Promise<Origin> =>
  known(await originsById(scope), id, 'origin')

export async function originByUid(scope: Scope, uid: string): Promise<Origin | null> {
  if (uid === scope.services.origin.uid) return localOrigin(scope)
  return [...(await originsById(scope)).values()].find((origin) => origin.uid === uid) ?? null
}

export const sourceById = async (scope: Scope, id: number): Promise<StoredSource> =>
  known(await sourcesById(scope), id, 'source')

export const allSources = async (scope: Scope): Promise<StoredSource[]> => [...(await sourcesById(scope)).values()]

export const sourceByName = async (scope: Scope, name: string): Promise<StoredSource | null> =>
  (await allSources(scope)).find((source) => source.name === name) ?? null

/** Where a source's data is now; roots that only older sessions came from are reached through those. */
export const rootsOfSource = async (scope: Scope, source: StoredSource): Promise<StoredRoot[]> =>
  [...(await rootsById(scope)).values()].filter((root) => root.sourceId === source.id && root.isConfigured)

export const rootById = async (scope: Scope, id: number): Promise<StoredRoot> =>
  known(await rootsById(scope), id, 'root')

/** What stands on any of the source's roots, each once. */
export async function warningsOfSource(scope: Scope, source: StoredSource): Promise<Warning[]> {
  const all = (await rootsOfSource(scope, source)).flatMap((root) => root.warnings)
  return [...new Map(all.map((warning) => [`${warning.code}\0${warning.message}`, warning])).values()]
}

export const sourceSessionCount = (scope: Scope, source: StoredSource) =>
  sum(scope, (count) => count.sourceId === source.id, 'sessions')
export const sourceMessageCount = (scope: Scope, source: StoredSource) =>
  sum(scope, (count) => count.sourceId === source.id, 'messages')
export const rootSessionCount = (scope: Scope, root: StoredRoot) =>
  sum(scope, (count) => count.rootId === root.id, 'sessions')

async function sum(
  scope: Scope,
  isOne: (count: SourceCount) => boolean,
  what: 'sessions' | 'messages',
): Promise<number> {
  return (await sourceCounts(scope)).filter(isOne).reduce((total, count) => total + count[what], 0)
}

export async function rootGlobalId(scope: Scope, root: StoredRoot): Promise<string> {
  const [origin, source] = await Promise.all([originById(scope, root.originId), sourceById(scope, root.sourceId)])
  return rootId(origin.uid, source.name, root.path)
}

/** By the key that its id holds. */
export async function rootOfKey(scope: Scope, key: string): Promise<StoredRoot | null> {
  const [originUid, sourceName, path] = key.split('\0')
  const [origins, sources, roots] = await Promise.all([originsById(scope), sourcesById(scope), rootsById(scope)])
  const isOne = (root: StoredRoot) =>
    root.path === path &&
    origins.get(root.originId)?.uid === originUid &&
    sources.get(root.sourceId)?.name === sourceName
  return [...roots.values()].find(isOne) ?? null
}
