import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Item } from '../../src/adapters/contract.ts'
import { type Home, openHome } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { engineOn } from '../support/engine.ts'
import { messageItem, recordItem, scripted, sessionItem, textPart } from '../support/scripted.ts'
import { tempDir } from '../support/temp.ts'

const query = (home: Home, sql: string): unknown[] => {
  const store = openReader(home.store)
  try {
    return store.sqlite.prepare(sql).all()
  } finally {
    store.close()
  }
}

/** Syncs once a script, each on top of the ones before it. */
async function syncAll(...scripts: { key: string; items: Item[] }[][]): Promise<Home> {
  const home = openHome(tempDir())
  const root = tempDir()
  for (const units of scripts) {
    const engine = engineOn(home, { scripted: root }, [scripted(units)])
    await engine.sync()
    await engine.close()
  }
  return home
}

const usage = (output: number) => ({
  inputTokens: 10,
  outputTokens: output,
  reasoningTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  cacheWriteLongTokens: null,
  costNanos: null,
})

describe('contributors of one row', () => {
  const subagent = (fields: object): Item => ({
    kind: 'subagent',
    sessionId: 's',
    subagent: {
      agentId: 'a',
      agentType: null,
      description: null,
      durationMs: null,
      totalTokens: null,
      pair: null,
      childNativeId: null,
      ...fields,
    },
  })
  const agent = (fields: object): Item => ({
    kind: 'workflow-agent',
    sessionId: 's',
    agent: {
      runId: 'r',
      agentId: 'w',
      agentType: null,
      description: null,
      phase: null,
      label: null,
      model: null,
      state: null,
      durationMs: null,
      tokens: null,
      toolCalls: null,
      childNativeId: null,
      ...fields,
    },
  })
  const workflow = (fields: object): Item => ({
    kind: 'workflow',
    sessionId: 's',
    workflow: {
      runId: 'r',
      taskId: null,
      pair: null,
      name: null,
      status: null,
      timeMs: null,
      durationMs: null,
      totalTokens: null,
      script: null,
      result: undefined,
      ...fields,
    },
  })
  const items: Item[] = [
    sessionItem('s', { title: { text: 'by the source', origin: 'SOURCE' } }),
    sessionItem('s', { title: { text: 'by a side file', origin: 'SIDE_FILE' }, createdAt: null }),
    subagent({ agentType: 'general' }),
    subagent({ description: 'look around', totalTokens: 5 }),
    agent({ phase: 'one', tokens: 7 }),
    agent({ agentType: 'explore', childNativeId: 'c' }),
    workflow({ name: 'survey', result: { ok: true } }),
    workflow({ status: 'done' }),
    messageItem('s', 'm1', { role: 'USER' }),
    { kind: 'turn-duration', sessionId: 's', messageId: 'm1', durationMs: 4200 },
    { kind: 'message-title', sessionId: 'elsewhere', messageId: 'm2', partId: null, title: 'never shown' },
    messageItem('s', 'm2'),
  ]
  const facts = [
    'select title, message_count from sessions order by native_id',
    'select agent_id, agent_type, description, total_tokens from subagents',
    'select agent_id, agent_type, phase, tokens, child_native_id from workflow_agents',
    'select run_id, name, status, result from workflows',
    'select native_id, turn_duration_ms from messages order by native_id',
  ]

  it('make the same rows in any order, in one run or in several', async () => {
    const expected = [
      [{ title: 'by the source', message_count: 2 }],
      [{ agent_id: 'a', agent_type: 'general', description: 'look around', total_tokens: 5 }],
      [{ agent_id: 'w', agent_type: 'explore', phase: 'one', tokens: 7, child_native_id: 'c' }],
      [{ run_id: 'r', name: 'survey', status: 'done', result: '{"ok":true}' }],
      [
        { native_id: 'm1', turn_duration_ms: 4200 },
        { native_id: 'm2', turn_duration_ms: null },
      ],
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(items, { minLength: items.length }),
        fc.nat(items.length),
        async (shuffled, cut) => {
          const home = await syncAll(
            [{ key: 'u1', items: shuffled.slice(0, cut) }],
            [{ key: 'u2', items: shuffled.slice(cut) }],
          )
          expect(facts.map((sql) => query(home, sql))).toEqual(expected)
        },
      ),
      { numRuns: 15 },
    )
  })
})

describe('titles from side files', () => {
  it('find the session that has the message, whichever comes first', async () => {
    const title: Item = {
      kind: 'message-title',
      sessionId: 'other',
      messageId: 'm1',
      partId: null,
      title: 'From elsewhere',
    }
    const session = [sessionItem('s'), messageItem('s', 'm1')]
    for (const scripts of [
      [[{ key: 'a', items: [title] }], [{ key: 'b', items: session }]],
      [[{ key: 'b', items: session }], [{ key: 'a', items: [title] }]],
    ])
      expect(query(await syncAll(...scripts), 'select native_id, title from sessions')).toEqual([
        { native_id: 's', title: 'From elsewhere' },
      ])
  })
})

describe('messages with an id that sessions share', () => {
  const copyOf = (session: string, at: number, origin: string | null, output = 9): Item[] => [
    sessionItem(session, { createdAt: { ms: at, origin: 'RECORDED' } }),
    messageItem(session, 'm1', {
      time: { ms: at, origin: 'RECORDED' },
      copy: { key: 'msg_1', rule: 'shared-id', origin },
      usage: usage(output),
      isResponse: true,
    }),
  ]
  const billed = (home: Home) =>
    query(
      home,
      `select s.native_id as id, m.is_inherited as inherited, s.inherited_message_count as count, s.total_tokens as tokens,
      (select p.native_id from sessions p where p.id = s.parent_id) as parent
      from sessions s join messages m on m.session_id = s.id order by 1`,
    )

  it('are billed once, at the session that copies name, in any order of import', async () => {
    const units = [
      { key: 'a', items: copyOf('a', 1_790_000_000_000, 'c') },
      { key: 'b', items: copyOf('b', 1_790_000_100_000, 'c') },
      { key: 'c', items: copyOf('c', 1_790_000_200_000, null) },
    ]
    const expected = [
      { id: 'a', inherited: 1, count: 1, tokens: null, parent: 'c' },
      { id: 'b', inherited: 1, count: 1, tokens: null, parent: 'c' },
      { id: 'c', inherited: 0, count: 0, tokens: 19, parent: null },
    ]
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(units, { minLength: 3 }), async (shuffled) => {
        expect(billed(await syncAll(...shuffled.map((unit) => [unit])))).toEqual(expected)
      }),
      { numRuns: 6 },
    )
  })

  it('are billed at the earliest where nobody names an origin', async () => {
    const units = [
      { key: 'late', items: copyOf('late', 1_790_000_100_000, null) },
      { key: 'early', items: copyOf('early', 1_790_000_000_000, null) },
    ]
    for (const order of [units, units.toReversed()])
      expect(billed(await syncAll(...order.map((unit) => [unit])))).toEqual([
        { id: 'early', inherited: 0, count: 0, tokens: 19, parent: null },
        { id: 'late', inherited: 1, count: 1, tokens: null, parent: 'early' },
      ])
  })

  it('bill where they stand while no original is stored', async () => {
    const home = await syncAll([{ key: 'a', items: copyOf('a', 1_790_000_000_000, 'gone') }])
    expect(billed(home)).toEqual([{ id: 'a', inherited: 1, count: 1, tokens: 19, parent: null }])
  })
})

describe('a rewritten file', () => {
  it('keeps what it no longer has, off the active path, with its records, under another epoch', async () => {
    const first = [
      sessionItem('s'),
      recordItem('s', 0, 'one'),
      messageItem('s', 'm1', { records: [0] }),
      recordItem('s', 1, 'two'),
      messageItem('s', 'm2', { records: [1] }),
    ]
    const second: Item[] = [
      { kind: 'new-generation', sessionId: 's' },
      sessionItem('s'),
      recordItem('s', 0, 'two, rewritten'),
      messageItem('s', 'm2', { records: [0] }),
    ]
    const home = openHome(tempDir())
    const root = tempDir()
    const epochs: unknown[] = []
    for (const items of [first, second]) {
      const engine = engineOn(home, { scripted: root }, [scripted([{ key: 'u', items }])])
      await engine.sync()
      await engine.close()
      epochs.push(...query(home, 'select epoch from sessions'))
    }
    expect(query(home, 'select native_id, is_removed from messages order by 1')).toEqual([
      { native_id: 'm1', is_removed: 1 },
      { native_id: 'm2', is_removed: 0 },
    ])
    expect(query(home, 'select generation, record_count from streams order by 1')).toEqual([
      { generation: 0, record_count: 2 },
      { generation: 1, record_count: 1 },
    ])
    expect(epochs[0]).not.toEqual(epochs[1])
    expect(
      query(home, 'select seq from journal where seq >= 0 order by seq').map((row) => Reflect.get(Object(row), 'seq')),
    ).toEqual([0, 1])
  })
})

describe('branches', () => {
  it('that were left behind are off the active path until the person comes back', async () => {
    const messages = ['m1', 'm2', 'm3'].map((id) => messageItem('s', id))
    const offPath = (...ids: string[]): Item => ({ kind: 'off-path', sessionId: 's', messageIds: new Set(ids) })
    const paths = 'select is_on_active_path as isOn from messages order by native_id'
    const home = await syncAll([{ key: 'u', items: [sessionItem('s'), ...messages, offPath('m2')] }])
    expect(query(home, paths)).toEqual([{ isOn: 1 }, { isOn: 0 }, { isOn: 1 }])
    const back = await syncAll(
      [{ key: 'u', items: [sessionItem('s'), ...messages, offPath('m2')] }],
      [{ key: 'u', items: [sessionItem('s'), ...messages, offPath('m3')] }],
    )
    expect(query(back, paths)).toEqual([{ isOn: 1 }, { isOn: 1 }, { isOn: 0 }])
  })
})

describe('retracting a session', () => {
  it('takes out what was taken in, and does nothing for an unknown one', async () => {
    const gone: Item = { kind: 'delete-session', sessionId: 's' }
    const items = [
      sessionItem('s'),
      recordItem('s', 0, 'secret'),
      messageItem('s', 'm1', { records: [0] }),
      textPart('s', 'm1', 'secret'),
    ]
    const home = await syncAll(
      [{ key: 'u', items }],
      [{ key: 'u', items: [gone, { kind: 'delete-session', sessionId: 'unknown' }] }],
    )
    for (const table of ['sessions', 'messages', 'parts', 'records', 'blocks', 'tail'])
      expect([table, query(home, `select * from ${table}`)]).toEqual([table, []])
  })
})
