import { adapters } from '../adapters/registry.ts'
import type { Services } from '../resolvers/services.ts'

const byName = new Map(adapters.map((adapter) => [adapter.name, adapter]))

/** How the adapter of a source reads the whole of a long text, and says where a record stands. */
export const contentOf: Services['content'] = (source) => {
  const adapter = byName.get(source)
  return (record, type, place) => adapter?.content(record, type, place) ?? null
}

/** Where the adapter of a source says that a record stands. */
export const locateOf: NonNullable<Services['locate']> = (source) => {
  const adapter = byName.get(source)
  return (path, key) => adapter?.locate(path, key) ?? `${path}#${key}`
}
