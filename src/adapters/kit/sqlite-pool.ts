import { ForeignDatabase, type ForeignDatabaseOptions } from './sqlite.ts'
import { databaseStamp } from './sqlite-snapshot.ts'

export interface Lease {
  readonly database: ForeignDatabase
  release(): void
}

interface Entry {
  readonly database: ForeignDatabase
  readonly inode: string
  readonly stamp: string
  users: number
  isStale: boolean
  closing: NodeJS.Timeout | null
}

/**
 * Connections shared by the reads of one sync, closed soon after the last of them: while one is open, its owner can't tidy up
 * its log when it ends.
 */
export class DatabasePool {
  readonly #options: ForeignDatabaseOptions
  readonly #idleMs: number
  readonly #entries = new Map<string, Promise<Entry>>()

  constructor(options: ForeignDatabaseOptions = {}, idleMs = 500) {
    this.#options = options
    this.#idleMs = idleMs
  }

  /**
   * A connection to `path`. With `isCurrent` it shows the database as it is now; else a copy that was taken earlier in the same
   * sync will do. Throws `BusyError` or `DatabaseError`.
   */
  async acquire(path: string, isCurrent: boolean): Promise<Lease> {
    const entry = (await this.#usable(path, isCurrent)) ?? (await this.#open(path))
    entry.users += 1
    if (entry.closing !== null) clearTimeout(entry.closing)
    entry.closing = null
    let isReleased = false
    return {
      database: entry.database,
      release: () => {
        if (isReleased) return
        isReleased = true
        entry.users -= 1
        if (entry.users === 0) this.#closeLater(path, entry)
      },
    }
  }

  async #usable(path: string, isCurrent: boolean): Promise<Entry | null> {
    const entry = await this.#entries.get(path)?.catch(() => null)
    if (entry === undefined || entry === null) return null
    const now = databaseStamp(path)
    const isSame = entry.database.isSnapshot && isCurrent ? entry.stamp === joined(now) : entry.inode === inodeOf(now)
    if (isSame) return entry
    this.#forget(path, entry)
    return null
  }

  #open(path: string): Promise<Entry> {
    const opening = this.#opened(path)
    this.#entries.set(path, opening)
    opening.catch(() => {
      if (this.#entries.get(path) === opening) this.#entries.delete(path)
    })
    return opening
  }

  async #opened(path: string): Promise<Entry> {
    // Taken before a copy is: what changes meanwhile is seen as a change.
    const stamp = databaseStamp(path)
    const database = await ForeignDatabase.open(path, this.#options)
    return { database, inode: inodeOf(stamp), stamp: joined(stamp), users: 0, isStale: false, closing: null }
  }

  #closeLater(path: string, entry: Entry): void {
    const close = (): void => {
      this.#forget(path, entry)
    }
    if (entry.isStale) entry.database.close()
    else entry.closing = setTimeout(close, this.#idleMs).unref()
  }

  #forget(path: string, entry: Entry): void {
    entry.isStale = true
    this.#entries.delete(path)
    if (entry.users === 0) {
      if (entry.closing !== null) clearTimeout(entry.closing)
      entry.database.close()
    }
  }
}

const inodeOf = (stamp: { readonly db: string }): string => stamp.db.split('.')[0] ?? ''
const joined = (stamp: { readonly db: string; readonly wal: string }): string => `${stamp.db}/${stamp.wal}`
