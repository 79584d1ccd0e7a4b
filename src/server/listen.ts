import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { readiness } from '../resolvers/readiness.ts'
import type { Api } from './api.ts'
import { serveBlob } from './blob-route.ts'
import { serveGraphiql, serveGraphiqlAsset, wantsPage } from './graphiql.ts'
import { Guard } from './guard.ts'
import { refuse, secure, sendHtml, sendJson } from './reply.ts'
import { serveWebSocket } from './websocket.ts'
import { GRAPHQL_PATH } from './yoga.ts'

export { UnsafeBindError } from './guard.ts'

export interface ListenOptions {
  /** Address to listen on; 127.0.0.1 when left out. Any other than loopback needs a token. */
  readonly host?: string
  /** 0: any that is free. */
  readonly port: number
  /** Asked of every client when set. */
  readonly token?: string | null
  /** Hosts beside the loopback ones under which the server may be asked and whose pages may ask it, with or without a port. */
  readonly allowedHosts?: readonly string[]
  /** How often a WebSocket is pinged; 12 seconds when left out. */
  readonly heartbeatMs?: number
  /** How long a WebSocket may wait before connection_init; 3 seconds when left out. */
  readonly initTimeoutMs?: number
}

export interface Listener {
  /** Where GraphQL is answered. */
  readonly url: string
  readonly port: number
  /** Completes every stream, then closes every connection. */
  close(): Promise<void>
}

/** Serves an API over HTTP, SSE and WebSocket. Rejects when the address is taken, and when it would be unsafe. */
export async function listen(api: Api, options: ListenOptions): Promise<Listener> {
  const host = options.host ?? '127.0.0.1'
  const guard = new Guard({ host, allowedHosts: options.allowedHosts ?? [], token: options.token ?? null })
  const pending = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    pending.add(response)
    response.once('close', () => pending.delete(response))
    answer(api, guard, request, response).catch((error: unknown) => {
      api.log.error({ err: error }, 'A request failed')
      if (response.headersSent) response.destroy()
      else
        sendJson(response, 500, {
          errors: [
            { message: 'Something went wrong inside the server.', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
          ],
        })
    })
  })
  const closeSockets = serveWebSocket(server, api, guard, {
    heartbeatMs: options.heartbeatMs ?? 12_000,
    initTimeoutMs: options.initTimeoutMs ?? 3_000,
  })
  const port = await bind(server, host, options.port)
  let closing: Promise<void> | null = null
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}${GRAPHQL_PATH}`,
    port,
    close: () => {
      closing ??= close(api, server, pending, closeSockets)
      return closing
    },
  }
}

async function close(
  api: Api,
  server: Server,
  pending: ReadonlySet<ServerResponse>,
  closeSockets: () => Promise<void>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  api.services.wakeups.endAll()
  await delay(FLUSH_MS)
  await closeSockets()
  for (let waited = 0; pending.size > 0 && waited < CLOSE_GRACE_MS; waited += FLUSH_MS) await delay(FLUSH_MS)
  server.closeAllConnections()
  await closed
}

/** Time for the last words of streams. */
const FLUSH_MS = 50
/** Time for requests that still run. */
const CLOSE_GRACE_MS = 1000

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

async function answer(api: Api, guard: Guard, request: IncomingMessage, response: ServerResponse): Promise<void> {
  secure(response)
  const refusal = guard.refuse(request)
  if (refusal !== null) {
    refuse(response, refusal)
    return
  }
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  if (await answerOpenly(api, guard, pathname, request, response)) return
  const unauthenticated = guard.refuseWithoutToken(request)
  if (unauthenticated !== null) {
    refuse(response, unauthenticated)
    return
  }
  if (pathname === GRAPHQL_PATH) await api.yoga(request, response)
  else if (pathname.startsWith('/blobs/') && isRead(request)) await serveBlob(api.services, pathname, request, response)
  else sendJson(response, 404, { errors: [{ message: 'Nothing is served here.', extensions: { code: 'NOT_FOUND' } }] })
}

/** What holds nothing of anybody's sessions and needs no token. */
async function answerOpenly(
  api: Api,
  guard: Guard,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (!isRead(request)) return false
  if (path === '/healthz') sendJson(response, 200, { status: 'ok' })
  else if (path === '/readyz') sendReadiness(api, response)
  else if (path === '/') sendHtml(response, HOME_PAGE, "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
  else if (path === GRAPHQL_PATH && wantsPage(request)) serveGraphiql(response, guard.needsToken)
  else if (path.startsWith('/graphiql/')) await serveGraphiqlAsset(path, request, response)
  else return false
  return true
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

function sendReadiness({ services }: Api, response: ServerResponse): void {
  const { isReady, canWrite } = readiness(services)
  sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'closed', canWrite })
}

const HOME_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Weir</title><link rel="icon" href="data:,"></head>
<body>
<h1>Weir</h1>
<p>Every session you ever had with a coding agent, as one GraphQL API.</p>
<p><a href="${GRAPHQL_PATH}">Open GraphiQL</a></p>
</body>
</html>
`
