import type { OutputRef } from '@pothos/core'
import {
  type Connection,
  DEFAULT_PAGE_SIZE,
  type Edge,
  MAX_PAGE_SIZE,
  type PageArgs,
  type PageInfo,
} from '../resolvers/connection.ts'
import { builder } from './builder.ts'

const PageInfoType = builder.objectRef<PageInfo>('PageInfo').implement({
  description: 'Where a page stands in its list.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether the list goes on behind this page.',
      resolve: (page) => page.hasNextPage(),
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether something stands before this page.',
      resolve: (page) => page.hasPreviousPage(),
    }),
    startCursor: t.string({
      description: 'Cursor of the first entry; null on an empty page.',
      nullable: true,
      resolve: (page) => page.startCursor(),
    }),
    endCursor: t.string({
      description: 'Cursor of the last entry; null on an empty page.',
      nullable: true,
      resolve: (page) => page.endCursor(),
    }),
  }),
})

/** The connection type of a list, with its edge type. `what` names an entry for people. */
export function connectionType<Row extends object>(name: string, node: OutputRef<Row>, what: string) {
  // Inside, rows are only passed on; the signature keeps their type for those who use the connection.
  const nodeType: OutputRef<object> = node
  const edge = builder.objectRef<Edge<object>>(`${name}Edge`).implement({
    description: `A ${what} at its place in a list.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'Names this place, for `after` and `before`.' }),
      node: t.field({ type: nodeType, description: `The ${what}.`, resolve: (parent) => parent.node }),
    }),
  })
  return builder.objectRef<Connection<Row>>(`${name}Connection`).implement({
    description: `One page of a list: each entry is a ${what}.`,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: 'The entries with their cursors.',
        complexity: { field: 1, multiplier: 1 },
        resolve: (page): readonly Edge<object>[] => page.edges(),
      }),
      nodes: t.field({
        type: [nodeType],
        description: 'The entries alone.',
        complexity: { field: 1, multiplier: 1 },
        resolve: (page): readonly object[] => page.nodes,
      }),
      pageInfo: t.field({
        type: PageInfoType,
        description: 'How the list goes on before and behind this page.',
        resolve: (page) => page.pageInfo,
      }),
      totalCount: t.int({
        description: 'Number of entries in the whole list. Counted only when selected.',
        resolve: (page) => page.totalCount(),
      }),
    }),
  })
}

/** The arguments that every connection takes. */
export const pageArgs = builder.args((t) => ({
  first: t.int({
    description: `Entries from the start, 1 to ${MAX_PAGE_SIZE}; ${DEFAULT_PAGE_SIZE} when neither \`first\` nor \`last\` is given.`,
  }),
  after: t.string({ description: 'Only what stands behind this cursor.' }),
  last: t.int({ description: `Entries from the end, 1 to ${MAX_PAGE_SIZE}. Not together with \`first\`.` }),
  before: t.string({ description: 'Only what stands before this cursor.' }),
}))

/** Cost of a connection: what is selected of an entry, as often as the page has entries. */
export const pageCost = ({ first, last }: Pick<PageArgs, 'first' | 'last'>) => ({
  field: 1,
  multiplier: first ?? last ?? DEFAULT_PAGE_SIZE,
})

/** Cost of a list that isn't paged because it has one or two entries nearly always. */
export const FEW = { field: 1, multiplier: 2 }
