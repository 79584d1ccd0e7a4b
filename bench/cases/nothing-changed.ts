import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openHome } from '../../src/db/home.ts'
import { opencodeTree } from '../generate/opencode-tree.ts'
import { cached, importInto, syncOnce, writerOn } from '../lib/cache.ts'
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

export const nothingChanged: Case = {
  name: 'nothing-changed',
  title: 'sync of 10,000 unchanged files, against one stat a file',
  floor: '4 x its CPU',
  async run() {
    const root = cached(`opencode-tree-${FILES}`)
    opencodeTree(root, FILES)
    const files = filesBelow(root)
    const home = openHome(tempDir())
    await importInto(home, root)
    const writer = writerOn(home, root)
    await syncOnce(writer)
    const stats: number[] = []
    const syncs: number[] = []
    for (let round = 0; round < 5; round++) {
      stats.push(await cpuMs(() => files.forEach((file) => void statSync(file))))
      syncs.push(await cpuMs(() => syncOnce(writer)))
    }
    await writer.close()
    const ratio = median(syncs) / median(stats)
    return {
      figure: `${ratio.toFixed(2)} x its CPU`,
      holds: ratio <= 4,
      details: {
        files: files.length,
        'stat, CPU ms': median(stats).toFixed(1),
        'sync, CPU ms': median(syncs).toFixed(1),
      },
    }
  },
}
