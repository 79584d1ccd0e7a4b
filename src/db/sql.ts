/** A piece of SQL with the values of its placeholders, in order. */
export interface Sql {
  readonly text: string
  readonly params: readonly SqlParam[]
}
export type SqlParam = string | number | Buffer | null

export const sql = (text: string, ...params: readonly SqlParam[]): Sql => ({ text, params })

/** All conditions at once; true when there are none. */
export function allOf(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return sql('1')
  return {
    text: conditions.map(({ text }) => `(${text})`).join(' and '),
    params: conditions.flatMap(({ params }) => params),
  }
}

/** `column` is one of the values. The values travel as one JSON parameter, so that the statement's text doesn't depend on their number. */
export const oneOf = (column: string, values: readonly (string | number)[]): Sql =>
  sql(`${column} in (select value from json_each(?))`, JSON.stringify(values))
