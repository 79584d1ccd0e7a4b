import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** WEIR_HOME: the directory that holds the store and what belongs to it, for its owner's eyes only (design §7.6). */
export interface Home {
  readonly path: string
  readonly store: string
  readonly lock: string
  /** Who holds the writer: `{pid, url}`, written by the holder of the lock. */
  readonly holder: string
  readonly config: string
  readonly origin: Origin
}

/** This machine, as session keys name it (design §3.3). */
export interface Origin {
  readonly uid: string
  readonly name: string
}

/** Opens WEIR_HOME at `path`, making what is missing. Throws when the directory can't be made. */
export function openHome(path: string): Home {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  chmodSync(path, 0o700)
  return {
    path,
    store: join(path, 'weir.db'),
    lock: join(path, 'lock.db'),
    holder: join(path, 'holder.json'),
    config: join(path, 'config.json'),
    origin: { uid: originUid(join(path, 'origin-id')), name: hostname() },
  }
}

function originUid(file: string): string {
  if (!existsSync(file)) {
    try {
      writeFileSync(file, `${randomUUID()}\n`, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      // Another process made it in between: then its id is ours.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
  return readFileSync(file, 'utf8').trim()
}
