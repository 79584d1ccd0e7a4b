import { describe, expect, it } from 'vitest'
import { FakeWriter } from '../support/fake-writer.ts'
import { seededApi } from '../support/seeded-api.ts'

describe('the server', () => {
  it('says that it lives, and whether it can read and write', async () => {
    const t = seededApi()
    const { url } = await t.listen()
    const get = async (path: string) => {
      const response = await fetch(new URL(path, url))
      return { status: response.status, body: (await response.json()) as unknown }
    }
    expect(await get('/healthz')).toEqual({ status: 200, body: { status: 'ok' } })
    expect(await get('/readyz')).toEqual({ status: 200, body: { status: 'ready', canWrite: false } })
    t.api.setWriter(new FakeWriter())
    expect(await get('/readyz')).toEqual({ status: 200, body: { status: 'ready', canWrite: true } })
  })

  it('serves GraphiQL to browsers, of its own files only, and GraphQL to everybody else, at the same address', async () => {
    const { url } = await seededApi().listen()
    const page = await fetch(url, { headers: { accept: 'text/html,application/xhtml+xml' } })
    const html = await page.text()
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self'/)
    expect(html).not.toMatch(/https?:\/\//)
    for (const [, path = ''] of html.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      const asset = await fetch(new URL(path, url))
      expect([path, asset.status]).toEqual([path, 200])
      expect((await asset.text()).length).toBeGreaterThan(0)
    }
    const query = await fetch(`${url}?query={__typename}`, { headers: { accept: 'application/json' } })
    expect((await query.json()) as unknown).toEqual({ data: { __typename: 'Query' } })
    expect((await fetch(new URL('/graphiql/nothing.js', url))).status).toBe(404)
    expect((await fetch(new URL('/nothing', url))).status).toBe(404)
  })

  it('points from its front page to GraphiQL, under a policy that lets nothing run', async () => {
    const { url } = await seededApi().listen()
    const page = await fetch(new URL('/', url))
    expect(await page.text()).toContain('href="/graphql"')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('takes no mutation by GET', async () => {
    const t = seededApi({ writer: new FakeWriter() })
    const { url } = await t.listen()
    const response = await fetch(
      `${url}?query=${encodeURIComponent('mutation { startSync(input: {}) { run { id } } }')}`,
    )
    expect(response.status).toBe(405)
  })
})
