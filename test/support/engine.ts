import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { Adapter } from '../../src/adapters/contract.ts'
import { findRepository } from '../../src/adapters/kit/project.ts'
import { opencode } from '../../src/adapters/opencode/index.ts'
import type { Home } from '../../src/db/home.ts'
import { openWriter } from '../../src/db/open.ts'
import type { StoredProgress } from '../../src/db/schema.ts'
import { StoreWriter } from '../../src/db/write/index.ts'
import { JournalWriter } from '../../src/journal/append.ts'
import { sessionUid } from '../../src/model/ids.ts'
import type { SyncDeps } from '../../src/sync/deps.ts'
import { SyncEngine } from '../../src/sync/engine.ts'
import { erase } from '../../src/writer/erase.ts'

export type TestEngine = ReturnType<typeof engineOn>

/** A sync engine in this thread, on a store, with any adapters. Closed when the test is over. */
export function engineOn(
  home: Home,
  roots: Record<string, string>,
  adapters: readonly Adapter[] = [opencode],
  now: () => number = Date.now,
) {
  const store = openWriter(home.store)
  const writer = new StoreWriter(store, findRepository)
  const journal = new JournalWriter(store)
  const originId = writer.roots.originId(home.origin.uid, home.origin.name)
  const ended = new Set<number>()
  const faults: unknown[] = []
  const deps: SyncDeps = {
    writer,
    journal,
    origin: { id: originId, uid: home.origin.uid },
    now,
    onRun: (id, isEnded) => {
      if (isEnded) ended.add(id)
    },
    onCommit: () => {},
    onError: (error) => faults.push(error),
  }
  const sources = adapters.map((adapter) => ({
    adapter,
    roots: roots[adapter.name] === undefined ? [] : [roots[adapter.name] ?? ''],
    isEnabled: true,
    id: writer.roots.sourceId(adapter.name, adapter.title, true),
  }))
  const engine = new SyncEngine(deps, sources)
  let isOpen = true

  async function until(isTrue: () => boolean, timeoutMs = 10_000): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (!isTrue()) {
      if (faults.length > 0) throw faults[0]
      if (performance.now() > deadline) throw new Error('What was waited for did not happen.')
      await delay(5)
    }
  }

  const api = {
    start: (names: readonly string[] | null = null, verify = false) => engine.start('MANUAL', names, verify),
    cancel: (id: number) => engine.cancel(id),
    plan: () => engine.plan(null),
    watch: () => engine.watch(),
    until,
    async ended(id: number): Promise<StoredProgress> {
      await until(() => ended.has(id))
      const run = writer.runs.get(id)
      if (run === undefined) throw new Error('The run is gone.')
      return run.progress
    },
    sync: (options: { verify?: boolean } = {}): Promise<StoredProgress> =>
      api.ended(api.start(null, options.verify ?? false)),
    /** Every session is of its adapter's revision. */
    settled: () =>
      until(() => sources.every(({ id, adapter }) => writer.projection.outdated(id, adapter.revision) === undefined)),
    erase: (nativeId: string, source = 'opencode') =>
      erase(deps, sessionUid({ origin: home.origin.uid, source, nativeId }).toString('hex')),
    /** Rows that were written over this connection. */
    totalChanges: () => store.sqlite.prepare('select total_changes()').pluck().get() as number,
    async close(): Promise<void> {
      if (!isOpen) return
      isOpen = false
      await engine.close()
      store.close()
      if (faults.length > 0) throw faults[0]
    },
  }
  onTestFinished(() => api.close())
  return api
}
