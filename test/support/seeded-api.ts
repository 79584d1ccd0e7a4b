import { join } from 'node:path'
import type { ExecutionResult } from 'graphql'
import { onTestFinished } from 'vitest'
import { openReader } from '../../src/db/open.ts'
import { type Api, type ApiOptions, createApi } from '../../src/server/api.ts'
import { type Listener, type ListenOptions, listen } from '../../src/server/listen.ts'
import { ORIGIN, Seed } from './seed.ts'
import { tempDir } from './temp.ts'

/** Any JSON that an answer holds; tests look into it without ceremony. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what a test is about
export type Answer = any

export interface SeededApi {
  readonly api: Api
  readonly seed: Seed
  /** Statements that ran since the last operation began. */
  readonly statements: readonly string[]
  /** What unexpected errors left in the log. */
  readonly logged: readonly object[]
  /** Data of an operation that must succeed. */
  ask(query: string, variables?: Record<string, unknown>): Promise<Answer>
  /** Everything that an operation answers. */
  run(query: string, variables?: Record<string, unknown>): Promise<ExecutionResult>
  /** Codes of the errors of an operation. */
  codes(query: string, variables?: Record<string, unknown>): Promise<unknown[]>
  listen(options?: Partial<ListenOptions>): Promise<Listener>
}

/** An API over a store of its own, which the test fills through `seed`. All of it is gone when the test is over. */
export function seededApi(options: Partial<ApiOptions> = {}): SeededApi {
  const file = join(tempDir(), 'weir.db')
  const seed = new Seed(file)
  const statements: string[] = []
  const logged: object[] = []
  const store = openReader(file, { onStatement: (sql) => statements.push(sql) })
  const api = createApi({
    store,
    origin: ORIGIN,
    content: () => () => null,
    writer: null,
    version: '0.0.0-test',
    log: { error: (details) => logged.push(details) },
    ...options,
  })
  const listeners: Listener[] = []
  onTestFinished(async () => {
    await Promise.all(listeners.map((listener) => listener.close()))
    api.close()
    store.close()
    seed.store.close()
  })
  const run = (query: string, variables: Record<string, unknown> = {}) => {
    statements.length = 0
    return api.execute({ query, variables })
  }
  return {
    api,
    seed,
    statements,
    logged,
    run,
    ask: async (query, variables) => {
      const { data, errors } = await run(query, variables)
      if (errors !== undefined) throw new Error(JSON.stringify(errors, null, 1))
      return data
    },
    codes: async (query, variables) =>
      ((await run(query, variables)).errors ?? []).map(({ extensions }) => extensions['code']),
    listen: async (listenOptions = {}) => {
      const listener = await listen(api, { port: 0, ...listenOptions })
      listeners.push(listener)
      return listener
    },
  }
}
