import { describe, expect, it } from 'vitest'
import { NOON } from '../support/seed.ts'
import { type SeededApi, seededApi } from '../support/seeded-api.ts'

/** How SQLite runs the statement that read the page. The log shows it with its values, so that it can be explained as it is. */
function planOf(t: SeededApi, table: string): string[] {
  const statement = t.statements.find((sql) => sql.startsWith('select 0,') && sql.includes(` from ${table} `))
  if (statement === undefined) throw new Error(`No page was read from ${table}: ${t.statements.join('\n')}`)
  const plan = t.seed.store.sqlite.prepare<[], { detail: string }>(`explain query plan ${statement}`).all()
  return plan.map(({ detail }) => detail)
}

function seeded(): SeededApi {
  const t = seededApi()
  const parent = t.seed.session('a', { totalTokens: 1, costNanos: 1, title: 'x' })
  for (let i = 0; i < 5; i++) {
    t.seed.session(`ses-${i}`, { parentId: parent, totalTokens: i, costNanos: i, title: `x${i}` })
    t.seed.project(`/p${i}`)
    t.seed.run()
    t.seed.problem(`file:${i}`, { lastSeenAt: NOON + i })
    const message = t.seed.message(parent, `m${i}`)
    t.seed.toolCall(parent, message)
    for (let j = 1; j < 5; j++) t.seed.text(parent, message, 'text', j)
  }
  return t
}

const ORDERS = ['UPDATED_AT', 'CREATED_AT', 'LAST_ACTIVITY_AT', 'MESSAGE_COUNT', 'TOTAL_TOKENS', 'COST', 'TITLE']

describe('a page, however deep it lies,', () => {
  it.each(ORDERS.flatMap((field) => ['ASC', 'DESC'].map((direction) => [field, direction] as const)))(
    'of sessions by %s %s comes from an index, without sorting',
    async (field, direction) => {
      const t = seeded()
      const page = (after: string) =>
        `{ sessions(first: 2${after}, orderBy: { field: ${field}, direction: ${direction} }) { pageInfo { endCursor } } }`
      const first = await t.ask(page(''))
      await t.ask(page(`, after: "${first.sessions.pageInfo.endCursor}"`))
      expect(planOf(t, 'sessions')).toEqual([expect.stringMatching(/^SEARCH t USING INDEX sessions_by_/)])
    },
  )

  it.each([
    ['projects', 'projects', 'projects', /^SEARCH t USING INDEX projects_by_activity/],
    ['problems', 'problems', 'problems', /^SEARCH t USING INDEX problems_by_seen/],
    ['syncRuns', 'syncRuns', 'sync_runs', /^SEARCH t USING INTEGER PRIMARY KEY/],
  ])('of %s comes from an index, without sorting', async (_, field, table, expected) => {
    const t = seeded()
    const first = await t.ask(`{ list: ${field}(first: 2) { pageInfo { endCursor } } }`)
    await t.ask(`{ list: ${field}(first: 2, after: "${first.list.pageInfo.endCursor}") { nodes { id } } }`)
    expect(planOf(t, table)).toEqual([expect.stringMatching(expected)])
  })

  it.each([
    ['messages', 'messages', [/^SEARCH t USING INDEX messages_in_order \(session_id=\? AND order_key>\?\)/]],
    [
      'toolCalls',
      'messages',
      [
        /^SEARCH m USING .*INDEX messages_in_order \(session_id=\? AND order_key>\?\)/,
        /^SEARCH t USING INDEX parts_calls/,
      ],
    ],
  ])('of %s of a session comes from an index, without sorting', async (field, table, expected) => {
    const t = seeded()
    const page = (args: string, fields: string) =>
      `{ session(source: "opencode", nativeId: "a") { list: ${field}(first: 2${args}) { ${fields} } } }`
    const first = await t.ask(page('', 'pageInfo { endCursor }'))
    await t.ask(page(`, after: "${first.session.list.pageInfo.endCursor}"`, 'nodes { id }'))
    expect(planOf(t, table)).toEqual(expected.map((pattern) => expect.stringMatching(pattern)))
  })
})
