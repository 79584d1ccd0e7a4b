import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { START_QUERY } from './graphiql-start.ts'
import { sendHtml, sendJson } from './reply.ts'

/** Only this server's own files, nothing inline but the styles that the editor makes while it runs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const TOKEN_MARK = 'weir-asks-for-token'

const page = (needsToken: boolean): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Weir GraphiQL</title>
${needsToken ? `<meta name="${TOKEN_MARK}" content="yes">` : ''}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/graphiql/graphiql.css">
</head>
<body id="body" class="no-focus-outline">
<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root"></div>
<script src="/graphiql/workers.js"></script>
<script src="/graphiql/graphiql.js"></script>
<script src="/graphiql/start.js"></script>
</body>
</html>
`

/** Tells the editor where its workers are. */
const WORKERS = `self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_, label) =>
    ({ json: '/graphiql/json.worker.js', graphql: '/graphiql/graphql.worker.js' })[label] ?? '/graphiql/editor.worker.js',
}
`

/** The token is kept for the tab only. */
const START = `const asksForToken = document.querySelector('meta[name="${TOKEN_MARK}"]') !== null
let token = sessionStorage.getItem('weir-token')
if (asksForToken && !token) {
  token = prompt('Token of this Weir server (WEIR_TOKEN):')
  if (token) sessionStorage.setItem('weir-token', token)
}
YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
  title: 'Weir GraphiQL',
  subscriptionsProtocol: 'WS',
  defaultQuery: ${JSON.stringify(START_QUERY)},
  ...(token ? { additionalHeaders: { Authorization: 'Bearer ' + token }, connectionParams: () => ({ token }) } : {}),
})
`

interface Asset {
  readonly type: string
  readonly body: Buffer
}

let assets: Promise<ReadonlyMap<string, Asset>> | null = null

/** The package is 9 MB of text: it is loaded and compressed when somebody first opens the page, and kept compressed. */
async function loadAssets(): Promise<ReadonlyMap<string, Asset>> {
  const { js, css, editorWorkerService, jsonWorker, graphqlWorker } = await import(
    '@graphql-yoga/render-graphiql/graphiql'
  )
  const script = 'text/javascript; charset=utf-8'
  const texts: [name: string, type: string, text: string][] = [
    ['graphiql.js', script, js],
    ['graphiql.css', 'text/css; charset=utf-8', css],
    ['editor.worker.js', script, editorWorkerService],
    ['json.worker.js', script, jsonWorker],
    ['graphql.worker.js', script, graphqlWorker],
    ['workers.js', script, WORKERS],
    ['start.js', script, START],
  ]
  const compress = promisify(gzip)
  const entries = texts.map(async ([name, type, text]) => {
    const asset: Asset = { type, body: await compress(text) }
    return [`/graphiql/${name}`, asset] as const
  })
  return new Map(await Promise.all(entries))
}

export const serveGraphiql = (response: ServerResponse, needsToken: boolean): void =>
  sendHtml(response, page(needsToken), POLICY)

export async function serveGraphiqlAsset(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  assets ??= loadAssets()
  const asset = (await assets).get(path)
  if (asset === undefined) {
    sendJson(response, 404, { errors: [{ message: 'There is no such file.', extensions: { code: 'NOT_FOUND' } }] })
    return
  }
  response.writeHead(200, {
    'Content-Type': asset.type,
    'Content-Encoding': 'gzip',
    'Content-Length': asset.body.length,
    'Cache-Control': 'no-cache',
    // Workers have a policy of their own.
    'Content-Security-Policy': POLICY,
  })
  response.end(request.method === 'HEAD' ? undefined : asset.body)
}

/** Whether a request comes from somebody who opens the address in a browser; a query in it is put into the editor. */
export const wantsPage = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && (headers.accept ?? '').includes('text/html')
