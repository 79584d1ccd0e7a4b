import { CodedError } from '../model/error.ts'

export const MAX_PAGE_SIZE = 100
export const DEFAULT_PAGE_SIZE = 50

/** A connection's arguments as they come. */
export interface PageArgs {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

/** A connection's arguments, checked. */
export interface PageRequest {
  readonly limit: number
  /** Counted from the start (`first`) or from the end (`last`). */
  readonly isForward: boolean
  readonly after: string | null
  readonly before: string | null
}

/** Checks the arguments of a connection (design §8.2): `first` or `last`, 1 to 100, never both. */
export function pageRequest({ first, after, last, before }: PageArgs): PageRequest {
  if (isGiven(first) && isGiven(last)) {
    throw new CodedError('BAD_USER_INPUT', 'Give "first" or "last", not both.')
  }
  const limit = first ?? last ?? DEFAULT_PAGE_SIZE
  if (limit < 1 || limit > MAX_PAGE_SIZE) {
    throw new CodedError('BAD_USER_INPUT', `"${isGiven(last) ? 'last' : 'first'}" must be from 1 to ${MAX_PAGE_SIZE}.`)
  }
  return { limit, isForward: !isGiven(last), after: after ?? null, before: before ?? null }
}

const isGiven = (value: number | null | undefined): value is number => value !== null && value !== undefined
