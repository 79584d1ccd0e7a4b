import { createClient } from 'graphql-sse'
import { z } from 'zod'
import { stringAt } from '../model/json.ts'
import { CliError, EXIT } from './exit-code.ts'

type Variables = Readonly<Record<string, unknown>>

/** A result of an operation, as it is in this process and over the wire alike. */
export interface Answer {
  readonly data?: unknown
  readonly errors?: readonly { readonly message: string; readonly extensions?: unknown }[] | undefined
}

/** The GraphQL API of a store, in this process or in the one that holds it. */
export interface Connection {
  /** Where it answers; null in this process. */
  readonly url: string | null
  execute(query: string, variables?: Variables): Promise<Answer>
  subscribe(query: string, variables?: Variables): AsyncIterable<Answer>
  close(): Promise<void>
}

/** Runs an operation and reads its data by `shape`. Errors of the API end the command with their message. */
export async function ask<T>(
  connection: Connection,
  shape: z.ZodType<T>,
  query: string,
  variables?: Variables,
): Promise<T> {
  return read(shape, await connection.execute(query, variables))
}

/** `ask` for a subscription: every event of it. */
export async function* follow<T>(
  connection: Connection,
  shape: z.ZodType<T>,
  query: string,
  variables?: Variables,
): AsyncGenerator<T> {
  for await (const result of connection.subscribe(query, variables)) yield read(shape, result)
}

function read<T>(shape: z.ZodType<T>, { data, errors }: Answer): T {
  const error = errors?.[0]
  if (error !== undefined) {
    const code = stringAt(error.extensions, 'code') ?? ''
    throw new CliError(EXIT_OF_CODE.get(code) ?? EXIT.unable, error.message, code === 'INTERNAL_SERVER_ERROR')
  }
  return shape.parse(data)
}

const EXIT_OF_CODE = new Map<string, 2 | 3>([
  ['BAD_USER_INPUT', EXIT.usage],
  ['BAD_CURSOR', EXIT.usage],
  ['NOT_FOUND', EXIT.usage],
])

const Wire = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ message: z.string(), extensions: z.unknown() })).optional(),
})

/** The API of the server that holds the store. */
export function remoteConnection(url: string, token: string | null): Connection {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  const sse = createClient({ url, headers, retryAttempts: 0 })
  return {
    url,
    async execute(query, variables = {}) {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/graphql-response+json, application/json',
        },
        body: JSON.stringify({ query, variables }),
      })
      return Wire.parse(await response.json())
    },
    subscribe: (query, variables = {}) => sse.iterate<Record<string, unknown>>({ query, variables }),
    async close() {
      sse.dispose()
    },
  }
}
