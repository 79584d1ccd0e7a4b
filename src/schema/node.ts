import { type FoundNode, findNode, findNodes, MAX_NODES } from '../resolvers/node.ts'
import { builder } from './builder.ts'

/** GraphQL type of each value that was found by id; rows alone don't tell. */
const typeNames = new WeakMap<object, string>()

export const Node = builder.interfaceRef<object>('Node').implement({
  description:
    'Something with an id of its own. Ids are opaque, and stay the same when sources are read again or the store is built anew; those of sync runs and problems belong to one store.',
  resolveType: (value) => typeNames.get(value),
  fields: (t) => ({
    id: t.id({
      description: 'Global id.',
      resolve: () => {
        throw new Error('A type that implements Node must say its own id.')
      },
    }),
  }),
})

/** Name of a part's own type, by its kind; set by part.ts. */
let partTypeName: (value: object) => string = () => 'DataPart'
export const namePartTypes = (name: (value: object) => string): void => {
  partTypeName = name
}

function named(found: FoundNode): object {
  typeNames.set(found.value, found.type === 'Part' ? partTypeName(found.value) : found.type)
  return found.value
}

builder.queryFields((t) => ({
  node: t.field({
    description: 'What the id names; null when this store does not know it.',
    type: Node,
    nullable: true,
    args: { id: t.arg.id({ required: true, description: 'A global id.' }) },
    resolve: async (_, { id }, { scope }) => {
      const found = await findNode(scope, id)
      return found === null ? null : named(found)
    },
  }),
  nodes: t.field({
    description: `What the ids name, in their order, with null for each that this store does not know. At most ${MAX_NODES} ids.`,
    type: [Node],
    nullable: { list: false, items: true },
    complexity: ({ ids }) => ({ field: 1, multiplier: ids.length }),
    args: { ids: t.arg.idList({ required: true, description: 'Global ids.' }) },
    resolve: async (_, { ids }, { scope }) =>
      (await findNodes(scope, ids)).map((found) => (found === null || found instanceof Error ? found : named(found))),
  }),
}))
