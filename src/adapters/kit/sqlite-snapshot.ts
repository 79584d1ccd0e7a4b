import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BusyError } from './sqlite-errors.ts'

/** Two files share a state of a database when these are equal: change of either file's content changes them. */
export interface DatabaseStamp {
  readonly db: string
  readonly wal: string
}

export function databaseStamp(path: string): DatabaseStamp {
  return { db: fileStamp(path), wal: fileStamp(`${path}-wal`) }
}

function fileStamp(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? '-' : [stats.ino, stats.size, stats.mtimeNs].map((n) => n.toString(36)).join('.')
}

/**
 * Whether SQLite can read the database where it lies without leaving a file behind. Even a read-only connection makes `-wal`
 * and `-shm` for a database in WAL mode that lacks them, and nobody would remove them.
 */
export function canReadInPlace(path: string): boolean {
  if (!existsSync(`${path}-wal`) && !existsSync(`${path}-shm`)) return !isWalMode(path)
  try {
    accessSync(dirname(path), constants.W_OK)
    accessSync(`${path}-wal`, constants.R_OK)
    accessSync(`${path}-shm`, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The header's "read version" is 2 in WAL mode. */
function isWalMode(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(20)
    return readSync(file, header, 0, header.length, 0) === header.length && header[19] === 2
  } finally {
    closeSync(file)
  }
}

const live = new Set<string>()

/** A private copy of a database with its log, removed by `remove`. */
export interface Snapshot {
  readonly path: string
  remove(): void
}

const COPY_ATTEMPTS = 5

/**
 * Copies a database and its log. A copy is only good when nothing was moved from the log into the database meanwhile; what a
 * writer appends to the log is harmless, since a torn end of it has no valid checksum.
 */
export async function takeSnapshot(path: string): Promise<Snapshot> {
  for (let attempt = 1; ; attempt++) {
    const directory = mkdtempSync(join(tmpdir(), 'weir-'))
    rememberForExit(directory)
    const copy = join(directory, basename(path))
    const remove = (): void => {
      rmSync(directory, { recursive: true, force: true })
      live.delete(directory)
    }
    try {
      const before = databaseStamp(path).db
      await copyFile(path, copy, constants.COPYFILE_FICLONE)
      for (const log of ['-wal', '-journal']) await copyIfThere(`${path}${log}`, `${copy}${log}`)
      if (databaseStamp(path).db === before) return { path: copy, remove }
    } catch (error) {
      remove()
      throw error
    }
    remove()
    if (attempt === COPY_ATTEMPTS) throw new BusyError(path, new Error('it changes while it is copied'))
    await sleep(50 * attempt)
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

/** A process that ends without closing must not leave a copy of someone's sessions in a temporary directory. */
function rememberForExit(directory: string): void {
  if (live.size === 0) process.once('exit', removeAll)
  live.add(directory)
}

function removeAll(): void {
  for (const directory of live) rmSync(directory, { recursive: true, force: true })
  live.clear()
}
