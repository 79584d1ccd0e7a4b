import { describe, expect, it } from 'vitest'
import { encodeNodeId, NODE_LETTERS, type NodeType } from '../../src/model/ids.ts'
import { type Answer, seededApi } from '../support/seeded-api.ts'

describe('node', () => {
  it('finds everything that has an id, and answers with that id', async () => {
    const t = seededApi()
    const session = t.seed.session('a', { projectId: t.seed.project('/p') })
    const message = t.seed.message(session, 'm')
    t.seed.text(session, message, 'text')
    t.seed.toolCall(session, message, { ordinal: 1 })
    const typeId = t.seed.name('assistant')
    t.seed.records(session, '/data/a.jsonl', [
      { typeId, isMapped: true },
      { typeId, isMapped: false },
    ])
    t.seed.store.sqlite
      .prepare("insert into summaries (session_id, native_id, kind) values (?, 's1', 'compaction')")
      .run(session)
    const { sqlite } = t.seed.store
    sqlite.prepare("insert into subagents (session_id, agent_id) values (?, 'a/1')").run(session)
    sqlite.prepare("insert into workflows (id, session_id, run_id) values (1, ?, 'run:1')").run(session)
    sqlite.prepare("insert into workflow_agents (workflow_id, agent_id) values (1, 'w/1')").run()
    t.seed.run()
    t.seed.problem('file:1')
    const data = await t.ask(`{
      server { origin { id __typename } }
      sources { id __typename roots { id __typename } }
      projects { nodes { id __typename } }
      syncRuns { nodes { id __typename } }
      problems { nodes { id __typename } }
      sessions { nodes { id __typename messages { nodes { id __typename parts { nodes { id __typename } } } } records { nodes { id __typename } } summaries { nodes { id __typename } } subagents { nodes { id __typename } } workflows { nodes { id __typename agents { nodes { id __typename } } } } } }
    }`)
    const found: { id: string; __typename: string }[] = []
    JSON.stringify(data, (_, value: Answer) => {
      if (typeof value?.id === 'string') found.push({ id: value.id, __typename: value.__typename })
      return value
    })
    expect(new Set(found.map(({ __typename }) => __typename)).size).toBe(15)
    const { nodes } = await t.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }', {
      ids: found.map(({ id }) => id),
    })
    expect(nodes).toEqual(found)
    for (const one of found)
      expect((await t.ask('query ($id: ID!) { node(id: $id) { id __typename } }', { id: one.id })).node).toEqual(one)
  })

  it('is null for an id that this store does not know, of any type', async () => {
    const t = seededApi()
    for (const type of Object.keys(NODE_LETTERS) as NodeType[]) {
      const inSession = encodeNodeId(type, Buffer.alloc(16, 7), type === 'Session' ? '' : 'nothing')
      expect(await t.ask('query ($id: ID!) { node(id: $id) { id } }', { id: inSession })).toEqual({ node: null })
    }
    expect(await t.ask(`{ nodes(ids: ["${encodeNodeId('SyncRun', null, '99')}"]) { id } }`)).toEqual({ nodes: [null] })
  })

  it.each(['', 'x', '!', 'AAAA', 'U5xY', 'U_7jRUXUwWcNoULLIP9EuMAzz'])(
    'refuses "%s", which has not the form of an id',
    async (id) => {
      const t = seededApi()
      expect(await t.codes('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual(['BAD_USER_INPUT'])
    },
  )

  it('lets one malformed id cost its own place only', async () => {
    const t = seededApi()
    t.seed.session('a')
    const { session } = await t.ask('{ session(source: "opencode", nativeId: "a") { id } }')
    const { data, errors } = await t.run('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: ['x', session.id] })
    expect(data).toEqual({ nodes: [null, { id: session.id }] })
    expect(errors).toHaveLength(1)
  })

  it('takes at most 100 ids', async () => {
    const t = seededApi()
    const ids = Array.from({ length: 101 }, () => encodeNodeId('SyncRun', null, '1'))
    expect(await t.codes('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })).toEqual(['BAD_USER_INPUT'])
  })
})
