import type { Adapter } from '../contract.ts'
import { content } from './content.ts'
import { discover } from './discover.ts'
import { listFiles } from './list-files.ts'
import { PiMapper } from './map.ts'
import { read } from './read.ts'
import { defaultRoots } from './roots.ts'

/** pi, files of versions 1 to 3 (seen: 0.13.2, 0.73.1, 1.6.0) and 4 (not seen in real data). A unit is one session's file. */
export const pi: Adapter = {
  name: 'pi',
  title: 'pi',
  revision: 1,
  probe: defaultRoots,
  watchPaths: (root) => listFiles(root).directories,
  discover: async (root, context) => discover(root, context),
  parse: read,
  map: (sessionId, unitKey) => new PiMapper(sessionId, unitKey, null),
  content,
  locate: (path) => path,
}
