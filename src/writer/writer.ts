import { findRepository } from '../adapters/kit/project.ts'
import { adapters } from '../adapters/registry.ts'
import type { Home } from '../db/home.ts'
import { openWriter, type Store } from '../db/open.ts'
import { StoreWriter } from '../db/write/index.ts'
import { JournalWriter } from '../journal/append.ts'
import type { SyncDeps } from '../sync/deps.ts'
import { SyncEngine } from '../sync/engine.ts'
import { annotate } from './annotate.ts'
import {
  CommandError,
  type CommandInput,
  type CommandName,
  type CommandResult,
  type Writer,
  type WriterEvent,
} from './commands.ts'
import { erase } from './erase.ts'

/** What the writer is told when it starts; plain data, so that it can cross a thread. */
export interface WriterOptions {
  readonly home: Home
  /** By adapter name. What is left out isn't enabled. */
  readonly sources: Readonly<Record<string, { readonly roots: readonly string[]; readonly isEnabled: boolean }>>
  readonly watch: boolean
  /** Start with a sync of every enabled source. */
  readonly syncAtStart: boolean
}

/** The writer in the thread that it runs in: the only one that writes to the store. */
export class LocalWriter implements Writer {
  private readonly store: Store
  private readonly deps: SyncDeps
  private readonly engine: SyncEngine
  private readonly names: ReadonlySet<string>
  private readonly listeners = new Set<(event: WriterEvent) => void>()

  constructor(options: WriterOptions, onError: (error: unknown) => void) {
    this.store = openWriter(options.home.store)
    const writer = new StoreWriter(this.store, findRepository)
    const journal = new JournalWriter(this.store)
    const { origin } = options.home
    const originId = writer.roots.originId(origin.uid, origin.name)
    const sources = adapters.map((adapter) => {
      const { roots = [], isEnabled = false } = options.sources[adapter.name] ?? {}
      const id = writer.roots.sourceId(adapter.name, adapter.title, isEnabled)
      // What is wrong with a root that nobody reads any more is nobody's problem.
      for (const root of writer.roots.forgetOthers(id, roots)) writer.problems.resolveRoot(root, Date.now())
      return { adapter, roots, isEnabled, id }
    })
    this.names = new Set(adapters.map(({ name }) => name))
    this.deps = {
      writer,
      journal,
      origin: { id: originId, uid: origin.uid },
      now: Date.now,
      onRun: (runId, isEnded) => this.emit({ type: 'run', runId, isEnded }),
      onCommit: () => this.emit({ type: 'commit', position: journal.position() }),
      onError,
    }
    this.engine = new SyncEngine(this.deps, sources)
    if (options.syncAtStart) this.engine.start('STARTUP', null, false)
    if (options.watch) this.engine.watch()
  }

  async call<N extends CommandName>(name: N, input: CommandInput<N>): Promise<CommandResult<N>> {
    return this.handlers[name](input)
  }

  listen(listener: (event: WriterEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  async close(): Promise<void> {
    await this.engine.close()
    this.deps.writer.checkpoint('TRUNCATE')
    this.store.close()
  }

  private readonly handlers: { [N in CommandName]: (input: CommandInput<N>) => Promise<CommandResult<N>> } = {
    startSync: async ({ sources, verify }) => {
      this.checkSources(sources)
      return { runId: this.engine.start('MANUAL', sources, verify) }
    },
    cancelSync: async ({ runId }) => {
      if (!this.engine.cancel(runId)) throw new CommandError('NOT_FOUND', `There is no sync run ${runId}.`)
      return { runId }
    },
    plan: async ({ sources }) => {
      this.checkSources(sources)
      return this.engine.plan(sources)
    },
    annotate: async (input) => {
      const isFound = annotate(this.deps, input)
      if (isFound) this.deps.onCommit()
      return { isFound }
    },
    erase: async ({ uid }) => {
      const result = await erase(this.deps, uid)
      if (result.isFound) this.deps.onCommit()
      return result
    },
  }

  private checkSources(names: readonly string[] | null): void {
    const unknown = names?.filter((name) => !this.names.has(name)) ?? []
    if (unknown.length === 0) return
    const known = [...this.names].join(', ')
    throw new CommandError('BAD_USER_INPUT', `There is no source named ${unknown.join(', ')}. Known sources: ${known}.`)
  }

  private emit(event: WriterEvent): void {
    for (const listener of this.listeners) listener(event)
  }
}
