import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { at } from '../../src/model/json.ts'
import { cached, generated, generatedStore } from '../lib/cache.ts'
import type { Case } from '../lib/case.ts'
import { median, percentile, wallMs } from '../lib/measure.ts'
import { type Served, serve } from '../lib/serve.ts'
import { tempDir } from '../lib/temp.ts'

const PAGE = '{ sessions(first: 1) { nodes { id messages(first: 50) { nodes { id role timestamp } } } } }'
const NOTE =
  'mutation ($session: ID!) { annotateSession(input: { session: $session, note: "x" }) { session { note } } }'
const PROBE_EVERY_MS = 10

async function probe(server: Served, until: () => Promise<boolean>): Promise<{ pages: number[]; notes: number[] }> {
  const [pages, notes]: [number[], number[]] = [[], []]
  for (let i = 0; i % 20 !== 0 || !(await until()); i++) {
    let session: unknown = null
    pages.push(
      await wallMs(async () => {
        session = at(await server.ask(PAGE), 'data', 'sessions', 'nodes')
      }),
    )
    const id = Array.isArray(session) ? at(session[0], 'id') : undefined
    if (typeof id === 'string') notes.push(await wallMs(() => server.ask(NOTE, { session: id })))
    await delay(PROBE_EVERY_MS)
  }
  return { pages, notes }
}

export const latency: Case = {
  name: 'latency-during-sync',
  title: 'p99 of a page of 50 and of a mutation while a first sync of 100,000 parts runs, against the same alone',
  floor: '50 ms each',
  async run() {
    const root = generated('100k')
    const server = await serve(tempDir(), ['--source', `opencode=${root}`, '--no-watch'])
    const isDone = async () => {
      const answer = await server.ask('{ syncRuns(first: 1) { nodes { status } } }')
      const nodes = at(answer, 'data', 'syncRuns', 'nodes')
      return Array.isArray(nodes) && at(nodes[0], 'status') === 'COMPLETED'
    }
    const during = await probe(server, isDone)
    const end = performance.now() + 5000
    const alone = await probe(server, async () => performance.now() > end)
    await server.stop()
    const [page, note] = [percentile(during.pages, 0.99), percentile(during.notes, 0.99)]
    return {
      figure: `page ${page.toFixed(1)} ms, mutation ${note.toFixed(1)} ms`,
      holds: page <= 50 && note <= 50,
      details: {
        probes: during.pages.length,
        'page p99 alone, ms': percentile(alone.pages, 0.99).toFixed(1),
        'mutation p99 alone, ms': percentile(alone.notes, 0.99).toFixed(1),
        'page median during, ms': median(during.pages).toFixed(1),
      },
    }
  },
}

export const memory: Case = {
  name: 'memory',
  title: 'resident memory of a server on a store of 1,000,000 parts, 60 s after its start, no queries',
  floor: '150 MiB',
  async run() {
    await generatedStore('1m')
    const server = await serve(cached('store-1m'), ['--source', `opencode=${generated('1m')}`])
    await delay(60_000)
    const mib = server.rss() / 1024 / 1024
    await server.stop()
    return { figure: `${mib.toFixed(0)} MiB`, holds: mib < 150, details: {} }
  },
}

export const start: Case = {
  name: 'start',
  title: 'time to the first answer of weir serve on a store of 1,000,000 parts, against node -e 0',
  floor: '15 x',
  async run() {
    await generatedStore('1m')
    const bare: number[] = []
    const served: number[] = []
    for (let round = 0; round < 5; round++) {
      bare.push(await wallMs(() => spawnSync(process.execPath, ['-e', '0'])))
      const server = await serve(cached('store-1m'), ['--source', `opencode=${generated('1m')}`])
      served.push(server.startMs)
      await server.stop()
    }
    const ratio = median(served) / median(bare)
    return {
      figure: `${ratio.toFixed(1)} x`,
      holds: ratio < 15,
      details: { 'node -e 0, ms': median(bare).toFixed(0), 'weir serve, ms': median(served).toFixed(0) },
    }
  },
}
