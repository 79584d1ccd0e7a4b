import { asc } from 'drizzle-orm'
import type { Store } from '../open.ts'
import { origins, roots, sources } from '../schema.ts'
import { selectAll } from '../statement.ts'

export type StoredOrigin = typeof origins.$inferSelect
export type StoredSource = typeof sources.$inferSelect
export type StoredRoot = typeof roots.$inferSelect

/** Origins, sources and roots are few: they are read whole, once an operation. */
export const readOrigins = (store: Store): StoredOrigin[] =>
  store.orm.select().from(origins).orderBy(asc(origins.id)).all()
export const readSources = (store: Store): StoredSource[] =>
  store.orm.select().from(sources).orderBy(asc(sources.name)).all()
export const readRoots = (store: Store): StoredRoot[] => store.orm.select().from(roots).orderBy(asc(roots.id)).all()

export interface SourceCount {
  readonly sourceId: number
  readonly rootId: number | null
  readonly sessions: number
  readonly messages: number
}

/** Sessions of every kind and their messages, by source and root. */
export const countBySource = (store: Store): SourceCount[] =>
  selectAll<SourceCount>(
    store,
    `select source_id as sourceId, root_id as rootId, count(*) as sessions, sum(message_count) as messages
     from sessions group by source_id, root_id`,
  )
