import { MAX_PAGE_SIZE } from '../resolvers/connection.ts'
import type { Limits } from '../resolvers/services.ts'

/**
 * What an operation may ask for unless the server is told otherwise. 50 messages of a session with 100 parts each and all that a part
 * can say, or 20 sessions with 10 messages with 5 parts, stay well below.
 */
export const DEFAULT_LIMITS: Limits = {
  maxPageSize: MAX_PAGE_SIZE,
  maxDepth: 24,
  maxAliases: 100,
  maxCost: 2_000_000,
  maxDocumentBytes: 100_000,
  maxResponseBytes: 64 * 1024 * 1024,
}

/** A document of the greatest size has fewer tokens, unless it is made to be slow. */
export const MAX_TOKENS = 10_000

/** Brackets within brackets. Fields can't use a fraction of it within the greatest depth, and far more would exhaust the stack of who reads it. */
export const MAX_NESTING = 200

/** Variables come on top of the document. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024

/** A WebSocket message holds one request. */
export const MAX_MESSAGE_BYTES = 1024 * 1024
export const MAX_SOCKETS = 1000
export const MAX_OPERATIONS_PER_SOCKET = 100
