import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { UnsafeBindError } from '../../src/server/guard.ts'
import { seededApi } from '../support/seeded-api.ts'

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** fetch doesn't let a test choose Host and Origin, so this speaks HTTP itself. */
function send(port: number, { method = 'POST', path = '/graphql', headers = {}, body }: Sent) {
  const text = body ?? (method === 'POST' ? '{"query":"{ __typename }"}' : undefined)
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        let received = ''
        response.on('data', (chunk) => {
          received += String(chunk)
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: received }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(text)
  })
}

function open(
  port: number,
  options: { origin?: string; host?: string; token?: string; path?: string } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${options.path ?? '/graphql'}`, 'graphql-transport-ws', {
      ...(options.origin ? { origin: options.origin } : {}),
      headers: {
        ...(options.host ? { host: options.host } : {}),
        ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
      },
    })
    socket.on('open', () => {
      socket.close()
      resolve('open')
    })
    socket.on('unexpected-response', (_, response) => {
      resolve(String(response.statusCode))
      socket.terminate()
    })
    socket.on('error', () => {})
  })
}

describe('the guard', () => {
  it('answers under loopback names only, so that a page can’t come in under a name of its own', async () => {
    const { port } = await seededApi().listen()
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'app.localhost']) {
      expect((await send(port, { headers: { host } })).status).toBe(200)
      expect(await open(port, { host })).toBe('open')
    }
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '192.168.0.1',
      '@',
    ]) {
      const { status, body } = await send(port, { headers: { host } })
      expect([host, status]).toEqual([host, 403])
      expect(body).not.toContain('Query')
    }
    expect(await open(port, { host: 'evil.example' })).toBe('403')
    const openly = await send(port, { method: 'GET', path: '/healthz', headers: { host: 'evil.example' } })
    expect(openly.status).toBe(403)
  })

  it('answers under names that were configured', async () => {
    const { port } = await seededApi().listen({ allowedHosts: ['weir.example'] })
    expect((await send(port, { headers: { host: 'weir.example:443', origin: 'https://weir.example' } })).status).toBe(
      200,
    )
    expect((await send(port, { headers: { host: 'other.example' } })).status).toBe(403)
  })

  it('takes a port of a configured name at its word', async () => {
    const { port } = await seededApi().listen({ allowedHosts: ['weir.example:8443', 'plain.example:80', '[::2]:90'] })
    const status = async (host: string) => (await send(port, { headers: { host } })).status
    for (const host of ['weir.example:8443', 'plain.example', 'plain.example:80', '[::2]:90'])
      expect([host, await status(host)]).toEqual([host, 200])
    for (const host of ['weir.example', 'weir.example:8444', 'plain.example:443', '[::2]'])
      expect([host, await status(host)]).toEqual([host, 403])
  })

  it('gives pages of other ports of this machine nothing, unless they were configured', async () => {
    const ours = await seededApi().listen()
    const theirs = await seededApi().listen({ allowedHosts: ['localhost:5173'] })
    const origins = ['http://localhost:5173', 'http://127.0.0.1:5173', 'http://app.localhost', 'https://localhost']
    for (const origin of origins) {
      const isAllowed = origin === 'http://localhost:5173'
      expect((await send(ours.port, { headers: { origin } })).status).toBe(403)
      expect(await open(ours.port, { origin })).toBe('403')
      expect((await send(theirs.port, { headers: { origin } })).status).toBe(isAllowed ? 200 : 403)
      expect(await open(theirs.port, { origin })).toBe(isAllowed ? 'open' : '403')
    }
    for (const site of ['same-site', 'cross-site']) {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' }
      expect((await send(ours.port, { method: 'GET', path: '/graphql?query={__typename}', headers })).status).toBe(403)
    }
  })

  it('takes another loopback name than the one asked for another origin', async () => {
    const { port } = await seededApi().listen()
    const headers = { host: `127.0.0.1:${port}`, origin: `http://localhost:${port}` }
    expect((await send(port, { headers })).status).toBe(403)
    expect(await open(port, headers)).toBe('403')
  })

  it('answers through the proxy of a development server, which passes on the host that the page asked', async () => {
    const { port } = await seededApi().listen()
    const headers = { host: 'localhost:5173', origin: 'http://localhost:5173', 'sec-fetch-site': 'same-origin' }
    expect((await send(port, { headers })).status).toBe(200)
    expect(await open(port, headers)).toBe('open')
  })

  it('gives pages of other origins nothing, over HTTP and WebSocket', async () => {
    const { port } = await seededApi().listen()
    for (const origin of ['http://evil.example', 'https://127.0.0.1.evil.example', 'null', 'file://', 'nonsense']) {
      const { status, headers } = await send(port, { headers: { origin } })
      expect(status).toBe(403)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(await open(port, { origin })).toBe('403')
    }
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      const own = { host: `${name}:${port}`, origin: `http://${name}:${port}` }
      expect((await send(port, { headers: own })).status).toBe(200)
      expect(await open(port, own)).toBe('open')
    }
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
    expect((await send(port, { method: 'GET', path: '/graphql?query={__typename}', headers: image })).status).toBe(403)
  })

  it('has no CORS: a preflight is not granted', async () => {
    const { port } = await seededApi().listen()
    const { headers } = await send(port, {
      method: 'OPTIONS',
      headers: {
        origin: `http://localhost:${port}`,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('takes no POST but JSON, which no form of a page can send', async () => {
    const { port } = await seededApi().listen()
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/graphql',
      'application/jsonx',
      '',
    ]) {
      expect((await send(port, { headers: { 'content-type': type } })).status).toBe(415)
    }
    expect((await send(port, { headers: { 'content-type': 'application/json; charset=utf-8' } })).status).toBe(200)
  })

  it('asks for the token on every way in, when there is one', async () => {
    const { port } = await seededApi().listen({ token: 'secret' })
    expect((await send(port, {})).status).toBe(401)
    expect((await send(port, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401)
    expect(JSON.parse((await send(port, {})).body).errors[0].extensions.code).toBe('UNAUTHENTICATED')
    expect((await send(port, { headers: { authorization: 'Bearer secret' } })).status).toBe(200)
    expect((await send(port, { method: 'GET', path: `/blobs/${'0'.repeat(64)}` })).status).toBe(401)
    expect(
      (
        await send(port, {
          method: 'GET',
          path: '/graphql?query={__typename}',
          headers: { accept: 'text/event-stream' },
        })
      ).status,
    ).toBe(401)
    for (const path of ['/healthz', '/readyz']) expect((await send(port, { method: 'GET', path })).status).toBe(200)
  })

  it('listens to other machines only with a token', async () => {
    const t = seededApi()
    for (const host of ['0.0.0.0', '::', '192.168.0.7', 'weir.example']) {
      await expect(t.listen({ host })).rejects.toThrow(UnsafeBindError)
      await expect(t.listen({ host, token: '' })).rejects.toThrow(/WEIR_TOKEN/)
    }
    const { port } = await t.listen({ host: '0.0.0.0', token: 'secret' })
    const authorization = 'Bearer secret'
    expect((await send(port, { headers: { authorization } })).status).toBe(200)
    expect((await send(port, { headers: { authorization, host: `0.0.0.0:${port}` } })).status).toBe(403)
  })

  it('serves WebSockets on the path of the API only', async () => {
    const { port } = await seededApi().listen()
    expect(await open(port, { path: '/other' })).toBe('404')
  })

  it('says that its port is taken', async () => {
    const t = seededApi()
    const { port } = await t.listen()
    await expect(t.listen({ port })).rejects.toThrow(/EADDRINUSE/)
  })
})
