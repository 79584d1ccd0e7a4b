import { auditServer } from 'graphql-http'
import { describe, expect, it } from 'vitest'
import { seededApi } from '../support/seeded-api.ts'

describe('GraphQL over HTTP', () => {
  it('passes every audit of graphql-http', async () => {
    const t = seededApi()
    const { url } = await t.listen()
    const results = await auditServer({ url })
    const failed = results.flatMap((result) => (result.status === 'ok' ? [] : [`${result.name}: ${result.reason}`]))
    expect(results.length).toBeGreaterThan(50)
    expect(failed).toEqual([])
  })
})
