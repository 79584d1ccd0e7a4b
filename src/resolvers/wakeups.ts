import type { Store } from '../db/open.ts'
import { dataVersion } from '../db/queries/data-version.ts'
import type { Writer } from '../writer/commands.ts'

/** How often the store is asked whether another process wrote to it. */
const POLL_MS = 500

/**
 * Tells those who wait that something may have changed. A wake-up carries nothing and isn't queued: whoever is woken reads the store, so
 * the slow only ever see the newest state (design §6.4). Woken by the writer's events, or by a poll while another process writes; costs
 * nothing while nobody waits.
 */
export class Wakeups {
  private readonly store: Store
  private readonly waiters = new Set<Waiter>()
  private writer: Writer | null = null
  private stop: (() => void) | null = null
  private isClosed = false

  constructor(store: Store) {
    this.store = store
  }

  /** How many wait. */
  get size(): number {
    return this.waiters.size
  }

  /** From now on, this writer's events wake; null: the poll does. */
  follow(writer: Writer | null): void {
    this.writer = writer
    this.pause()
    if (this.waiters.size > 0) this.listen()
  }

  wait(): Waiter {
    const waiter = new Waiter((gone) => {
      this.waiters.delete(gone)
      if (this.waiters.size === 0) this.pause()
    })
    if (this.isClosed) {
      waiter.close()
      return waiter
    }
    this.waiters.add(waiter)
    this.listen()
    return waiter
  }

  /** Ends all waiting of now. */
  endAll(): void {
    for (const waiter of [...this.waiters]) waiter.close()
  }

  /** Ends all waiting, for good. */
  close(): void {
    this.isClosed = true
    this.endAll()
  }

  private wake(): void {
    for (const waiter of this.waiters) waiter.wake()
  }

  private listen(): void {
    if (this.stop !== null) return
    if (this.writer !== null) {
      this.stop = this.writer.listen(() => this.wake())
      return
    }
    let seen = dataVersion(this.store)
    const timer = setInterval(() => {
      const now = dataVersion(this.store)
      if (now !== seen) this.wake()
      seen = now
    }, POLL_MS)
    timer.unref()
    this.stop = () => clearInterval(timer)
  }

  private pause(): void {
    this.stop?.()
    this.stop = null
  }
}

/** One who waits. A wake-up that comes while it is busy is not lost, and several are one. */
export class Waiter {
  private readonly onClose: (waiter: Waiter) => void
  private isDue = false
  private isOver = false
  private resolve: (() => void) | null = null

  constructor(onClose: (waiter: Waiter) => void) {
    this.onClose = onClose
  }

  get isClosed(): boolean {
    return this.isOver
  }

  wake(): void {
    this.isDue = true
    this.resolve?.()
  }

  /** Resolves at the next wake-up, after `timeoutMs`, or when the waiting is closed. */
  async next(timeoutMs: number): Promise<void> {
    if (!this.isDue && !this.isOver) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        this.resolve = resolve
        timer = setTimeout(resolve, timeoutMs)
        timer.unref()
      })
      clearTimeout(timer)
      this.resolve = null
    }
    this.isDue = false
  }

  close(): void {
    if (this.isOver) return
    this.isOver = true
    this.onClose(this)
    this.resolve?.()
  }
}
