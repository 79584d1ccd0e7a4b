/** Every code that an error of the API can carry (design §8.3). */
export const ERROR_CODES = [
  'BAD_USER_INPUT',
  'BAD_CURSOR',
  'NOT_FOUND',
  'CONFLICT',
  'FORBIDDEN',
  'UNAUTHENTICATED',
  'LIMIT_EXCEEDED',
  'CONSUMER_TOO_SLOW',
  'UNAVAILABLE',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_REQUEST',
  'INTERNAL_SERVER_ERROR',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** An error that its receiver may read: a machine code, and a message that says what to do. All others are masked. */
export class CodedError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.name = 'CodedError'
    this.code = code
  }
}
