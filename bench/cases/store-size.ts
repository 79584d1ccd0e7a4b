import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Packer } from '../../src/db/archive/pack.ts'
import { openHome } from '../../src/db/home.ts'
import { openWriter } from '../../src/db/open.ts'
import { smallTranscripts, transcripts } from '../generate/claude-jsonl.ts'
import { syncOnce, writerFor } from '../lib/cache.ts'
import type { Case } from '../lib/case.ts'
import { tempDir } from '../lib/temp.ts'

const sizeOf = (path: string): number => {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

/** Bytes of a store, packed as an idle server packs it, for each byte of its sources. */
async function ratioOf(roots: Readonly<Record<string, readonly string[]>>, sources: number): Promise<number> {
  const home = openHome(tempDir())
  const writer = writerFor(home, roots)
  await syncOnce(writer)
  await writer.close()
  const store = openWriter(home.store)
  const packer = new Packer(store)
  while (packer.step(Date.now() + 1)) await delay(0)
  store.sqlite.exec('vacuum')
  store.sqlite.pragma('wal_checkpoint(TRUNCATE)')
  store.close()
  return sizeOf(home.store) / sources
}

/** The corpora side by side, and what of each of them is read: beside it lie manifests, and files of the agents that are no sessions. */
function corpora(directory: string) {
  const versions = (source: string, home: string) =>
    readdirSync(join(directory, source)).map((version) => join(directory, source, version, home))
  const opencode = versions('opencode', '')
  const roots = {
    'claude-code': versions('claude-code', '.claude'),
    codex: versions('codex', join('home', '.codex')),
    pi: versions('pi', join('home', '.pi', 'agent')),
    opencode: opencode.flatMap((root) =>
      readdirSync(root).includes('as-found') ? [root, join(root, 'as-found')] : [root],
    ),
  }
  const read = [
    ...roots['claude-code'].map((root) => join(root, 'projects')),
    ...roots.codex.map((root) => join(root, 'sessions')),
    ...roots.pi.map((root) => join(root, 'sessions')),
    ...roots.opencode.flatMap((root) =>
      readdirSync(root)
        .filter((name) => /^(opencode.*\.db(-wal)?|storage|tool-output)$/.test(name))
        .map((name) => join(root, name)),
    ),
  ]
  return { roots, bytes: read.reduce((sum, path) => sum + sizeOf(path), 0) }
}

export const storeSize: Case = {
  name: 'store-size',
  title:
    'bytes of the packed store, against the bytes of its sources: generated transcripts, 10,000 sessions of a few lines, and all corpora in one store (if WEIR_CORPORA is set)',
  floor: '0.9 x, 1.0 x and 1.0 x',
  async run() {
    const large = transcripts()
    const small = smallTranscripts()
    const generated = await ratioOf({ 'claude-code': [large] }, sizeOf(large))
    const short = await ratioOf({ 'claude-code': [small] }, sizeOf(small))
    const directory = process.env['WEIR_CORPORA']
    const real = directory === undefined ? null : corpora(directory)
    const together = real === null ? null : await ratioOf(real.roots, real.bytes)
    return {
      figure: [generated, short, together].map((ratio) => `${ratio?.toFixed(2) ?? '-'} x`).join(', '),
      holds: generated <= 0.9 && short <= 1 && (together ?? 0) <= 1,
      details: { 'corpora, bytes': real?.bytes ?? 0 },
    }
  },
}
