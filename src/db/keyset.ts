import { CodedError } from '../model/error.ts'
import { decodeCursor, encodeCursor, type SortValue } from './cursor.ts'
import type { Store } from './open.ts'
import type { PageRequest } from './page-request.ts'
import { allOf, type Sql, type SqlParam, sql } from './sql.ts'
import { selectValues } from './statement.ts'

export interface ListParent {
  readonly id: number
}

/** Parent of the lists of the whole store. */
export const ROOT: ListParent = { id: 0 }

/**
 * Keyset pagination (design §7.2): every list of the API is a `ListQuery`, read here and nowhere else. A page is found by comparing row
 * values with those of its cursor, over an order that ends in unique columns, so that it costs the same however deep it lies. Pages
 * of many parents take one statement. Nulls come last in both directions: an order by a nullable column is read as two segments,
 * "not null" then "null", so that each can use the index.
 */
export interface ListQuery<Parent extends ListParent, Row> {
  /** Names the list, its order and its filter: a cursor of another one is refused. */
  readonly name: string
  /** What is selected from, in the order in which it is best walked. */
  readonly from: string
  /** The same tables, best reached from the unique columns; `from` when left out. */
  readonly fromKeys?: string
  /** Column that equals the parent's id; null for a list of the whole store, whose parent is ROOT. */
  readonly parent: string | null
  readonly where: readonly Sql[]
  /** Columns to order by, before the unique ones. */
  readonly order: readonly string[]
  /** Whether the first of `order` can be null. */
  readonly isNullable?: boolean
  readonly direction: 'ASC' | 'DESC'
  /** Columns that no two rows share, of one table. */
  readonly unique: readonly string[]
  readonly columns: string
  /** Reads a row whose columns start at `from`. */
  decode(values: readonly unknown[], from: number, parent: Parent): Row
}

export interface Page<Parent, Row> {
  readonly parent: Parent
  readonly request: PageRequest
  readonly rows: readonly Row[]
  /** For each row, the values of the columns that it is ordered by. */
  readonly sortValues: readonly (readonly SortValue[])[]
  /** Whether there was more in the direction of reading, up to the other cursor. */
  readonly hasMore: boolean
}

/** One page for each parent, in at most two statements. A cursor that isn't one of a parent's list gives that parent an error. */
export function readPages<Parent extends ListParent, Row>(
  store: Store,
  query: ListQuery<Parent, Row>,
  request: PageRequest,
  parents: readonly Parent[],
): (Page<Parent, Row> | Error)[] {
  const bounds = parents.map((parent) => attempt(() => boundsOf(query, request, parent)))
  const groups = new Map<string, { readonly bounds: Bounds; readonly parents: Parent[] }>()
  for (const [i, parent] of parents.entries()) {
    const own = bounds[i]
    if (own === undefined || own instanceof Error) continue
    const key = JSON.stringify(own)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { bounds: own, parents: [parent] })
    else group.parents.push(parent)
  }
  const pages = new Map<Parent, Page<Parent, Row>>()
  for (const group of groups.values()) {
    const found = fetchRows(store, query, request.isForward, group.bounds, request.limit + 1, group.parents)
    for (const [i, parent] of group.parents.entries()) pages.set(parent, toPage(query, request, parent, found[i] ?? []))
  }
  return parents.map((parent, i) => {
    const own = bounds[i]
    return own instanceof Error ? own : (pages.get(parent) ?? toPage(query, request, parent, []))
  })
}

/** Number of all rows of each parent's list. */
export function countRows<Parent extends ListParent, Row>(
  store: Store,
  query: ListQuery<Parent, Row>,
  parents: readonly Parent[],
): number[] {
  const where = allOf([...query.where, ...(query.parent === null ? [] : [sql(`${query.parent} = k.value`)])])
  const text = `select k.key, (select count(*) from ${query.from} where ${where.text}) from json_each(?) k`
  const counts = parents.map(() => 0)
  const keys = JSON.stringify(parents.map((parent) => parent.id))
  for (const [place, count] of selectValues(store, text, ...where.params, keys)) counts[Number(place)] = Number(count)
  return counts
}

/** Whether the list goes on in front of the page, or behind it. Runs a statement only where the page alone can't tell. */
export function goesOn<Parent extends ListParent, Row>(
  store: Store,
  query: ListQuery<Parent, Row>,
  page: Page<Parent, Row>,
  where: 'before' | 'after',
): boolean {
  const { request, parent } = page
  const isReadTowards = (where === 'after') === request.isForward
  if (isReadTowards && page.hasMore) return true
  const ownCursor = where === 'after' ? request.before : request.after
  // Nothing was cut off on that side, so the list starts or ends with the page.
  if (ownCursor === null) return false
  const edge = page.sortValues.at(where === 'after' ? -1 : 0)
  const bound: Bound =
    edge !== undefined
      ? { values: edge, isIncluded: false }
      : { values: decodeCursor(ownCursor, query.name, parent.id, sortWidth(query)), isIncluded: true }
  const isForward = where === 'after'
  const bounds = isForward ? { after: bound, before: null } : { after: null, before: bound }
  return (fetchRows(store, query, isForward, bounds, 1, [parent])[0] ?? []).length > 0
}

/** Cursor of the row at `index` of a page. */
export function cursorAt<Parent extends ListParent, Row>(
  query: ListQuery<Parent, Row>,
  page: Page<Parent, Row>,
  index: number,
): string | null {
  const values = page.sortValues[index]
  return values === undefined ? null : encodeCursor(query.name, page.parent.id, values)
}

interface Bound {
  readonly values: readonly SortValue[]
  /** Whether the row at these values is inside. */
  readonly isIncluded: boolean
}
interface Bounds {
  readonly after: Bound | null
  readonly before: Bound | null
}
type AnyQuery = Pick<
  ListQuery<ListParent, unknown>,
  'from' | 'fromKeys' | 'parent' | 'where' | 'order' | 'isNullable' | 'direction' | 'unique' | 'columns' | 'name'
>

const sortColumns = (query: AnyQuery): readonly string[] => [...query.order, ...query.unique]
const sortWidth = (query: AnyQuery): number => query.order.length + query.unique.length

function boundsOf(query: AnyQuery, request: PageRequest, parent: ListParent): Bounds {
  const bound = (cursor: string | null): Bound | null =>
    cursor === null
      ? null
      : { values: decodeCursor(cursor, query.name, parent.id, sortWidth(query)), isIncluded: false }
  return { after: bound(request.after), before: bound(request.before) }
}

function toPage<Parent extends ListParent, Row>(
  query: ListQuery<Parent, Row>,
  request: PageRequest,
  parent: Parent,
  found: readonly (readonly unknown[])[],
): Page<Parent, Row> {
  const kept = found.slice(0, request.limit)
  if (!request.isForward) kept.reverse()
  const width = sortWidth(query)
  return {
    parent,
    request,
    rows: kept.map((values) => query.decode(values, width + 1, parent)),
    sortValues: kept.map((values) => values.slice(1, width + 1).map(sortValue)),
    hasMore: found.length > request.limit,
  }
}

/** Up to `limit` rows for each parent, in the direction of reading; each row is the parent's place, its sort values, its columns. */
function fetchRows(
  store: Store,
  query: AnyQuery,
  isForward: boolean,
  bounds: Bounds,
  limit: number,
  parents: readonly ListParent[],
): unknown[][][] {
  const rows = parents.map((): unknown[][] => [])
  for (const segment of segmentsOf(query, isForward)) {
    const short = [...parents.keys()].filter((i) => (rows[i]?.length ?? 0) < limit)
    const conditions = boundConditions(query, segment, bounds)
    if (short.length === 0 || conditions === null) continue
    const found = readSegment(
      store,
      query,
      segment,
      isForward,
      conditions,
      limit,
      short.map((i) => parents[i]?.id ?? 0),
    )
    for (const values of found) {
      const own = rows[short[Number(values[0])] ?? -1]
      if (own !== undefined && own.length < limit) own.push(values)
    }
  }
  return rows
}

/** ANY: the order has no nulls. Otherwise the rows with a value come first, in both directions. */
type Segment = 'ANY' | 'VALUE' | 'NULL'

function segmentsOf(query: AnyQuery, isForward: boolean): readonly Segment[] {
  if (query.isNullable !== true) return ['ANY']
  return isForward ? ['VALUE', 'NULL'] : ['NULL', 'VALUE']
}

/** What keeps a segment between its bounds; null when nothing of it lies there. */
function boundConditions(query: AnyQuery, segment: Segment, bounds: Bounds): Sql[] | null {
  const [leading] = query.order
  const conditions: Sql[] = segment === 'ANY' ? [] : [sql(`${leading} is ${segment === 'NULL' ? '' : 'not '}null`)]
  for (const side of ['after', 'before'] as const) {
    const bound = bounds[side]
    if (bound === null) continue
    const isAtNull = bound.values[0] === null
    if (segment === 'VALUE' && isAtNull) {
      if (side === 'after') return null
      continue
    }
    if (segment === 'NULL' && !isAtNull) {
      if (side === 'before') return null
      continue
    }
    const skipped = segment === 'NULL' ? 1 : 0
    const operator = `${(side === 'after') === (query.direction === 'ASC') ? '>' : '<'}${bound.isIncluded ? '=' : ''}`
    const columns = sortColumns(query).slice(skipped)
    const values = bound.values.slice(skipped)
    conditions.push(sql(`(${columns.join(', ')}) ${operator} (${values.map(() => '?').join(', ')})`, ...values))
  }
  return conditions
}

function readSegment(
  store: Store,
  query: AnyQuery,
  segment: Segment,
  isForward: boolean,
  bounds: readonly Sql[],
  limit: number,
  parents: readonly number[],
): unknown[][] {
  const columns = sortColumns(query)
  const direction = (query.direction === 'ASC') === isForward ? 'asc' : 'desc'
  const order = columns
    .slice(segment === 'NULL' ? 1 : 0)
    .map((column) => `${column} ${direction}`)
    .join(', ')
  const selected = [...columns, query.columns].filter((text) => text !== '').join(', ')
  const [only] = parents
  if (parents.length === 1) {
    const own: Sql[] = query.parent === null || only === undefined ? [] : [sql(`${query.parent} = ?`, only)]
    const where = allOf([...own, ...query.where, ...bounds])
    const text = `select 0, ${selected} from ${query.from} where ${where.text} order by ${order} limit ?`
    return selectValues(store, text, ...where.params, limit)
  }
  const own = query.parent === null ? [] : [sql(`${query.parent} = k.value`)]
  const where = allOf([...own, ...query.where, ...bounds])
  const unique = query.unique.join(', ')
  // SQLite's limit can't see outer columns, so the limit is one for all; `in` lets each parent's page come from the index.
  const text = `select k.key, ${selected} from json_each(?) k join ${query.fromKeys ?? query.from} where (${unique}) in
    (select ${unique} from ${query.from} where ${where.text} order by ${order} limit ?) order by k.key, ${order}`
  const params: SqlParam[] = [JSON.stringify(parents), ...where.params, limit]
  return selectValues(store, text, ...params)
}

const sortValue = (value: unknown): SortValue =>
  typeof value === 'string' || typeof value === 'number' || value === null ? value : String(value)

function attempt<T>(work: () => T): T | Error {
  try {
    return work()
  } catch (error) {
    if (error instanceof CodedError) return error
    throw error
  }
}
