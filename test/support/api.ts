import { onTestFinished } from 'vitest'
import { opencode } from '../../src/adapters/opencode/index.ts'
import type { Home } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { type Api, createApi } from '../../src/server/api.ts'

/** The API over a store, in this process, closed when the test is over. Errors of an operation are thrown. */
export function apiOn(
  home: Home,
): Api & { ask: (query: string, variables?: object) => Promise<Record<string, unknown>> } {
  const store = openReader(home.store)
  const log = {
    error: (details: object, message: string) => {
      throw new Error(message, { cause: details })
    },
  }
  const api = createApi({
    store,
    origin: home.origin,
    content: () => opencode.content,
    writer: null,
    version: 'test',
    log,
  })
  onTestFinished(() => {
    api.close()
    store.close()
  })
  return {
    ...api,
    ask: async (query, variables = {}) => {
      const { data, errors } = await api.execute({ query, variables: { ...variables } })
      if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join('; '))
      return data ?? {}
    },
  }
}
