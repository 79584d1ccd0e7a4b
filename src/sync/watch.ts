import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'

/** A sweep looks at everything, for what a watcher may have missed. */
const SWEEP_MS = 60_000
/** Where the system gives no more watches, changes are looked for so often. */
const POLL_MS = 2_000

export interface WatcherEvents {
  /** Something in these paths changed; null: look at everything. */
  readonly onChange: (paths: readonly string[] | null) => void
}

/**
 * Watches directories, one watch each (a watch a file would use up the system's limit, which a long history reaches). Events are passed
 * on at once: whoever gets them gathers what comes while he works.
 */
export class DirectoryWatcher {
  private readonly watchers = new Map<string, FSWatcher>()
  private readonly events: WatcherEvents
  private readonly sweep: NodeJS.Timeout
  private poll: NodeJS.Timeout | null = null

  constructor(events: WatcherEvents) {
    this.events = events
    this.sweep = setInterval(() => events.onChange(null), SWEEP_MS)
    this.sweep.unref()
  }

  /** Whether the system refused a watch, so that changes are polled for. */
  get isPolling(): boolean {
    return this.poll !== null
  }

  get size(): number {
    return this.watchers.size
  }

  /** Watches exactly these directories from now on. */
  set(directories: Iterable<string>): void {
    const wanted = new Set(directories)
    for (const [path, watcher] of this.watchers) {
      if (wanted.has(path)) continue
      watcher.close()
      this.watchers.delete(path)
    }
    for (const path of wanted) if (!this.watchers.has(path)) this.add(path)
  }

  close(): void {
    clearInterval(this.sweep)
    if (this.poll !== null) clearInterval(this.poll)
    for (const watcher of this.watchers.values()) watcher.close()
    this.watchers.clear()
  }

  private add(path: string): void {
    try {
      const watcher = watch(path, (_, name) => this.events.onChange([name === null ? path : join(path, name)]))
      watcher.on('error', () => this.drop(path))
      this.watchers.set(path, watcher)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null
      // A directory that is gone is no reason to poll: it comes back through its parent or the sweep.
      if (code === 'ENOSPC' || code === 'EMFILE') this.startPolling()
      else if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') throw error
    }
  }

  private drop(path: string): void {
    this.watchers.get(path)?.close()
    this.watchers.delete(path)
  }

  private startPolling(): void {
    if (this.poll !== null) return
    this.poll = setInterval(() => this.events.onChange(null), POLL_MS)
    this.poll.unref()
  }
}
