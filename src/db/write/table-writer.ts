import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Store } from '../open.ts'

/** What is written of a row: every column but the id, which the table gives. */
export type NewRow<T extends SQLiteTable> = Omit<T['$inferSelect'], 'id'>

/** Stands for the id of a row that the table has yet to give one. */
export const UNSTORED = 0

/**
 * Inserts and updates whole rows of one table by statements that are made from its Drizzle schema and prepared once. Drizzle's own
 * prepared inserts would pass null through the encoders of custom and JSON columns.
 */
export class TableWriter<T extends SQLiteTable> {
  private readonly columns: readonly Column[]
  private readonly insertStatement
  /** Null for a table without id: its rows are replaced, not updated. */
  private readonly updateStatement

  constructor(store: Store, table: T) {
    this.columns = Object.entries(getTableColumns(table))
      .filter(([key]) => key !== 'id')
      .map(([key, column]) => ({ key, encode: encoderOf(column) }))
    const names = this.columns.map(({ key }) => snakeCase(key))
    const name = getTableName(table)
    this.insertStatement = store.sqlite.prepare<unknown[]>(
      `insert into ${name} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) on conflict do nothing`,
    )
    const assignments = names.map((column) => `${column} = ?`).join(', ')
    const hasId = this.columns.length < Object.keys(getTableColumns(table)).length
    this.updateStatement = hasId
      ? store.sqlite.prepare<unknown[]>(`update ${name} set ${assignments} where id = ?`)
      : null
  }

  /** Id of the new row; null when a row with its key exists. */
  insert(row: NewRow<T>): number | null {
    const { changes, lastInsertRowid } = this.insertStatement.run(this.values(row))
    return changes === 0 ? null : Number(lastInsertRowid)
  }

  update(id: number, row: NewRow<T>): void {
    if (this.updateStatement === null) throw new TypeError('Rows of a table without id are not updated.')
    this.updateStatement.run([...this.values(row), id])
  }

  /** Whether two rows would be stored the same. */
  isEqual(a: NewRow<T>, b: NewRow<T>): boolean {
    return this.differences(a, b).length === 0
  }

  /** Names of the columns in which two rows would be stored differently. */
  differences(a: NewRow<T>, b: NewRow<T>): string[] {
    const keys: string[] = []
    for (const { key, encode } of this.columns) {
      const [left, right]: unknown[] = [Reflect.get(a, key), Reflect.get(b, key)]
      // Most columns are the same value; only others need to be compared as they are stored.
      if (left !== right && !isSameStored(stored(left, encode), stored(right, encode))) keys.push(key)
    }
    return keys
  }

  private values(row: NewRow<T>): unknown[] {
    const values: unknown[] = new Array(this.columns.length)
    for (let i = 0; i < values.length; i++) {
      const column = this.columns[i]
      values[i] = column === undefined ? null : stored(Reflect.get(row, column.key), column.encode)
    }
    return values
  }
}

function stored(value: unknown, encode: Column['encode']): unknown {
  if (value === null || value === undefined) return null
  return encode === null ? value : encode(value)
}

const isSameStored = (a: unknown, b: unknown): boolean =>
  Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : a === b

interface Column {
  readonly key: string
  /** Null for what SQLite takes as it is. */
  readonly encode: ((value: unknown) => unknown) | null
}

const encoderOf = (column: SQLiteColumn): Column['encode'] =>
  PLAIN_TYPES.has(column.columnType) ? null : (value) => column.mapToDriverValue(value)

const PLAIN_TYPES = new Set(['SQLiteInteger', 'SQLiteText'])

export const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
