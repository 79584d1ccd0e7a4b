import type { Adapter } from '../contract.ts'
import { parseWith, type ReadItem } from '../kit/parse-with.ts'
import type { ForeignDatabaseOptions } from '../kit/sqlite.ts'
import { DatabasePool } from '../kit/sqlite-pool.ts'
import { content } from './content.ts'
import { discover } from './discover.ts'
import { locationOf, placeOfPath } from './keys.ts'
import { SessionMapper } from './map.ts'
import { readDatabaseSession } from './read-database.ts'
import { readTreeSession } from './read-tree.ts'
import { defaultRoots, directoriesToWatch } from './roots.ts'
import { isUnitMeta } from './unit.ts'

/**
 * opencode, both generations: the JSON tree (seen: 1.1.65) and the SQLite database (seen: 1.2.27, 1.3.2, 1.14.41, 1.15.13,
 * 1.18.33), merged by session. A unit is one session.
 */
export function createOpencode(options: ForeignDatabaseOptions = {}): Adapter {
  const pool = new DatabasePool(options)
  const map: Adapter['map'] = (sessionId, unitKey) => new SessionMapper(sessionId, unitKey)
  return {
    name: 'opencode',
    title: 'opencode',
    revision: 1,
    probe: defaultRoots,
    watchPaths: directoriesToWatch,
    discover: (root, context) => discover(pool, root, context),
    parse: parseWith(({ meta }, cursor) => {
      if (!isUnitMeta(meta)) return nothing()
      return meta.kind === 'tree' ? readTreeSession(meta, cursor) : readDatabaseSession(pool, meta, cursor)
    }, map),
    map,
    content,
    locate: (path, key) => locationOf(placeOfPath(path), key),
  }
}

/** Of a unit in which discovery found no change. */
// biome-ignore lint/correctness/useYield: it is the generator that yields nothing.
async function* nothing(): AsyncGenerator<ReadItem, string | null> {
  return null
}

export const opencode = createOpencode()
