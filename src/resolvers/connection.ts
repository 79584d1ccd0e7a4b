import { countRows, cursorAt, goesOn, type ListParent, type ListQuery, type Page, readPages } from '../db/keyset.ts'
import { type PageArgs, type PageRequest, pageRequest } from '../db/page-request.ts'
import { Batch } from './batch.ts'
import type { Scope } from './scope.ts'

export { type ListParent, ROOT } from '../db/keyset.ts'
export type { PageArgs } from '../db/page-request.ts'
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../db/page-request.ts'

export interface Edge<Row> {
  readonly cursor: string
  readonly node: Row
}

/** One page of a list. Cursors, neighbours and counts are worked out only when they are asked for. */
export interface Connection<Row> {
  readonly nodes: readonly Row[]
  edges(): Edge<Row>[]
  readonly pageInfo: PageInfo
  totalCount(): Promise<number>
}

export interface PageInfo {
  hasNextPage(): boolean
  hasPreviousPage(): boolean
  startCursor(): string | null
  endCursor(): string | null
}

interface Asked<Parent extends ListParent, Row> {
  readonly name: string
  readonly query: ListQuery<Parent, Row>
  readonly request: PageRequest
}

/** A list of the API. Pages of many parents with the same arguments are read together. */
export class List<Parent extends ListParent, Row> {
  private readonly pages: Batch<Parent, Page<Parent, Row>, Asked<Parent, Row>>
  private readonly counts: Batch<Parent, number, { readonly name: string; readonly query: ListQuery<Parent, Row> }>

  constructor() {
    const keyOf = (parent: Parent): number => parent.id
    this.pages = new Batch(
      (scope, parents, { query, request }) => readPages(scope.services.store, query, request, parents),
      keyOf,
    )
    this.counts = new Batch((scope, parents, { query }) => countRows(scope.services.store, query, parents), keyOf)
  }

  /** The page of a parent's list that the arguments ask for. */
  async page(scope: Scope, query: ListQuery<Parent, Row>, args: PageArgs, parent: Parent): Promise<Connection<Row>> {
    return this.connect(scope, query, await this.rows(scope, query, pageRequest(args), parent))
  }

  /** The page alone, for arguments that are checked already. */
  rows(scope: Scope, query: ListQuery<Parent, Row>, request: PageRequest, parent: Parent): Promise<Page<Parent, Row>> {
    const { limit, isForward, after, before } = request
    const name = `${query.name} ${isForward ? 'first' : 'last'} ${limit} ${after ?? ''} ${before ?? ''}`
    return this.pages.load(scope, parent, { name, query, request })
  }

  connect(scope: Scope, query: ListQuery<Parent, Row>, page: Page<Parent, Row>): Connection<Row> {
    const { store } = scope.services
    return {
      nodes: page.rows,
      edges: () => page.rows.map((node, i) => ({ cursor: cursorAt(query, page, i) ?? '', node })),
      pageInfo: {
        hasNextPage: () => goesOn(store, query, page, 'after'),
        hasPreviousPage: () => goesOn(store, query, page, 'before'),
        startCursor: () => cursorAt(query, page, 0),
        endCursor: () => cursorAt(query, page, page.rows.length - 1),
      },
      totalCount: () => this.counts.load(scope, page.parent, { name: query.name, query }),
    }
  }
}
