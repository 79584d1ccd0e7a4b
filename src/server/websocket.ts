import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { GraphQLError } from 'graphql'
import type { Context } from 'graphql-ws'
import { useServer } from 'graphql-ws/use/ws'
import { WebSocketServer } from 'ws'
import type { Api } from './api.ts'
import type { Guard, Refusal } from './guard.ts'
import { MAX_MESSAGE_BYTES, MAX_OPERATIONS_PER_SOCKET, MAX_SOCKETS } from './limits.ts'
import { type Prepared, prepare } from './operation.ts'
import { GRAPHQL_PATH } from './yoga.ts'

export interface WebSocketOptions {
  /** How often a socket is pinged; one that doesn't answer until the next ping is ended. */
  readonly heartbeatMs: number
  /** How long a socket may stay silent before it says connection_init. */
  readonly initTimeoutMs: number
}

/** graphql-transport-ws on the path of the API. Returns the function that closes all sockets. */
export function serveWebSocket(server: Server, api: Api, guard: Guard, options: WebSocketOptions): () => Promise<void> {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false })
  const tokens = new WeakMap<IncomingMessage, boolean>()
  const prepared = new WeakMap<object, Prepared>()
  const dispose = useServer<Record<string, unknown>, { readonly request: IncomingMessage }>(
    {
      connectionInitWaitTimeout: options.initTimeoutMs,
      onConnect: (context) => {
        const { request } = context.extra
        const isIn = tokens.get(request) === true || guard.accepts(context.connectionParams?.['token'])
        return isIn
      },
      onSubscribe: async (context, _id, { query, variables, operationName }) => {
        if (countOf(context) > MAX_OPERATIONS_PER_SOCKET) return [tooMany()]
        const one = await prepare(api.yoga, api.log, { query, variables, operationName })
        if (Array.isArray(one)) return one
        prepared.set(one.args, one)
        return one.args
      },
      execute: (args) => run(prepared, args),
      subscribe: (args) => run(prepared, args),
    },
    sockets,
    options.heartbeatMs,
  )
  server.on('upgrade', (request, stream, head) => {
    const refusal = refusalOf(request, guard, sockets.clients.size)
    if (refusal !== null) {
      refuseUpgrade(stream, refusal)
      return
    }
    tokens.set(request, guard.refuseWithoutToken(request) === null)
    sockets.handleUpgrade(request, stream, head, (socket) => sockets.emit('connection', socket, request))
  })
  return async () => {
    for (const socket of sockets.clients) setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref()
    await dispose.dispose()
  }
}

const CLOSE_GRACE_MS = 1000

async function run(prepared: WeakMap<object, Prepared>, args: object) {
  const one = prepared.get(args)
  if (one === undefined) throw new Error('An operation runs that was not prepared.')
  return one.run(one.args)
}

const countOf = ({ subscriptions }: Context): number => Object.keys(subscriptions).length
const tooMany = () =>
  new GraphQLError(`A socket carries at most ${MAX_OPERATIONS_PER_SOCKET} operations at a time.`, {
    extensions: { code: 'LIMIT_EXCEEDED' },
  })

function refusalOf(request: IncomingMessage, guard: Guard, sockets: number): Refusal | null {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname !== GRAPHQL_PATH) return { status: 404, code: 'NOT_FOUND', message: 'Nothing is served here.' }
  if (sockets >= MAX_SOCKETS) return { status: 503, code: 'LIMIT_EXCEEDED', message: 'Too many sockets are open.' }
  return guard.refuse(request)
}

function refuseUpgrade(stream: Duplex, { status, code, message }: Refusal): void {
  const body = JSON.stringify({ errors: [{ message, extensions: { code } }] })
  stream.once('error', () => stream.destroy())
  stream.end(
    `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
