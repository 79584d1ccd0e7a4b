import { readFileSync } from 'node:fs'
import { generate } from '@graphql-codegen/cli'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { print } from 'graphql'
import { describe, expect, expectTypeOf, it } from 'vitest'
import codegen from '../../codegen.ts'
import type { SyncStatus } from '../generated/graphql.ts'
import { seededApi } from '../support/seeded-api.ts'
import { type FollowSync, NewestSessions } from './operations.ts'

async function ask<Data, Variables>(
  url: string,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: print(document), variables }),
  })
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown }
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data
}

describe('typed operations', () => {
  it('get what their types say', async () => {
    const t = seededApi()
    const session = t.seed.session('a', { title: 'Typed' })
    t.seed.text(session, t.seed.message(session, 'm'), 'Hello')
    const { url } = await t.listen()
    const { sessions } = await ask(url, NewestSessions, { first: 5, filter: { sources: ['opencode'] } })
    const [node] = sessions.nodes
    expectTypeOf(node?.title).toEqualTypeOf<string | null | undefined>()
    expect(node).toMatchObject({ title: 'Typed', kind: 'MAIN', updatedAt: '2026-05-05T12:00:00.000Z' })
    const part = node?.messages.nodes[0]?.parts.nodes[0]
    expect(part !== undefined && 'text' in part ? part.text : null).toBe('Hello')
  })

  it('know subscriptions too', async () => {
    const t = seededApi()
    t.seed.run({ status: 'COMPLETED' })
    type Progress =
      NonNullable<(typeof FollowSync)['__apiType']> extends (variables: never) => infer Data ? Data : never
    expectTypeOf<Progress>().toEqualTypeOf<{
      syncProgress: { status: SyncStatus; fraction: number | null; bytesRead: number }
    }>()
  })

  it('are generated from the schema as it is (else run `npm run codegen`)', async () => {
    const files: { filename: string; content: string }[] = await generate({ ...codegen, silent: true }, false)
    expect(files.length).toBeGreaterThan(0)
    for (const { filename, content } of files)
      expect([filename, readFileSync(filename, 'utf8')]).toEqual([filename, content])
  })
})
