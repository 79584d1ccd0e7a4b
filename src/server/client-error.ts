import { randomUUID } from 'node:crypto'
import { GraphQLError, Kind } from 'graphql'
import { CodedError, ERROR_CODES, type ErrorCode } from '../model/error.ts'
import { CommandError } from '../writer/commands.ts'

export interface ErrorLog {
  error(details: object, message: string): void
}

/**
 * The error as clients see it (design §8.3): with a code of the documented list. Errors that were meant for them keep their message; all
 * others are masked, with an id under which the log has them.
 */
export function clientError(error: unknown, log: ErrorLog): GraphQLError {
  const cause = innermost(error)
  if (cause instanceof CodedError || cause instanceof CommandError) return renamed(error, cause.message, cause.code)
  if (error instanceof GraphQLError && cause instanceof GraphQLError) {
    if (isOurs(error.extensions['code'])) return error
    if (isOurs(cause.extensions['code'])) return renamed(error, error.message, cause.extensions['code'])
    const code = codeOfRequestError(error)
    if (code !== null)
      return renamed(error, error.message, code, error.extensions['http'] ?? { spec: true, status: 400 })
  }
  const errorId = randomUUID()
  log.error({ err: cause, errorId }, 'An operation failed')
  const located = error instanceof GraphQLError ? placeOf(error) : {}
  return new GraphQLError(`Something went wrong inside the server. Its log has the details under ${errorId}.`, {
    ...located,
    extensions: { code: 'INTERNAL_SERVER_ERROR' satisfies ErrorCode, errorId, unexpected: true },
  })
}

const OURS: ReadonlySet<unknown> = new Set(ERROR_CODES)
const isOurs = (code: unknown): code is ErrorCode => OURS.has(code)

function innermost(error: unknown): unknown {
  let cause = error
  while (cause instanceof GraphQLError && cause.originalError instanceof Error) cause = cause.originalError
  return cause
}

/** Code of an error that graphql-js itself found in a request; null for one that a field of ours ran into. */
function codeOfRequestError({ message, path, nodes }: GraphQLError): ErrorCode | null {
  if (message.startsWith('Syntax Error')) return 'GRAPHQL_PARSE_FAILED'
  const kind = nodes?.[0]?.kind
  if (path === undefined) return kind === Kind.VARIABLE_DEFINITION ? 'BAD_USER_INPUT' : 'BAD_REQUEST'
  // Arguments that can't be coerced when their field is reached.
  return kind !== undefined && kind !== Kind.FIELD ? 'BAD_USER_INPUT' : null
}

function renamed(error: unknown, message: string, code: ErrorCode, http?: object): GraphQLError {
  return new GraphQLError(message, {
    ...(error instanceof GraphQLError ? placeOf(error) : {}),
    extensions: { code, ...(http === undefined ? {} : { http }) },
  })
}

const placeOf = ({ nodes, source, positions, path }: GraphQLError) => ({
  nodes: nodes ?? null,
  source: source ?? null,
  positions: positions ?? null,
  path: path ?? null,
})

/** The error without what only the HTTP layer understands. */
export function withoutInternals(error: GraphQLError): GraphQLError {
  const { http, unexpected, ...extensions } = error.extensions
  if (http === undefined && unexpected === undefined) return error
  return new GraphQLError(error.message, { ...placeOf(error), extensions })
}
