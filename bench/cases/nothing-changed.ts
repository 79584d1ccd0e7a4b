import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openHome } from '../../src/db/home.ts'
import { smallTranscripts } from '../generate/claude-jsonl.ts'
import { opencodeTree } from '../generate/opencode-tree.ts'
import { cached, syncOnce, writerFor } from '../lib/cache.ts'
import type { Case } from '../lib/case.ts'
import { cpuMs, median } from '../lib/measure.ts'
import { tempDir } from '../lib/temp.ts'

const FILES = 10_000

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

/** How much more CPU a sync takes that finds nothing changed, than one `stat` a file. */
async function ratioOn(source: string, root: string) {
  const files = filesBelow(root)
  const writer = writerFor(openHome(tempDir()), { [source]: [root] })
  await syncOnce(writer)
  await syncOnce(writer)
  const stats: number[] = []
  const syncs: number[] = []
  for (let round = 0; round < 7; round++) {
    stats.push(await cpuMs(() => files.forEach((file) => void statSync(file))))
    syncs.push(await cpuMs(() => syncOnce(writer)))
  }
  await writer.close()
  return { files: files.length, stat: median(stats), sync: median(syncs), ratio: median(syncs) / median(stats) }
}

export const nothingChanged: Case = {
  name: 'nothing-changed',
  title:
    'sync of 10,000 unchanged transcripts, against one stat a file (beside it: an old opencode tree, where every message is a directory)',
  floor: '4 x its CPU',
  async run() {
    const tree = cached(`opencode-tree-${FILES}`)
    opencodeTree(tree, FILES)
    const flat = await ratioOn('claude-code', smallTranscripts())
    const nested = await ratioOn('opencode', tree)
    return {
      figure: `${flat.ratio.toFixed(2)} x its CPU`,
      holds: flat.ratio <= 4,
      details: {
        files: flat.files,
        'stat, CPU ms': flat.stat.toFixed(1),
        'sync, CPU ms': flat.sync.toFixed(1),
        'opencode tree': `${nested.ratio.toFixed(2)} x`,
      },
    }
  },
}
