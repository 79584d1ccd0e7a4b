import {
  countBySource,
  readOrigins,
  readRoots,
  readSources,
  type SourceCount,
  type StoredOrigin,
  type StoredRoot,
  type StoredSource,
} from '../db/queries/sources.ts'
import { Lookup } from './batch.ts'
import type { Scope } from './scope.ts'

/** The small tables, each read once an operation. */
const origins = new Lookup<0, ReadonlyMap<number, StoredOrigin>>(
  ({ services }) => [byId(readOrigins(services.store))],
  () => 0,
)
const sources = new Lookup<0, ReadonlyMap<number, StoredSource>>(
  ({ services }) => [byId(readSources(services.store))],
  () => 0,
)
const roots = new Lookup<0, ReadonlyMap<number, StoredRoot>>(
  ({ services }) => [byId(readRoots(services.store))],
  () => 0,
)
const counts = new Lookup<0, readonly SourceCount[]>(
  ({ services }) => [countBySource(services.store)],
  () => 0,
)

const byId = <Row extends { readonly id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> =>
  new Map(rows.map((row) => [row.id, row]))

export const originsById = (scope: Scope) => origins.load(scope, 0)
export const sourcesById = (scope: Scope) => sources.load(scope, 0)
export const rootsById = (scope: Scope) => roots.load(scope, 0)
export const sourceCounts = (scope: Scope) => counts.load(scope, 0)

/** A row that another row points at: its absence would be a fault of the store. */
export function known<Row>(rows: ReadonlyMap<number, Row>, id: number, what: string): Row {
  const row = rows.get(id)
  if (row === undefined) throw new Error(`The store has no ${what} ${id}, though rows point at it.`)
  return row
}
