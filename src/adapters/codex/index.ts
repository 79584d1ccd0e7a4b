import type { Adapter } from '../contract.ts'
import type { ForeignDatabaseOptions } from '../kit/sqlite.ts'
import { DatabasePool } from '../kit/sqlite-pool.ts'
import { content } from './content.ts'
import { discover } from './discover.ts'
import { RolloutMapper } from './map.ts'
import { parse } from './parse.ts'
import { defaultRoots, directoriesToWatch } from './roots.ts'
import { SideFiles } from './side-files.ts'

/** Codex, from the bare rollouts of 0.20 on (seen: 0.20.0, 0.47.0, 0.100.0, 0.171.0). A unit is one rollout. */
export function createCodex(options: ForeignDatabaseOptions = {}): Adapter {
  const side = new SideFiles(new DatabasePool(options))
  return {
    name: 'codex',
    title: 'Codex',
    revision: 1,
    probe: defaultRoots,
    watchPaths: directoriesToWatch,
    discover: (root, context) => discover(side, root, context),
    parse,
    map: (sessionId, unitKey) => new RolloutMapper(sessionId, unitKey),
    content,
    locate: (path, key) => `${path}#${key}`,
  }
}

export const codex = createCodex()
