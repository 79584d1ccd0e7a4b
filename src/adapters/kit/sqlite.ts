import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { BusyError, DatabaseError, isBusy, needsCopy } from './sqlite-errors.ts'
import { canReadInPlace, type Snapshot, takeSnapshot } from './sqlite-snapshot.ts'

export type SqlRow = Readonly<Record<string, unknown>>
type SqlValue = string | number | bigint | Buffer | null

/** Statements inside one short read: all of them see the same state. */
export interface Query {
  all(sql: string, ...values: SqlValue[]): SqlRow[]
  get(sql: string, ...values: SqlValue[]): SqlRow | undefined
}

export interface ForeignDatabaseOptions {
  /** How long SQLite itself waits for a lock, blocking this thread. Default 100 ms. */
  readonly timeoutMs?: number
  /** Pauses between the tries after that; then it is `BusyError`. Default 12 s in all. */
  readonly retryMs?: readonly number[]
  /** Told of every statement and the rows that it returned: tests count work with it. */
  readonly onStatement?: (sql: string, rows: number) => void
}

const RETRY_MS = [50, 100, 200, 400, 800, 1600, 3200, 5600]

/**
 * Another program's SQLite database, read without disturbing it (design §4.6): read-only, each read short, nothing written,
 * nothing checkpointed, no file left beside it. Where it can't be read in place, a private copy is.
 */
export class ForeignDatabase {
  readonly path: string
  readonly #options: ForeignDatabaseOptions
  #connection: Database.Database | null = null
  #snapshot: Snapshot | null = null
  #statements = new Map<string, Database.Statement>()

  private constructor(path: string, options: ForeignDatabaseOptions) {
    this.path = path
    this.#options = options
  }

  /** Throws `BusyError` or `DatabaseError`. */
  static async open(path: string, options: ForeignDatabaseOptions = {}): Promise<ForeignDatabase> {
    const database = new ForeignDatabase(path, options)
    try {
      await database.#connect(!canReadInPlace(path))
      // Opening is lazy in SQLite: only a read shows whether the file is a database.
      await database.read((query) => query.get('select count(*) from sqlite_master'))
      return database
    } catch (error) {
      database.close()
      throw error instanceof BusyError || error instanceof DatabaseError ? error : new DatabaseError(path, error)
    }
  }

  /** Whether a copy is read, which doesn't change any more. */
  get isSnapshot(): boolean {
    return this.#snapshot !== null
  }

  /** Runs `work` in one read transaction, again when the database was busy: `work` must have no effect of its own. */
  async read<T>(work: (query: Query) => T): Promise<T> {
    const pauses = this.#options.retryMs ?? RETRY_MS
    for (let attempt = 0; ; attempt++) {
      try {
        return this.#readOnce(work)
      } catch (error) {
        if (isBusy(error)) {
          const pause = pauses[attempt]
          if (pause === undefined) throw new BusyError(this.path, error)
          await sleep(pause)
        } else if (needsCopy(error) && this.#snapshot === null) await this.#connect(true)
        else throw isSqlite(error) ? new DatabaseError(this.path, error) : error
      }
    }
  }

  close(): void {
    this.#disconnect()
    this.#snapshot?.remove()
    this.#snapshot = null
  }

  #readOnce<T>(work: (query: Query) => T): T {
    const connection = this.#connection
    if (connection === null) throw new DatabaseError(this.path, new Error('it was closed'))
    this.#prepared(connection, 'begin').run()
    try {
      return work(this.#query(connection))
    } finally {
      if (connection.inTransaction) this.#prepared(connection, 'rollback').run()
    }
  }

  #prepared(connection: Database.Database, sql: string): Database.Statement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #query(connection: Database.Database): Query {
    const observe = this.#options.onStatement
    return {
      all: (sql, ...values) => {
        const rows = this.#prepared(connection, sql)
          .all(...values)
          .filter(isRow)
        observe?.(sql, rows.length)
        return rows
      },
      get: (sql, ...values) => {
        const row: unknown = this.#prepared(connection, sql).get(...values)
        observe?.(sql, row === undefined ? 0 : 1)
        return isRow(row) ? row : undefined
      },
    }
  }

  async #connect(asCopy: boolean): Promise<void> {
    this.#disconnect()
    if (asCopy && this.#snapshot === null) this.#snapshot = await takeSnapshot(this.path)
    const timeout = this.#options.timeoutMs ?? 100
    // The copy is ours: SQLite may recover it from its log, which takes writing.
    this.#connection =
      this.#snapshot === null
        ? new Database(this.path, { readonly: true, fileMustExist: true, timeout })
        : new Database(this.#snapshot.path, { fileMustExist: true, timeout })
    this.#connection.pragma('query_only = true')
  }

  #disconnect(): void {
    this.#statements = new Map()
    this.#connection?.close()
    this.#connection = null
  }
}

const isRow = (value: unknown): value is SqlRow => typeof value === 'object' && value !== null
const isSqlite = (error: unknown): boolean => error instanceof Database.SqliteError
