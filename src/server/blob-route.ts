import type { IncomingMessage, ServerResponse } from 'node:http'
import { blobOf } from '../resolvers/blobs.ts'
import type { Services } from '../resolvers/services.ts'
import { sendJson } from './reply.ts'

/** Images that a browser shows without running anything in them. SVG is none of these. */
const RASTER_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
])
const PATH = /^\/blobs\/([0-9a-f]{64})$/

/**
 * Binary data by its hash. Whatever an agent recorded can stand here, so nothing of it may run: raster images are shown, all else is
 * handed out as a download, in a sandbox either way (design §8.6).
 */
export async function serveBlob(
  services: Services,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, sha256] = PATH.exec(path) ?? []
  const etag = `"${sha256}"`
  const blob = sha256 === undefined ? null : await blobOf(services, sha256)
  if (blob === null || sha256 === undefined) {
    sendJson(response, 404, { errors: [{ message: 'There is no such blob.', extensions: { code: 'NOT_FOUND' } }] })
    return
  }
  const mediaType = blob.mediaType.toLowerCase()
  const isRaster = RASTER_TYPES.has(mediaType)
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
  response.setHeader('Cache-Control', 'private, max-age=31536000, immutable')
  response.setHeader('ETag', etag)
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304).end()
    return
  }
  response.writeHead(200, {
    'Content-Type': isRaster ? mediaType : 'application/octet-stream',
    'Content-Disposition': isRaster ? 'inline' : `attachment; filename="${sha256}"`,
    'Content-Length': blob.data.length,
  })
  response.end(request.method === 'HEAD' ? undefined : blob.data)
}
