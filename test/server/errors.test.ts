import { describe, expect, it } from 'vitest'
import { seededApi } from '../support/seeded-api.ts'

const post = async (url: string, body: unknown, accept = 'application/json') => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

describe('an error', () => {
  it.each([
    ['GRAPHQL_PARSE_FAILED', { query: '{ sessions(' }],
    ['GRAPHQL_VALIDATION_FAILED', { query: '{ nothing }' }],
    ['GRAPHQL_VALIDATION_FAILED', { query: '{ sessions(first: "x") { totalCount } }' }],
    ['BAD_USER_INPUT', { query: 'query ($n: Int!) { sessions(first: $n) { totalCount } }', variables: { n: 'x' } }],
    ['BAD_USER_INPUT', { query: 'query ($n: Int!) { sessions(first: $n) { totalCount } }' }],
    [
      'BAD_USER_INPUT',
      {
        query: 'query ($t: DateTime) { sessions(filter: { createdAfter: $t }) { totalCount } }',
        variables: { t: 'yesterday' },
      },
    ],
    [
      'BAD_USER_INPUT',
      { query: 'query ($f: SessionFilter) { sessions(filter: $f) { totalCount } }', variables: { f: { nothing: 1 } } },
    ],
    ['BAD_USER_INPUT', { query: '{ node(id: "nonsense") { id } }' }],
    ['BAD_CURSOR', { query: '{ sessions(after: "nonsense") { nodes { id } } }' }],
    ['UNAVAILABLE', { query: 'mutation { startSync(input: {}) { run { id } } }' }],
    ['BAD_REQUEST', { query: 'query A { __typename } query B { __typename }' }],
    ['BAD_REQUEST', { query: 'query A { __typename }', operationName: 'C' }],
    ['BAD_REQUEST', { variables: {} }],
    ['BAD_REQUEST', '{'],
  ])('%s is the code of %j, over HTTP', async (code, body) => {
    const t = seededApi()
    const { url } = await t.listen()
    const answer = await post(url, body)
    expect(answer.body.errors[0].extensions.code).toBe(code)
    expect(JSON.stringify(answer.body)).not.toContain('"http"')
    expect(t.logged).toEqual([])
  })

  it('that nobody foresaw is masked, with an id that the log has', async () => {
    const t = seededApi()
    const { url } = await t.listen()
    t.seed.session('a', { partCounts: [] })
    t.seed.store.sqlite.exec("update sessions set kind = 99, title = 'The secret'")
    const { body } = await post(url, { query: '{ sessions(filter: { includeChildren: true }) { nodes { id kind } } }' })
    const [error] = body.errors
    expect(error.extensions.code).toBe('INTERNAL_SERVER_ERROR')
    expect(error.message).toContain(error.extensions.errorId)
    expect(JSON.stringify(body)).not.toMatch(/RangeError|src\/|SELECT|select /)
    expect(t.logged).toMatchObject([
      { errorId: error.extensions.errorId, err: { message: expect.stringContaining('99') } },
    ])
  })

  it('is the same over WebSocket and in this process', async () => {
    const t = seededApi()
    expect(await t.codes('{ sessions(')).toEqual(['GRAPHQL_PARSE_FAILED'])
    expect(await t.codes('{ nothing }')).toEqual(['GRAPHQL_VALIDATION_FAILED'])
    expect(await t.codes('query ($n: Int!) { sessions(first: $n) { totalCount } }', { n: 'x' })).toEqual([
      'BAD_USER_INPUT',
    ])
    const { errors } = await t.run('{ nothing }')
    expect(Object.keys(errors?.[0]?.extensions ?? {})).toEqual(['code'])
  })
})
