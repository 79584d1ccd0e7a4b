import type { SyncDeps } from './deps.ts'
import { Progress } from './progress.ts'
import { Run } from './run.ts'
import type { StoredSource } from './source.ts'
import { DirectoryWatcher } from './watch.ts'

/** After a change was read, the next is awaited for so long, so that a burst of writes costs few looks. */
const GATHER_MS = 30

/** The WATCH run: as long as the watching lasts, it reads what changed (design §5.4, §5.7). */
export class WatchRun {
  private readonly deps: SyncDeps
  private readonly sources: readonly StoredSource[]
  private readonly watcher: DirectoryWatcher
  private readonly runId: number
  private readonly progress: Progress
  private readonly onChange: () => void
  /** What changed since it was last looked at; null for everything. */
  private changed: Set<string> | null = new Set()
  private readAt = 0

  constructor(deps: SyncDeps, sources: readonly StoredSource[], onChange: () => void) {
    this.deps = deps
    this.sources = sources
    this.onChange = onChange
    this.progress = new Progress(deps.now)
    const now = deps.now()
    const run = { trigger: 'WATCH', sources: null, verify: false, status: 'RUNNING', now } as const
    this.runId = deps.writer.runs.add({ ...run, progress: this.progress.snapshot })
    this.watcher = new DirectoryWatcher({ onChange: (paths) => this.note(paths) })
    this.refresh()
  }

  get hasChanges(): boolean {
    return this.changed === null || this.changed.size > 0
  }

  /** Watches what the roots hold now. */
  refresh(): void {
    this.watcher.set(this.sources.flatMap(({ adapter, roots }) => roots.flatMap((root) => adapter.watchPaths(root))))
    if (this.watcher.isPolling) this.deps.writer.roots.notePolling(this.sources.map(({ id }) => id))
  }

  /** Reads what changed; `shouldStop` ends that at a checkpoint, and what was left is read next time. */
  async read(shouldStop: () => boolean): Promise<void> {
    const wait = GATHER_MS - (performance.now() - this.readAt)
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const changed = this.changed
    this.changed = new Set()
    const changedPaths = changed === null ? null : [...changed]
    const run = new Run(this.deps, { runId: this.runId, verify: false, changedPaths, shouldStop }, this.progress)
    try {
      if (!(await run.over(this.sources))) this.note(changedPaths)
    } catch (error) {
      this.deps.onError(error)
    }
    this.readAt = performance.now()
    this.refresh()
  }

  close(): void {
    this.watcher.close()
    const { runs } = this.deps.writer
    runs.update(this.runId, { status: 'COMPLETED', endedAt: this.deps.now(), progress: this.progress.snapshot })
    this.deps.onRun(this.runId, true)
  }

  private note(paths: readonly string[] | null): void {
    if (paths === null) this.changed = null
    else if (this.changed !== null) for (const path of paths) this.changed.add(path)
    this.onChange()
  }
}
