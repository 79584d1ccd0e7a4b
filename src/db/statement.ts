import type Database from 'better-sqlite3'
import { normalPath } from '../model/path.ts'
import type { Store } from './open.ts'
import type { SqlParam } from './sql.ts'

type Statement = Database.Statement<SqlParam[], unknown>

/** Filters combine freely, so the number of different texts has no natural end. */
const MAX_STATEMENTS = 400

/** Prepared statements of each connection, the least recently used first. */
const prepared = new WeakMap<Database.Database, Map<string, Statement>>()

/** Rows of a statement as objects; it is prepared once for its connection. `Row` is what its text selects. */
export function selectAll<Row>(store: Store, text: string, ...params: SqlParam[]): Row[] {
  return statement(store, text, false).all(...params) as Row[]
}

/** Rows as arrays of values in the order of the columns, which is half as dear as objects. */
export function selectValues(store: Store, text: string, ...params: SqlParam[]): unknown[][] {
  return statement(store, text, true).all(...params) as unknown[][]
}

function statement(store: Store, text: string, isRaw: boolean): Statement {
  let known = prepared.get(store.sqlite)
  if (known === undefined) {
    addFunctions(store.sqlite)
    known = new Map()
    prepared.set(store.sqlite, known)
  }
  const key = isRaw ? `values ${text}` : text
  let found = known.get(key)
  if (found === undefined) {
    found = store.sqlite.prepare<SqlParam[], unknown>(text)
    if (isRaw) found.raw(true)
  } else known.delete(key)
  known.set(key, found)
  if (known.size > MAX_STATEMENTS) {
    const oldest = known.keys().next()
    if (oldest.done !== true) known.delete(oldest.value)
  }
  return found
}

function addFunctions(sqlite: Database.Database): void {
  sqlite.function('fold', { deterministic: true }, (text) => (typeof text === 'string' ? fold(text) : null))
  sqlite.function('path_key', { deterministic: true }, (path) => (typeof path === 'string' ? normalPath(path) : null))
}

/** A form in which texts of any script are equal when they differ only in case. SQLite's own knows ASCII only. */
export const fold = (text: string): string => text.normalize('NFC').toLowerCase().toUpperCase()
