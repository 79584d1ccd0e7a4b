import { getTableColumns, type InferSelectModel } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

/** Reads a table's rows out of statements that Drizzle can't express, with Drizzle's own types and decoders. */
export interface RowShape<Row> {
  /** The columns to select, of the table under the alias. */
  readonly columns: string
  readonly width: number
  /** The row whose values start at `from`. */
  decode(values: readonly unknown[], from: number): Row
}

/** Column types whose stored value is the value. */
const AS_STORED: ReadonlySet<string> = new Set(['SQLiteInteger', 'SQLiteText', 'SQLiteReal'])

export function rowShape<T extends SQLiteTable>(table: T, alias: string): RowShape<InferSelectModel<T>> {
  const columns = Object.entries<SQLiteColumn>(getTableColumns(table)).map(([key, column]) => ({
    key,
    name: toSnakeCase(key),
    decode: AS_STORED.has(column.columnType) ? null : (value: unknown) => column.mapFromDriverValue(value),
  }))
  return {
    columns: columns.map(({ name }) => `${alias}."${name}"`).join(', '),
    width: columns.length,
    decode: (values, from) => {
      const row: Record<string, unknown> = {}
      for (let i = 0; i < columns.length; i++) {
        const column = columns[i]
        if (column === undefined) break
        const value = values[from + i] ?? null
        row[column.key] = value === null || column.decode === null ? value : column.decode(value)
      }
      // Built from the table's own columns, which is what the type says.
      return row as InferSelectModel<T>
    },
  }
}
