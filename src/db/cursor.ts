import { createHash } from 'node:crypto'
import { CodedError } from '../model/error.ts'

/** Value of a column that a list is ordered by. */
export type SortValue = string | number | null

const badCursor = () =>
  new CodedError('BAD_CURSOR', 'This cursor is not from this list in this order with this filter. Start without one.')

/** A cursor names its list (with order and filter), the list's parent and the place: the sort values of the row that it stands on. */
export const encodeCursor = (list: string, parent: number, values: readonly SortValue[]): string =>
  Buffer.from(JSON.stringify([mark(list), parent, ...values])).toString('base64url')

/** Sort values of a cursor. Throws BAD_CURSOR when it is not one of this list. */
export function decodeCursor(cursor: string, list: string, parent: number, width: number): readonly SortValue[] {
  const [name, of, ...values] = parse(cursor)
  if (name !== mark(list) || of !== parent || values.length !== width || !values.every(isSortValue)) throw badCursor()
  return values
}

function parse(cursor: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(parsed)) return parsed
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw badCursor()
}

const isSortValue = (value: unknown): value is SortValue =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))

const MAX_MARKS = 1000
const marks = new Map<string, string>()

/** Names a list in few characters. */
function mark(list: string): string {
  let known = marks.get(list)
  if (known === undefined) {
    if (marks.size >= MAX_MARKS) marks.clear()
    known = createHash('sha256').update(list).digest('base64url').slice(0, 10)
    marks.set(list, known)
  }
  return known
}
