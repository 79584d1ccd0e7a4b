import { createYoga } from 'graphql-yoga'
import { Scope } from '../resolvers/scope.ts'
import type { Limits, Services } from '../resolvers/services.ts'
import { schema } from '../schema/index.ts'
import { clientError, type ErrorLog } from './client-error.ts'
import { MAX_REQUEST_BYTES } from './limits.ts'
import { useLimits } from './use-limits.ts'
import { useResponseBytes } from './use-response-bytes.ts'

export const GRAPHQL_PATH = '/graphql'

export type Yoga = ReturnType<typeof yogaFor>

/** Parses, checks, runs and masks; what it can do beyond that (CORS, pages, batches) is ours or off. */
export function yogaFor(services: Services, log: ErrorLog, limits: Limits) {
  return createYoga({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: () => ({ scope: new Scope(services) }),
    plugins: [useLimits(limits), useResponseBytes(limits.maxResponseBytes)],
    maskedErrors: { maskError: (error) => clientError(error, log) },
    maxRequestBodySize: MAX_REQUEST_BYTES,
    // Our own log has what matters; Yoga would log masked errors a second time.
    logging: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
  })
}
