import { createHash } from 'node:crypto'
import type { ExecutionResult } from 'graphql'
import { createServices, type Limits, type Services, type ServicesOptions } from '../resolvers/services.ts'
import { schemaText } from '../schema/index.ts'
import type { Writer } from '../writer/commands.ts'
import type { ErrorLog } from './client-error.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { execute, type Operation, subscribe } from './operation.ts'
import { type Yoga, yogaFor } from './yoga.ts'

export type { Operation } from './operation.ts'

export interface ApiOptions extends Omit<ServicesOptions, 'server'> {
  /** Version of Weir. */
  readonly version: string
  readonly log: ErrorLog
  /** In the place of single limits of DEFAULT_LIMITS. */
  readonly limits?: Partial<Limits>
}

/** The API over one store, in this process; `listen` serves it to others. */
export interface Api {
  readonly yoga: Yoga
  readonly services: Services
  readonly log: ErrorLog
  /** Runs a query or a mutation. */
  execute(operation: Operation): Promise<ExecutionResult>
  /** Runs any operation; leaving the loop ends it. */
  subscribe(operation: Operation): AsyncGenerator<ExecutionResult>
  /** From now on, mutations go to this writer; null: to nobody. */
  setWriter(writer: Writer | null): void
  /** Completes all subscriptions, and those to come. The store stays open. */
  close(): void
}

export function createApi(options: ApiOptions): Api {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const schemaHash = createHash('sha256').update(schemaText).digest('hex')
  const services = createServices({
    ...options,
    server: { version: options.version, startedAt: Date.now(), schemaHash, limits },
  })
  const { log } = options
  const yoga = yogaFor(services, log, limits)
  return {
    yoga,
    services,
    log,
    execute: (operation) => execute(yoga, log, operation),
    subscribe: (operation) => subscribe(yoga, log, operation),
    setWriter: (writer) => services.setWriter(writer),
    close: () => services.wakeups.close(),
  }
}
