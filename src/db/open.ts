import { chmodSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import * as schema from './schema.ts'

/** An open connection to the store: typed queries through `orm`, the few that it can't say through `sqlite`. */
export interface Store {
  readonly sqlite: Database.Database
  readonly orm: BetterSQLite3Database<typeof schema>
  close(): void
}

export interface OpenOptions {
  /** Told of every statement that runs; for tests that count work. */
  readonly onStatement?: (sql: string) => void
}

const PAGE_BYTES = 8192
/** A connection's own page cache; what is read often stays in the system's cache anyway, and costs no memory of ours there. */
const WRITER_CACHE_KIB = 16 * 1024
const READER_CACHE_KIB = 4 * 1024
const BUSY_TIMEOUT_MS = 5000
const CHECKPOINT_PAGES = 1000
const JOURNAL_LIMIT_BYTES = 64 * 1024 * 1024

/** The one writing connection: makes the file if it is missing, and migrates it forward. */
export function openWriter(file: string, options: OpenOptions = {}): Store {
  const store = connect(file, {}, options)
  const { sqlite } = store
  sqlite.pragma(`page_size = ${PAGE_BYTES}`)
  sqlite.pragma('journal_mode = WAL')
  sqlite.pragma('synchronous = NORMAL')
  sqlite.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  sqlite.pragma(`journal_size_limit = ${JOURNAL_LIMIT_BYTES}`)
  // Foreign keys are checked only once the tables are as they should be.
  migrate(store.orm, { migrationsFolder: migrationsFolder() })
  sqlite.pragma('foreign_keys = ON')
  for (const name of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(name)) chmodSync(name, 0o600)
  return store
}

/** A connection that can only read. The store must exist. */
export function openReader(file: string, options: OpenOptions = {}): Store {
  const store = connect(file, { readonly: true, fileMustExist: true }, options)
  store.sqlite.pragma('query_only = ON')
  return store
}

/** Whether SQLite said, here or as the cause of another error, that the file is no database or that its pages are damaged. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // By its message: the code of an error doesn't survive the way out of the writer's thread.
  if (/database disk image is malformed|file is not a database/.test(error.message)) return true
  return isDamage(error.cause) || ('originalError' in error && isDamage(error.originalError))
}

function connect(file: string, mode: Database.Options, options: OpenOptions): Store {
  const { onStatement } = options
  const verbose = onStatement === undefined ? {} : { verbose: (sql: unknown) => onStatement(String(sql)) }
  const sqlite = new Database(file, { ...mode, ...verbose, timeout: BUSY_TIMEOUT_MS })
  sqlite.pragma(`cache_size = -${mode.readonly === true ? READER_CACHE_KIB : WRITER_CACHE_KIB}`)
  sqlite.pragma('temp_store = MEMORY')
  return { sqlite, orm: drizzle(sqlite, { schema, casing: 'snake_case' }), close: () => sqlite.close() }
}

/** `drizzle/` of this package, found from the source tree and from the build alike. */
function migrationsFolder(): string {
  let here = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(here, 'drizzle', 'meta'))) {
    const parent = dirname(here)
    if (parent === here)
      throw new Error('The folder "drizzle" with the store\'s migrations is missing: install the package anew.')
    here = parent
  }
  return join(here, 'drizzle')
}
