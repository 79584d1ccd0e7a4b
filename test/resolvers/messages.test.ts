import { describe, expect, it } from 'vitest'
import { seededApi } from '../support/seeded-api.ts'

describe('messages', () => {
  it('join their conversational texts by blank lines, and count their code points', async () => {
    const t = seededApi()
    const session = t.seed.session('a')
    const message = t.seed.message(session, 'm1')
    t.seed.text(session, message, 'Hello 👋', 0)
    t.seed.part(session, message, { ordinal: 1, preview: 'unseen', textLength: 6, provenance: 'INJECTED' })
    t.seed.part(session, message, { ordinal: 2, kind: 'REASONING', preview: 'thought', textLength: 7 })
    t.seed.text(session, message, 'world', 3)
    const { sessions } = await t.ask(
      '{ sessions { nodes { messages { nodes { text textLength short: text(maxChars: 8) partCounts { kind count } } } } } }',
    )
    const [node] = sessions.nodes[0].messages.nodes
    expect(node).toEqual({
      text: 'Hello 👋\n\nworld',
      textLength: 14,
      short: 'Hello 👋\n',
      partCounts: [
        { kind: 'TEXT', count: 3 },
        { kind: 'REASONING', count: 1 },
      ],
    })
  })

  it('know their rank, and leave the active path when they are reverted, deleted or left behind', async () => {
    const t = seededApi()
    const session = t.seed.session('a', { revertedFromKey: 'k4' })
    t.seed.message(session, 'm1', { orderKey: 'k1' })
    t.seed.message(session, 'm2', { orderKey: 'k2', isRemoved: true })
    t.seed.message(session, 'm3', { orderKey: 'k3', isOnActivePath: false })
    t.seed.message(session, 'm4', { orderKey: 'k4' })
    const fields = 'nodes { nativeId index isOnActivePath }'
    const { session: found } = await t.ask(
      `{ session(source: "opencode", nativeId: "a") { all: messages { ${fields} } last: messages(last: 2) { ${fields} } active: messages(filter: { activePathOnly: true }) { totalCount ${fields} } } }`,
    )
    expect(found.all.nodes).toEqual([
      { nativeId: 'm1', index: 0, isOnActivePath: true },
      { nativeId: 'm2', index: 1, isOnActivePath: false },
      { nativeId: 'm3', index: 2, isOnActivePath: false },
      { nativeId: 'm4', index: 3, isOnActivePath: false },
    ])
    expect(found.last.nodes.map(({ index }: { index: number }) => index)).toEqual([2, 3])
    expect(found.active).toEqual({ totalCount: 1, nodes: [{ nativeId: 'm1', index: 0, isOnActivePath: true }] })
  })

  it('are shown around one, and the page goes on in the list', async () => {
    const t = seededApi()
    const session = t.seed.session('a')
    for (let i = 0; i < 9; i++) t.seed.message(session, `m${i}`)
    t.seed.message(t.seed.session('other'), 'm4')
    const at = async (nativeId: string, more = 'before: 2, after: 1') => {
      const { session: found } = await t.ask(
        `{ session(source: "opencode", nativeId: "a") { messages { nodes { id nativeId } } } }`,
      )
      const id = found.messages.nodes.find((node: { nativeId: string }) => node.nativeId === nativeId).id
      const data = await t.ask(
        `{ session(source: "opencode", nativeId: "a") { messagesAround(message: "${id}", ${more}) { totalCount nodes { nativeId } pageInfo { hasPreviousPage hasNextPage startCursor endCursor } } } }`,
      )
      const { nodes, pageInfo, totalCount } = data.session.messagesAround
      return { ids: nodes.map((node: { nativeId: string }) => node.nativeId), pageInfo, totalCount }
    }
    const middle = await at('m4')
    expect(middle).toMatchObject({
      ids: ['m2', 'm3', 'm4', 'm5'],
      pageInfo: { hasPreviousPage: true, hasNextPage: true },
      totalCount: 9,
    })
    const { session: next } = await t.ask(
      `{ session(source: "opencode", nativeId: "a") { messages(after: "${middle.pageInfo.endCursor}", first: 1) { nodes { nativeId } } } }`,
    )
    expect(next.messages.nodes).toEqual([{ nativeId: 'm6' }])
    expect(await at('m0')).toMatchObject({ ids: ['m0', 'm1'], pageInfo: { hasPreviousPage: false, hasNextPage: true } })
    expect(await at('m8')).toMatchObject({
      ids: ['m6', 'm7', 'm8'],
      pageInfo: { hasPreviousPage: true, hasNextPage: false },
    })
    expect(await at('m4', 'before: 0, after: 0')).toMatchObject({
      ids: ['m4'],
      pageInfo: { hasPreviousPage: true, hasNextPage: true },
    })
    const other = await t.ask('{ session(source: "opencode", nativeId: "other") { messages { nodes { id } } } }')
    const around = (message: string, args = '') =>
      `{ session(source: "opencode", nativeId: "a") { messagesAround(message: "${message}"${args}) { totalCount } } }`
    expect(await t.codes(around(other.session.messages.nodes[0].id))).toEqual(['NOT_FOUND'])
    expect(await t.codes(around('nonsense'))).toEqual(['BAD_USER_INPUT'])
    expect(await t.codes(around(other.session.messages.nodes[0].id, ', before: 101'))).toHaveLength(1)
  })

  it('carry the summary of a compaction, whose text may be their own', async () => {
    const t = seededApi()
    const session = t.seed.session('a')
    const message = t.seed.message(session, 'm1', { compaction: 'compaction', role: 'SYSTEM' })
    t.seed.part(session, message, { preview: 'So far…', textLength: 7, provenance: 'INJECTED' })
    t.seed.store.sqlite
      .prepare("insert into summaries (session_id, native_id, kind, message_id) values (?, 's1', 'compaction', ?)")
      .run(session, message)
    const { sessions } = await t.ask(
      '{ sessions { nodes { messages { nodes { compaction { id kind content timestamp message { nativeId } } } } summaries { nodes { id } } } } }',
    )
    const [node] = sessions.nodes
    expect(node.messages.nodes[0].compaction).toMatchObject({
      kind: 'compaction',
      content: 'So far…',
      timestamp: null,
      message: { nativeId: 'm1' },
    })
    expect(node.summaries.nodes[0].id).toBe(node.messages.nodes[0].compaction.id)
  })
})
