import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SyncTrigger } from '../model/enums.ts'
import type { SyncDeps } from './deps.ts'
import { Housekeeping } from './housekeeping.ts'
import { type Plan, planSources } from './plan.ts'
import { startedAt } from './progress.ts'
import { Run } from './run.ts'
import type { StoredSource } from './source.ts'
import { WatchRun } from './watch-run.ts'

interface QueuedRun {
  readonly id: number
  readonly sources: readonly StoredSource[]
  readonly verify: boolean
}

/**
 * Everything that reads sources, one thing at a time (design §5.7): queued runs first, then what the watcher saw, then tidying. Whatever
 * is under way gives way at its next checkpoint, so that commands from outside wait for milliseconds.
 */
export class SyncEngine {
  private readonly deps: SyncDeps
  private readonly sources: readonly StoredSource[]
  private readonly queue: QueuedRun[] = []
  private readonly cancelled = new Set<number>()
  private readonly housekeeping: Housekeeping
  private running: number | null = null
  private watching: WatchRun | null = null
  private isClosing = false
  private wake: () => void = () => undefined
  private readonly loop: Promise<void>

  constructor(deps: SyncDeps, sources: readonly StoredSource[]) {
    this.deps = deps
    this.sources = sources
    this.housekeeping = new Housekeeping(deps, sources)
    deps.writer.runs.failAbandoned(deps.now())
    this.loop = this.work()
  }

  /** Queues a run; one that is queued for the same sources already answers instead. Null means every enabled source. */
  start(trigger: SyncTrigger, names: readonly string[] | null, verify: boolean): number {
    const { runs } = this.deps.writer
    const sorted = names === null ? null : [...new Set(names)].sort()
    const same = runs.queuedLike(sorted, verify)
    if (same !== undefined) return same.id
    const now = this.deps.now()
    const run = { trigger, sources: sorted, verify, status: 'QUEUED' as const, progress: startedAt(now), now }
    const id = runs.add(run)
    this.queue.push({ id, sources: this.named(sorted), verify })
    this.deps.onRun(id, false)
    this.wake()
    return id
  }

  /** Ends a run at its next checkpoint; one that has ended stays as it is. */
  cancel(id: number): boolean {
    const { runs } = this.deps.writer
    const run = runs.get(id)
    if (run === undefined) return false
    const queued = this.queue.findIndex((entry) => entry.id === id)
    if (queued >= 0) {
      this.queue.splice(queued, 1)
      this.end(id, 'CANCELLED')
    } else if (this.running === id) this.cancelled.add(id)
    return true
  }

  plan(names: readonly string[] | null): Promise<readonly Plan[]> {
    return planSources(this.deps.writer, this.deps.origin.id, this.named(names))
  }

  /** Watches from now on: one run for as long as that lasts. */
  watch(): void {
    this.watching ??= new WatchRun(this.deps, this.named(null), () => this.wake())
  }

  /** Ends what is under way at its next checkpoint. */
  async close(): Promise<void> {
    this.isClosing = true
    for (const { id } of this.queue.splice(0)) this.end(id, 'CANCELLED')
    this.wake()
    await this.loop
    this.watching?.close()
  }

  private named(names: readonly string[] | null): StoredSource[] {
    return this.sources.filter(({ adapter, isEnabled }) => (names === null ? isEnabled : names.includes(adapter.name)))
  }

  private async work(): Promise<void> {
    while (!this.isClosing) {
      const next = this.queue.shift()
      if (next !== undefined) await this.execute(next)
      else if (this.watching?.hasChanges === true)
        await this.watching.read(() => this.isClosing || this.queue.length > 0)
      else await this.rest()
    }
  }

  /** Nothing to read: tidy a little, or sleep until something comes. */
  private async rest(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.wake = resolve
    })
    if (this.hasWork()) return
    const pauseMs = this.housekeeping.step()
    if (pauseMs === 0) {
      await nextTurn()
      return
    }
    const pause = Number.isFinite(pauseMs) ? setTimeout(() => this.wake(), pauseMs) : undefined
    pause?.unref()
    if (!this.hasWork()) await woken
    clearTimeout(pause)
  }

  private hasWork(): boolean {
    return this.isClosing || this.queue.length > 0 || this.watching?.hasChanges === true
  }

  private async execute({ id, sources, verify }: QueuedRun): Promise<void> {
    const { writer, now } = this.deps
    this.running = id
    writer.runs.update(id, { status: 'RUNNING', startedAt: now() })
    this.deps.onRun(id, false)
    const shouldStop = () => this.isClosing || this.cancelled.has(id)
    const run = new Run(this.deps, { runId: id, verify, changedPaths: null, shouldStop })
    try {
      const isDone = await run.over(sources)
      writer.runs.update(id, { progress: run.progress.snapshot })
      this.end(id, isDone ? 'COMPLETED' : 'CANCELLED')
    } catch (error) {
      writer.runs.update(id, { progress: run.progress.snapshot })
      this.end(id, 'FAILED')
      this.deps.onError(error)
    } finally {
      this.running = null
      this.cancelled.delete(id)
      this.housekeeping.again()
      writer.checkpoint('PASSIVE')
      this.watching?.refresh()
    }
  }

  private end(id: number, status: 'COMPLETED' | 'CANCELLED' | 'FAILED'): void {
    this.deps.writer.runs.update(id, { status, endedAt: this.deps.now() })
    this.deps.onRun(id, true)
  }
}
