import { opencode } from '../../src/adapters/opencode/index.ts'
import type { Home } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { createApi } from '../../src/server/api.ts'

/** The API over a store, in this process, and how many statements it has run. */
export function benchApi(home: Home, options: { readonly countStatements?: boolean } = {}) {
  let statements = 0
  const onStatement = () => {
    statements += 1
  }
  const store = openReader(home.store, options.countStatements === true ? { onStatement } : {})
  const api = createApi({
    store,
    origin: home.origin,
    content: () => opencode.content,
    writer: null,
    version: 'bench',
    log: console,
  })
  return {
    store,
    statements: () => statements,
    /** Text of the answer, by the same way that a request over HTTP takes. */
    async fetch(query: string, variables: object = {}): Promise<string> {
      const response = await api.yoga.fetch('http://localhost/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      })
      const text = await response.text()
      if (text.includes('"errors"')) throw new Error(text.slice(0, 500))
      return text
    },
    close() {
      api.close()
      store.close()
    },
  }
}
