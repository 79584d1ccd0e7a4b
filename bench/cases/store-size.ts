import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Packer } from '../../src/db/archive/pack.ts'
import { openHome } from '../../src/db/home.ts'
import { openWriter } from '../../src/db/open.ts'
import { generated, syncOnce, writerOnRoots } from '../lib/cache.ts'
import type { Case } from '../lib/case.ts'
import { tempDir } from '../lib/temp.ts'

const sizeOf = (path: string): number => {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

/** Bytes of what Weir reads below an opencode data directory; the corpora hold more beside it. */
const SOURCE_NAMES = /^(opencode.*\.db(-wal)?|storage|tool-output)$/

export const storeSize: Case = {
  name: 'store-size',
  title: 'bytes of the packed store, against the bytes of its sources (corpora if WEIR_CORPORA is set, else generated)',
  floor: '1.0 x the sources',
  async run() {
    const corpora = process.env['WEIR_CORPORA']
    const roots = corpora === undefined ? [generated('100k')] : corpusRoots(join(corpora, 'opencode'))
    const sources = roots.reduce(
      (sum, root) =>
        sum +
        (statSync(root).isDirectory()
          ? readdirSync(root)
              .filter((name) => SOURCE_NAMES.test(name))
              .reduce((s, name) => s + sizeOf(join(root, name)), 0)
          : sizeOf(root)),
      0,
    )
    const home = openHome(tempDir())
    const writer = writerOnRoots(home, roots)
    await syncOnce(writer)
    await writer.close()
    const store = openWriter(home.store)
    const packer = new Packer(store)
    while (packer.step(Date.now() + 1)) await delay(0)
    store.sqlite.exec('vacuum')
    store.sqlite.pragma('wal_checkpoint(TRUNCATE)')
    store.close()
    const bytes = sizeOf(home.store)
    const ratio = bytes / sources
    return {
      figure: `${ratio.toFixed(2)} x the sources`,
      holds: ratio <= 1,
      details: { 'sources, bytes': sources, 'store, bytes': bytes },
    }
  },
}

function corpusRoots(directory: string): string[] {
  return readdirSync(directory).flatMap((version) => {
    const root = join(directory, version)
    return readdirSync(root).includes('as-found') ? [root, join(root, 'as-found')] : [root]
  })
}
