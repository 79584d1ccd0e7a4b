import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { seededApi } from '../support/seeded-api.ts'

function blobOf(t: ReturnType<typeof seededApi>, mediaType: string, data: string): string {
  const body = Buffer.from(data)
  const hash = createHash('sha256').update(body).digest()
  t.seed.store.sqlite
    .prepare('insert into blobs (sha256, media_type, byte_length, width, height, data) values (?, ?, ?, 3, 2, ?)')
    .run(hash, mediaType, body.length, body)
  return hash.toString('hex')
}

describe('a blob', () => {
  it('that is a raster image is shown, and kept by the browser for good', async () => {
    const t = seededApi()
    const hash = blobOf(t, 'image/png', 'not really a png')
    const { url } = await t.listen()
    const response = await fetch(new URL(`/blobs/${hash}`, url))
    expect(await response.text()).toBe('not really a png')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=31536000, immutable',
      etag: `"${hash}"`,
    })
    const again = await fetch(new URL(`/blobs/${hash}`, url), { headers: { 'if-none-match': `"${hash}"` } })
    expect(again.status).toBe(304)
    const head = await fetch(new URL(`/blobs/${hash}`, url), { method: 'HEAD' })
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['16', ''])
  })

  it.each([
    'image/svg+xml',
    'text/html',
    'application/xhtml+xml',
    'text/javascript',
    'application/pdf',
    'image/png, text/html',
    'IMAGE/SVG+XML',
    'x\r\nset-cookie: a=b',
    '',
  ])('of type %j is only handed out as a download', async (mediaType) => {
    const t = seededApi()
    const hash = blobOf(t, mediaType, '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    const { url } = await t.listen()
    const { headers } = await fetch(new URL(`/blobs/${hash}`, url))
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toMatch(/^attachment/)
    expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('set-cookie')).toBeNull()
  })

  it('that is not there is 404, whatever is asked for', async () => {
    const { url } = await seededApi().listen()
    for (const path of ['0'.repeat(64), 'x', '../weir.db', `${'0'.repeat(64)}/x`, 'A'.repeat(64)]) {
      const { status } = await fetch(new URL(`/blobs/${path}`, url))
      expect(status).toBe(404)
    }
  })

  it('is named by its part, with its size, and its bytes never stand in an answer', async () => {
    const t = seededApi()
    const hash = blobOf(t, 'image/png', 'pixels')
    const session = t.seed.session('a')
    const message = t.seed.message(session, 'm')
    t.seed.part(session, message, {
      kind: 'FILE',
      blob: Buffer.from(hash, 'hex'),
      detail: '{"mediaType":"image/png","fileName":"a.png"}',
    })
    t.seed.part(session, message, { kind: 'FILE', ordinal: 1, detail: '{"url":"https://example.org/a.png"}' })
    const { sessions } = await t.ask(
      '{ sessions { nodes { messages { nodes { parts { nodes { ... on FilePart { mediaType fileName blobUrl sha256 byteLength width height url } } } } } } } }',
    )
    expect(sessions.nodes[0].messages.nodes[0].parts.nodes).toEqual([
      {
        mediaType: 'image/png',
        fileName: 'a.png',
        blobUrl: `/blobs/${hash}`,
        sha256: hash,
        byteLength: 6,
        width: 3,
        height: 2,
        url: null,
      },
      {
        mediaType: null,
        fileName: null,
        blobUrl: null,
        sha256: null,
        byteLength: null,
        width: null,
        height: null,
        url: 'https://example.org/a.png',
      },
    ])
  })
})
