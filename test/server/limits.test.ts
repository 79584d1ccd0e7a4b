import { getIntrospectionQuery } from 'graphql'
import { createClient } from 'graphql-ws'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { DEFAULT_LIMITS } from '../../src/server/limits.ts'
import { type Answer, seededApi } from '../support/seeded-api.ts'

const PART = `id kind nativeId ordinal provenance message { id } records { id location type } raw
  ... on TextPart { text textLength } ... on ReasoningPart { text textLength }
  ... on FilePart { mediaType fileName blobUrl sha256 byteLength width height url }
  ... on ToolCallPart { callId name category status summary command files { path kind diff additions deletions } params paramsByteLength startedAt endedAt durationMs answer: result { id } child { id } }
  ... on ToolResultPart { callId name isFailure exitCode filePath result resultByteLength reading: text readingLength: textLength call { id } }
  ... on DataPart { dataType label data }`
const USAGE =
  'inputTokens outputTokens reasoningTokens cacheReadTokens cacheWriteTokens totalTokens cost { amount nanos }'
const MESSAGE = `id nativeId index role timestamp text partCounts { kind count } isOnActivePath usage { ${USAGE} }`

describe('the limits', () => {
  it('are told by the server', async () => {
    const { server } = await seededApi().ask(
      '{ server { limits { maxPageSize maxDepth maxAliases maxCost maxDocumentBytes maxResponseBytes } } }',
    )
    expect(server.limits).toEqual(DEFAULT_LIMITS)
  })

  it('let pass 50 messages with 100 parts each, and 20 sessions with 10 messages with 5 parts, with everything selected', async () => {
    const t = seededApi()
    expect(
      await t.codes(
        `{ session(source: "opencode", nativeId: "x") { messages(first: 50) { nodes { ${MESSAGE} parts(first: 100) { nodes { ${PART} } } } } } }`,
      ),
    ).toEqual([])
    expect(
      await t.codes(
        `{ sessions(first: 20) { nodes { id title usage { ${USAGE} } messages(first: 10) { nodes { ${MESSAGE} parts(first: 5) { nodes { ${PART} } } } } } } }`,
      ),
    ).toEqual([])
  })

  it('let the whole introspection pass', async () => {
    const t = seededApi()
    const query = getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      inputValueDeprecation: true,
      schemaDescription: true,
    })
    expect(await t.codes(query)).toEqual([])
  })

  it('refuse an answer that could become too large, by the sizes of its pages', async () => {
    const t = seededApi()
    const query = (n: number) =>
      `{ sessions(first: ${n}) { nodes { messages(first: ${n}) { nodes { parts(first: ${n}) { nodes { id kind } } } } } } }`
    expect(await t.codes(query(20))).toEqual([])
    expect(await t.codes(query(100))).toEqual(['LIMIT_EXCEEDED'])
    const variable =
      'query ($n: Int) { sessions(first: $n) { nodes { messages(first: $n) { nodes { parts(first: $n) { nodes { id kind } } } } } } }'
    expect(await t.codes(variable, { n: 20 })).toEqual([])
    expect(await t.codes(variable, { n: 100 })).toEqual(['LIMIT_EXCEEDED'])
    expect(t.statements).toEqual([])
  })

  it('hold for each operation of a document by itself', async () => {
    const t = seededApi()
    const dear =
      '{ sessions(first: 100) { nodes { messages(first: 100) { nodes { parts(first: 100) { nodes { id kind } } } } } } }'
    const run = (operationName: string) =>
      t.api.execute({ query: `query A { __typename } query B ${dear}`, operationName })
    expect((await run('A')).errors).toBeUndefined()
    expect((await run('B')).errors?.[0]?.extensions['code']).toBe('LIMIT_EXCEEDED')
    expect((await run('A')).errors).toBeUndefined()
  })

  it('hold for depth, aliases, tokens and bytes', async () => {
    const t = seededApi()
    const deep = (levels: number): string => (levels === 0 ? '__typename' : `parent { ${deep(levels - 1)} }`)
    expect(await t.codes(`{ sessions { nodes { ${deep(15)} } } }`)).toEqual([])
    expect(await t.codes(`{ sessions { nodes { ${deep(40)} } } }`)).toEqual(['LIMIT_EXCEEDED'])
    const aliases = Array.from({ length: 101 }, (_, i) => `a${i}: __typename`).join(' ')
    expect(await t.codes(`{ ${aliases.replaceAll('__typename', 'server { version }')} }`)).toEqual(['LIMIT_EXCEEDED'])
    expect(await t.codes(`{ ${aliases} }`)).toEqual(['LIMIT_EXCEEDED'])
    expect(await t.codes(`{ ${'__typename '.repeat(10_001)} }`)).toContain('LIMIT_EXCEEDED')
    expect(await t.codes(`{ __typename } #${'x'.repeat(DEFAULT_LIMITS.maxDocumentBytes)}`)).toEqual(['LIMIT_EXCEEDED'])
  })

  it('hold for depth of any form, over HTTP and WebSocket, so that none exhausts the stack', async () => {
    const t = seededApi()
    const { url } = await t.listen()
    const client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket, retryAttempts: 0 })
    onTestFinished(() => client.dispose())
    const fragments = Array.from({ length: 1200 }, (_, i) => `fragment f${i} on Query { ...f${i + 1} }`).join(' ')
    const documents = [
      '{a'.repeat(4500),
      `${'{a'.repeat(4500)}${'}'.repeat(4500)}`,
      `{ ${'... on Query { '.repeat(2400)}__typename${' }'.repeat(2400)} }`,
      `{ ${'... {'.repeat(2400)}__typename${' }'.repeat(2400)} }`,
      `{ sessions(filter: ${'['.repeat(9000)}`,
      `{ sessions(filter: ${'{parent:'.repeat(2400)}1${'}'.repeat(2400)}) { totalCount } }`,
      `query ($a: ${'['.repeat(4000)}Int${']'.repeat(4000)}) { __typename }`,
      `{ ...f0 } ${fragments} fragment f1200 on Query { ...f0 }`,
    ]
    const refusals = ['LIMIT_EXCEEDED', 'GRAPHQL_VALIDATION_FAILED']
    for (const query of documents) {
      const name = query.slice(0, 30)
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query }),
      })
      const { errors }: Answer = await response.json()
      expect([name, errors?.[0]?.extensions.code]).toEqual([name, expect.toBeOneOf(refusals)])
      const [first] = await new Promise<Answer>((resolve) =>
        client.subscribe({ query }, { next: resolve, error: resolve, complete: () => {} }),
      )
      expect([name, first?.extensions.code]).toEqual([name, expect.toBeOneOf(refusals)])
    }
    expect(await t.codes(`{ ...f0 } ${fragments} fragment f1200 on Query { __typename }`)).toEqual([])
    expect(t.logged).toEqual([])
  })

  it('leave brackets in texts and comments alone', async () => {
    const text = '['.repeat(500)
    expect(await seededApi().codes(`{ sessions(filter: { text: "${text}" }) { totalCount } } # ${text}`)).toEqual([])
  })

  it('hold for subscriptions before they begin', async () => {
    const t = seededApi({ limits: { maxCost: 5 } })
    expect(
      await t.codes('subscription { syncProgress { status run { id status trigger startedAt endedAt } } }'),
    ).toEqual(['LIMIT_EXCEEDED'])
    expect(t.api.services.wakeups.size).toBe(0)
  })

  it('hold for the bytes of an answer over HTTP', async () => {
    const t = seededApi({ limits: { maxResponseBytes: 2000 } })
    for (let i = 0; i < 50; i++) t.seed.session(`session-with-a-long-name-${i}`, { title: 'Title '.repeat(10) })
    const { url } = await t.listen()
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ sessions { nodes { id title } } }' }),
    })
    expect((await response.json()) as unknown).toMatchObject({ errors: [{ extensions: { code: 'LIMIT_EXCEEDED' } }] })
  })

  it('refuse a request body that is far too large', async () => {
    const { url } = await seededApi().listen()
    const body = JSON.stringify({ query: '{ __typename }', variables: { x: 'x'.repeat(5_000_000) } })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    expect(response.status).toBe(413)
  })
})
