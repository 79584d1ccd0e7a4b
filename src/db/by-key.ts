import type { Store } from './open.ts'
import type { SqlParam } from './sql.ts'
import { selectValues } from './statement.ts'

/** A key that travels to SQLite inside one JSON parameter. */
export type JsonKey = string | number | null | readonly (string | number | null)[]

/**
 * One row for each key, in the keys' order, in one statement. Its text selects from `json_each(?) k`, with `k.key` (the key's place) as the
 * first column; `params` fill the placeholders behind the keys.
 */
export function oneByKey<Row>(
  store: Store,
  text: string,
  keys: readonly JsonKey[],
  decode: (values: readonly unknown[]) => Row,
  ...params: readonly SqlParam[]
): (Row | null)[] {
  const rows = new Array<Row | null>(keys.length).fill(null)
  for (const values of selectValues(store, text, JSON.stringify(keys), ...params)) {
    const place = Number(values[0])
    if (rows[place] === null) rows[place] = decode(values)
  }
  return rows
}

/** The same for any number of rows a key, in the statement's order. */
export function manyByKey<Row>(
  store: Store,
  text: string,
  keys: readonly JsonKey[],
  decode: (values: readonly unknown[]) => Row,
  ...params: readonly SqlParam[]
): Row[][] {
  const rows = keys.map((): Row[] => [])
  for (const values of selectValues(store, text, JSON.stringify(keys), ...params)) {
    rows[Number(values[0])]?.push(decode(values))
  }
  return rows
}
