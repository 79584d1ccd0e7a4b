import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { GraphQLError } from 'graphql'
import { type Context, handleProtocols, makeServer } from 'graphql-ws'
import { WebSocketServer } from 'ws'
import type { Api } from './api.ts'
import type { Guard, Refusal } from './guard.ts'
import { MAX_MESSAGE_BYTES, MAX_OPERATIONS_PER_SOCKET, MAX_SOCKETS } from './limits.ts'
import { type Prepared, prepare } from './operation.ts'
import { serveSocket } from './socket.ts'
import { GRAPHQL_PATH } from './yoga.ts'

export interface WebSocketOptions {
  /** How often a socket is pinged; one that doesn't answer until the next ping is ended. */
  readonly heartbeatMs: number
  /** How long a socket may stay silent before it says connection_init. */
  readonly initTimeoutMs: number
}

interface Extra {
  /** The upgrade carried the token. */
  readonly isAuthenticated: boolean
}

/** graphql-transport-ws on the path of the API. Returns the function that closes all sockets. */
export function serveWebSocket(server: Server, api: Api, guard: Guard, options: WebSocketOptions): () => Promise<void> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols,
  })
  const protocol = protocolFor(api, guard, options)
  server.on('upgrade', (request, stream, head) => {
    const refusal = refusalOf(request, guard, sockets.clients.size)
    if (refusal !== null) {
      refuseUpgrade(stream, refusal)
      return
    }
    const isAuthenticated = guard.refuseWithoutToken(request) === null
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const opened = (transport: Parameters<typeof protocol.opened>[0]) =>
        protocol.opened(transport, { isAuthenticated })
      serveSocket(socket, opened, options.heartbeatMs, api.log)
    })
  })
  return async () => {
    for (const socket of sockets.clients) {
      socket.close(GOING_AWAY, 'Going away')
      setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref()
    }
    sockets.close()
  }
}

const GOING_AWAY = 1001
const CLOSE_GRACE_MS = 1000

function protocolFor(api: Api, guard: Guard, { initTimeoutMs }: WebSocketOptions) {
  const prepared = new WeakMap<object, Prepared>()
  const run = (args: object) => {
    const one = prepared.get(args)
    if (one === undefined) throw new Error('An operation runs that was not prepared.')
    return one.run(one.args)
  }
  return makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: initTimeoutMs,
    onConnect: ({ extra, connectionParams }) => extra.isAuthenticated || guard.accepts(connectionParams?.['token']),
    onSubscribe: async (context, _id, { query, variables, operationName }) => {
      if (countOf(context) > MAX_OPERATIONS_PER_SOCKET) return [tooMany()]
      const one = await prepare(api.yoga, api.log, { query, variables, operationName })
      if (Array.isArray(one)) return one
      prepared.set(one.args, one)
      return one.args
    },
    execute: run,
    subscribe: run,
  })
}

const countOf = ({ subscriptions }: Context): number => Object.keys(subscriptions).length
const tooMany = () =>
  new GraphQLError(`A socket carries at most ${MAX_OPERATIONS_PER_SOCKET} operations at a time.`, {
    extensions: { code: 'LIMIT_EXCEEDED' },
  })

function refusalOf(request: IncomingMessage, guard: Guard, sockets: number): Refusal | null {
  const refusal = guard.refuse(request)
  if (refusal !== null) return refusal
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname !== GRAPHQL_PATH) return { status: 404, code: 'NOT_FOUND', message: 'Nothing is served here.' }
  if (sockets >= MAX_SOCKETS) return { status: 503, code: 'LIMIT_EXCEEDED', message: 'Too many sockets are open.' }
  return null
}

function refuseUpgrade(stream: Duplex, { status, code, message }: Refusal): void {
  const body = JSON.stringify({ errors: [{ message, extensions: { code } }] })
  const head = [
    `HTTP/1.1 ${status} Refused`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  stream.once('error', () => stream.destroy())
  stream.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
