import type { Adapter } from '../contract.ts'
import { content } from './content.ts'
import { directoriesToWatch, discover, type LastWrites } from './discover.ts'
import { DshMapper } from './map.ts'
import { read } from './read.ts'
import { defaultRoots } from './roots.ts'

/** DeepSeek Harness, logs of generations 0 (seen: 0.1.1-rc.2) to 4 (from descriptions). A unit is one session's directory. */
export function createDsh(): Adapter {
  const lastWrites: LastWrites = new Map()
  return {
    name: 'dsh',
    title: 'DeepSeek Harness',
    revision: 1,
    probe: defaultRoots,
    watchPaths: (root) => directoriesToWatch(root, lastWrites),
    discover: async (root, context) => discover(root, context, lastWrites),
    parse: read,
    map: (sessionId, unitKey) => new DshMapper(sessionId, unitKey, null),
    content,
    locate: (path) => path,
  }
}

export const dsh = createDsh()
