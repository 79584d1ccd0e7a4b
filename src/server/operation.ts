import { type ExecutionArgs, type ExecutionResult, type GraphQLError, getOperationAST } from 'graphql'
import { clientError, type ErrorLog, withoutInternals } from './client-error.ts'
import type { Yoga } from './yoga.ts'

/** One request, whichever way it came. */
export interface Operation {
  readonly query: string
  readonly variables?: { readonly [name: string]: unknown } | null | undefined
  readonly operationName?: string | null | undefined
}

export interface Prepared {
  readonly args: ExecutionArgs
  run(args: ExecutionArgs): Promise<ExecutionResult | AsyncIterable<ExecutionResult>>
}

/** Makes an operation ready to run, through the same limits and masks as over HTTP; or says what is wrong with it. */
export async function prepare(yoga: Yoga, log: ErrorLog, operation: Operation): Promise<Prepared | GraphQLError[]> {
  const { query, variables, operationName } = operation
  const params = { query, ...(variables ? { variables } : {}), ...(operationName ? { operationName } : {}) }
  const enveloped = yoga.getEnveloped({ params })
  try {
    const document = enveloped.parse(query)
    const faults = enveloped.validate(enveloped.schema, document)
    if (faults.length > 0) return faults.map((fault: unknown) => withoutInternals(clientError(fault, log)))
    const kind = getOperationAST(document, operationName)?.operation
    const args: ExecutionArgs = {
      schema: enveloped.schema,
      document,
      variableValues: variables ?? null,
      operationName: operationName ?? null,
      contextValue: await enveloped.contextFactory(),
    }
    return {
      args,
      run: async (own) => shown(await (kind === 'subscription' ? enveloped.subscribe(own) : enveloped.execute(own))),
    }
  } catch (error) {
    return [withoutInternals(clientError(error, log))]
  }
}

/** Runs a query or a mutation in this process. */
export async function execute(yoga: Yoga, log: ErrorLog, operation: Operation): Promise<ExecutionResult> {
  for await (const result of subscribe(yoga, log, operation)) return result
  throw new Error('The operation had no result.')
}

/** Runs any operation in this process: one result of a query or mutation, each event of a subscription. */
export async function* subscribe(yoga: Yoga, log: ErrorLog, operation: Operation): AsyncGenerator<ExecutionResult> {
  const prepared = await prepare(yoga, log, operation)
  if (Array.isArray(prepared)) {
    yield { errors: prepared }
    return
  }
  const result = await prepared.run(prepared.args)
  if (Symbol.asyncIterator in result) yield* result
  else yield result
}

type Result = ExecutionResult | AsyncIterable<ExecutionResult>

/** Over HTTP, Yoga takes what only it understands out of errors; elsewhere we do. */
function shown(result: Result): Result {
  return Symbol.asyncIterator in result ? mapped(result) : withShownErrors(result)
}

/** No generator: leaving must reach the source while it waits. */
function mapped(results: AsyncIterable<ExecutionResult>): AsyncIterableIterator<ExecutionResult> {
  const inner = results[Symbol.asyncIterator]()
  const end = { done: true as const, value: undefined }
  return {
    next: async () => {
      const next = await inner.next()
      return next.done === true ? end : { done: false, value: withShownErrors(next.value) }
    },
    return: async () => {
      await inner.return?.()
      return end
    },
    throw: async (error: unknown) => {
      await inner.throw?.(error)
      return end
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const withShownErrors = (result: ExecutionResult): ExecutionResult =>
  result.errors === undefined ? result : { ...result, errors: result.errors.map(withoutInternals) }
