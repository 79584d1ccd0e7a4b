import { describe, expect, it } from 'vitest'
import { NOON } from '../support/seed.ts'
import { type Answer, type SeededApi, seededApi } from '../support/seeded-api.ts'

/**
 * Every list of the API, in every order, walked both ways with page sizes 1, 2, 7 and 100 over data with equal times and missing values
 * (design §12): the walks agree with each other and with totalCount, and each page knows whether it has neighbours.
 */

const FIELDS = ['UPDATED_AT', 'CREATED_AT', 'LAST_ACTIVITY_AT', 'MESSAGE_COUNT', 'TOTAL_TOKENS', 'COST', 'TITLE']
const COUNT = 17

function fill({ seed }: SeededApi): void {
  const projectId = seed.project('/work/demo')
  for (let i = 0; i < COUNT; i++) seed.project(`/work/${i}`, { lastActivityAt: NOON + (i % 3) })
  const [parent] = Array.from({ length: COUNT }, (_, i) =>
    seed.session(`ses-${String(i).padStart(2, '0')}`, {
      projectId,
      updatedAt: NOON + (i % 3),
      createdAt: NOON + (i % 2),
      lastActivityAt: NOON,
      messageCount: i % 4,
      totalTokens: i % 3 === 0 ? null : i % 5,
      costNanos: i % 2 === 0 ? null : i % 3,
      title: i % 4 === 0 ? null : `Title ${i % 3}`,
    }),
  )
  const session = parent ?? 0
  for (let i = 0; i < COUNT; i++)
    seed.session(`child-${i}`, { kind: 'SUBAGENT', parentId: session, createdAt: NOON + (i % 2) })
  const typeId = seed.name('assistant')
  for (let i = 0; i < COUNT; i++) {
    const message = seed.message(session, `msg-${String(i).padStart(2, '0')}`, { orderKey: `key-${i >> 1}` })
    seed.toolCall(session, message)
    if (i === 0) for (let j = 1; j <= COUNT; j++) seed.text(session, message, `text ${j}`, j)
  }
  for (const key of ['a', 'b', 'c']) {
    seed.records(
      session,
      key,
      Array.from({ length: 5 }, () => ({ typeId, isMapped: true })),
    )
  }
  seed.store.sqlite
    .prepare(
      `insert into summaries (session_id, native_id, kind, time) select ?, value, 'compaction', case value % 3 when 0 then null else ? end
      from generate_series_of(?)`.replace('generate_series_of(?)', "json_each('[1,2,3,4,5,6,7,8,9]')"),
    )
    .run(session, NOON)
  const numbers = JSON.stringify(Array.from({ length: COUNT }, (_, i) => i))
  const { sqlite } = seed.store
  const each = 'from json_each(?)'
  sqlite.prepare(`insert into subagents (session_id, agent_id) select ?, value ${each}`).run(session, numbers)
  sqlite
    .prepare(`insert into workflows (session_id, run_id, time) select ?, value, nullif(value % 3, 0) ${each}`)
    .run(session, numbers)
  sqlite
    .prepare(
      `insert into workflow_agents (workflow_id, agent_id)
      select (select id from workflows where run_id = '1'), value ${each}`,
    )
    .run(numbers)
  const run = seed.run()
  for (let i = 0; i < COUNT; i++) seed.run({ status: 'COMPLETED' })
  for (let i = 0; i < COUNT; i++) {
    const problem = seed.problem(`file:${i}`, { lastSeenAt: NOON + (i % 3) })
    seed.store.sqlite.prepare('insert into run_problems values (?, ?)').run(run, problem)
  }
}

interface ListCase {
  readonly name: string
  readonly query: (args: string) => string
  readonly pick: (data: Answer) => Answer
}

const inSession = (field: string, entry = 'id', more = ''): ListCase => ({
  name: `Session.${field}`,
  query: (args) =>
    `query ($first: Int, $last: Int, $after: String, $before: String) { session(source: "opencode", nativeId: "ses-00") { list: ${field}(${args}${more}) { totalCount edges { cursor node { ${entry} } } nodes { ${entry} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
  pick: (data) => data.session.list,
})
const atTop = (field: string, more = '', name = field): ListCase => ({
  name,
  query: (args) =>
    `query ($first: Int, $last: Int, $after: String, $before: String) { list: ${field}(${args}${more}) { totalCount edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
  pick: (data) => data.list,
})

const orders = FIELDS.flatMap((field) =>
  ['ASC', 'DESC'].map((direction) => ({
    field,
    direction,
    text: `, orderBy: { field: ${field}, direction: ${direction} }`,
  })),
)
const LISTS: readonly ListCase[] = [
  ...orders.map(({ field, direction, text }) => atTop('sessions', text, `sessions by ${field} ${direction}`)),
  ...orders.map(({ field, direction, text }) => ({
    name: `Project.sessions by ${field} ${direction}`,
    query: (args: string) =>
      `query ($first: Int, $last: Int, $after: String, $before: String) { project(path: "/work/demo") { list: sessions(${args}${text}) { totalCount edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
    pick: (data: Answer) => data.project.list,
  })),
  atTop('sessions', ', filter: { includeChildren: true, text: "S" }', 'sessions with a filter'),
  atTop('projects'),
  atTop('syncRuns'),
  atTop('problems'),
  inSession('children'),
  inSession('messages'),
  inSession('messages', 'id', ', filter: { roles: [USER], conversationalOnly: true, activePathOnly: true }'),
  inSession('toolCalls'),
  inSession('summaries'),
  inSession('subagents'),
  inSession('workflows'),
  {
    name: 'Workflow.agents',
    query: (args) =>
      `query ($first: Int, $last: Int, $after: String, $before: String) { session(source: "opencode", nativeId: "ses-00") { workflows(first: 1) { nodes { list: agents(${args}) { totalCount edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } } }`,
    pick: (data) => data.session.workflows.nodes[0].list,
  },
  inSession('records'),
  inSession('records', 'id', ', types: ["assistant"], unmapped: false'),
  {
    name: 'Message.parts',
    query: (args) =>
      `query ($first: Int, $last: Int, $after: String, $before: String) { session(source: "opencode", nativeId: "ses-00") { messages(first: 1) { nodes { list: parts(${args}) { totalCount edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } } }`,
    pick: (data) => data.session.messages.nodes[0].list,
  },
  {
    name: 'SyncRun.problems',
    query: (args) =>
      `query ($first: Int, $last: Int, $after: String, $before: String) { node(id: "WTE") { ... on SyncRun { list: problems(${args}) { totalCount edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`,
    pick: (data) => data.node.list,
  },
]

const ARGS = 'first: $first, last: $last, after: $after, before: $before'

async function walk(t: SeededApi, { query, pick }: ListCase, size: number, isForward: boolean): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const variables: Record<string, unknown> = isForward
      ? { first: size, after: cursor }
      : { last: size, before: cursor }
    const list: Answer = pick(await t.ask(query(ARGS), variables))
    const ids: string[] = list.nodes.map(({ id }: { id: string }) => id)
    expect(list.edges.map(({ node }: Answer) => node.id)).toEqual(ids)
    expect(list.pageInfo.startCursor).toBe(list.edges[0]?.cursor ?? null)
    expect(list.pageInfo.endCursor).toBe(list.edges.at(-1)?.cursor ?? null)
    expect(list.pageInfo[isForward ? 'hasPreviousPage' : 'hasNextPage']).toBe(cursor !== null)
    if (isForward) seen.push(...ids)
    else seen.unshift(...ids)
    expect(list.pageInfo[isForward ? 'hasNextPage' : 'hasPreviousPage']).toBe(seen.length < list.totalCount)
    cursor = seen.length < list.totalCount ? list.pageInfo[isForward ? 'endCursor' : 'startCursor'] : null
  } while (cursor !== null)
  return seen
}

describe('a list of the API', () => {
  it.each(LISTS)('is walked the same both ways with every page size: $name', async (list) => {
    const t = seededApi()
    fill(t)
    const whole = await walk(t, list, 100, true)
    expect(whole.length).toBeGreaterThan(8)
    expect(new Set(whole).size).toBe(whole.length)
    for (const size of [1, 2, 7, 100]) {
      expect(await walk(t, list, size, true)).toEqual(whole)
      expect(await walk(t, list, size, false)).toEqual(whole)
    }
  })

  it('refuses a cursor of another order, filter, list or parent', async () => {
    const t = seededApi()
    fill(t)
    const cursorOf = async (query: string) =>
      (await t.ask(`{ list: ${query} { pageInfo { endCursor } } }`)).list.pageInfo.endCursor
    const plain = await cursorOf('sessions(first: 2)')
    const filtered = await cursorOf('sessions(first: 2, filter: { text: "s" })')
    const ordered = await cursorOf('sessions(first: 2, orderBy: { field: TITLE })')
    const projects = await cursorOf('projects(first: 2)')
    for (const cursor of [filtered, ordered, projects, 'nonsense', Buffer.from('[1').toString('base64url')]) {
      expect(await t.codes(`{ sessions(after: "${cursor}") { nodes { id } } }`)).toEqual(['BAD_CURSOR'])
    }
    expect(await t.codes(`{ sessions(after: "${plain}") { nodes { id } } }`)).toEqual([])
    expect(await t.codes(`{ sessions(after: "${plain}", filter: {}) { nodes { id } } }`)).toEqual([])
    const children = `{ sessions(filter: { includeChildren: true }, last: 2) { nodes { children(after: "${plain}") { nodes { id } } } } }`
    expect(await t.codes(children)).toEqual(['BAD_CURSOR'])
  })
})
