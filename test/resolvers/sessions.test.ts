import { describe, expect, it } from 'vitest'
import { NOON } from '../support/seed.ts'
import { seededApi } from '../support/seeded-api.ts'

const idsOf = (data: { sessions: { nodes: { nativeId: string }[] } }): string[] =>
  data.sessions.nodes.map(({ nativeId }) => nativeId)

describe('sessions', () => {
  it('leave out what no person started, unless it is asked for', async () => {
    const t = seededApi()
    const parent = t.seed.session('main')
    t.seed.session('sub', { kind: 'SUBAGENT', parentId: parent })
    t.seed.session('fork', { parentId: parent, relation: 'FORK' })
    const list = async (filter: string) =>
      idsOf(await t.ask(`{ sessions(filter: ${filter}) { nodes { nativeId } } }`)).sort()
    const id = (await t.ask('{ session(source: "opencode", nativeId: "main") { id } }')).session.id
    expect(await list('null')).toEqual(['fork', 'main'])
    expect(await list('{ includeChildren: true }')).toEqual(['fork', 'main', 'sub'])
    expect(await list('{ kinds: [SUBAGENT] }')).toEqual(['sub'])
    expect(await list(`{ parent: "${id}" }`)).toEqual(['fork', 'sub'])
    expect(await list(`{ parent: "${id}", includeChildren: false }`)).toEqual(['fork'])
  })

  it('are found by part of their title or native id, in any case and any script', async () => {
    const t = seededApi()
    t.seed.session('ses_ABC', { title: 'Straße nach ÜBERALL' })
    t.seed.session('ses_xyz', { title: '100% of a_b' })
    const find = async (text: string) =>
      idsOf(await t.ask('query ($text: String) { sessions(filter: { text: $text }) { nodes { nativeId } } }', { text }))
    expect(await find('überall')).toEqual(['ses_ABC'])
    expect(await find('STRASSE')).toEqual(['ses_ABC'])
    expect(await find('abc')).toEqual(['ses_ABC'])
    expect(await find('0% of A_')).toEqual(['ses_xyz'])
    expect(await find('0%b')).toEqual([])
    expect((await find('')).length).toBe(2)
  })

  it('are told by agent without mistaking one name for the beginning of another', async () => {
    const t = seededApi()
    t.seed.session('plain', { agent: 'opencode' })
    t.seed.session('kind', { agent: 'opencode/general', kind: 'SUBAGENT' })
    t.seed.session('other', { agent: 'opencode-x' })
    const data = await t.ask(
      '{ sessions(filter: { agents: ["opencode"], includeChildren: true }) { nodes { nativeId } } }',
    )
    expect(idsOf(data).sort()).toEqual(['kind', 'plain'])
    const list = async (filter: string) =>
      idsOf(await t.ask(`{ sessions(filter: { ${filter} }) { nodes { nativeId } } }`)).sort()
    expect(await list('agents: ["opencode"]')).toEqual(['plain'])
    expect(await list('agents: ["opencode/general"]')).toEqual(['kind'])
    expect(await list('agents: ["opencode/general"], includeChildren: false')).toEqual([])
  })

  it('are filtered by everything that the filter has', async () => {
    const t = seededApi()
    const other = t.seed.source('codex')
    const projectId = t.seed.project('/work/demo', { pathKey: '/work/demo', repository: '/work/demo' })
    const worktree = t.seed.project('/work/tree', { repository: '/work/demo', isWorktree: true })
    const a = t.seed.session('a', {
      projectId,
      models: ['m1', 'm2'],
      isStarred: true,
      failedToolCallCount: 1,
      archivedAt: NOON,
    })
    t.seed.session('b', { projectId: worktree, sourceId: other, createdAt: NOON + 10, updatedAt: NOON + 20 })
    t.seed.store.sqlite.prepare("insert into tags values (?, 'x')").run(a)
    const list = async (filter: string) =>
      idsOf(await t.ask(`{ sessions(filter: { ${filter} }) { nodes { nativeId } } }`)).sort()
    expect(await list('sources: ["codex"]')).toEqual(['b'])
    expect(await list('sources: []')).toEqual([])
    expect(await list('projects: ["/work/demo/"]')).toEqual(['a'])
    expect(await list('projects: ["/work//demo"]')).toEqual(['a'])
    expect(await list('projects: ["\\\\work\\\\demo"]')).toEqual([])
    expect(await list('repositories: ["/work/demo/"]')).toEqual(['a', 'b'])
    expect(await list('models: ["m2", "m9"]')).toEqual(['a'])
    expect(await list('isStarred: true')).toEqual(['a'])
    expect(await list('isStarred: false')).toEqual(['b'])
    expect(await list('hasFailedToolCall: true')).toEqual(['a'])
    expect(await list('isArchived: false')).toEqual(['b'])
    expect(await list('tags: ["x"]')).toEqual(['a'])
    expect(await list('createdAfter: "2026-05-05T12:00:00.010Z"')).toEqual(['b'])
    expect(await list('createdBefore: "2026-05-05T14:00:00.010+02:00"')).toEqual(['a'])
    expect(await list('updatedAfter: "2026-05-05T12:00:00.020Z", updatedBefore: "2026-05-05T12:00:00.021Z"')).toEqual([
      'b',
    ])
    const { server } = await t.ask('{ server { origin { id } } }')
    expect(await list(`origins: ["${server.origin.id}"]`)).toEqual(['a', 'b'])
    expect(await t.codes('{ sessions(filter: { origins: ["zzz"] }) { totalCount } }')).toEqual(['BAD_USER_INPUT'])
  })

  it('count everything below them, even where parents form a circle', async () => {
    const t = seededApi()
    const a = t.seed.session('a')
    const b = t.seed.session('b', { parentId: a })
    t.seed.session('c', { parentId: b })
    t.seed.store.sqlite.prepare('update sessions set parent_id = ? where id = ?').run(b, a)
    const data = await t.ask(
      '{ sessions(orderBy: { field: CREATED_AT, direction: ASC }) { nodes { nativeId descendantCount } } }',
    )
    expect(data.sessions.nodes[1].descendantCount).toBeGreaterThanOrEqual(2)
  })

  it('show the newest prompt of the person, cut between characters', async () => {
    const t = seededApi()
    const session = t.seed.session('a')
    const first = t.seed.message(session, 'm1')
    t.seed.text(session, first, 'The first prompt')
    const second = t.seed.message(session, 'm2')
    t.seed.text(session, second, 'Family 👨‍👩‍👧 and more')
    const answer = t.seed.message(session, 'm3', { role: 'ASSISTANT' })
    t.seed.text(session, answer, 'An answer')
    const { sessions } = await t.ask(
      '{ sessions { nodes { lastPrompt short: lastPrompt(maxChars: 9) whole: lastPrompt(maxChars: null) } } }',
    )
    expect(sessions.nodes[0]).toEqual({
      lastPrompt: 'Family 👨‍👩‍👧 and more',
      short: 'Family ',
      whole: 'Family 👨‍👩‍👧 and more',
    })
    expect(await t.codes('{ sessions { nodes { lastPrompt(maxChars: -1) } } }')).toEqual(['BAD_USER_INPUT'])
  })

  it('sum usage by what is known, and say what has no price', async () => {
    const t = seededApi()
    const session = t.seed.session('a', { projectId: t.seed.project('/p') })
    const [m1, m2] = [t.seed.name('m1'), t.seed.name('m2')]
    const add =
      t.seed.store.sqlite.prepare(`insert into usage_quarters (quarter, session_id, model_id, tier, is_inherited, input_tokens, output_tokens, cost_nanos,
      responses, responses_without_usage, responses_without_cost) values (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)`)
    add.run(1, session, m1, 0, 10, null, 500, 1, 0, 0)
    add.run(2, session, m2, 0, 5, 7, null, 2, 1, 1)
    add.run(2, session, m1, 1, 100, null, 900, 1, 0, 0)
    const usage =
      'inputTokens outputTokens reasoningTokens totalTokens cost { nanos amount currency origin isComplete } responseCount responsesWithoutUsage unpricedModels'
    const data = await t.ask(
      `{ sessions { nodes { usage { ${usage} } inheritedUsage { ${usage} } project { usage { totalTokens } } } } }`,
    )
    const [node] = data.sessions.nodes
    expect(node.usage).toEqual({
      inputTokens: 15,
      outputTokens: 7,
      reasoningTokens: null,
      totalTokens: 22,
      cost: { nanos: 500, amount: 5e-7, currency: 'USD', origin: 'RECORDED', isComplete: false },
      responseCount: 3,
      responsesWithoutUsage: 1,
      unpricedModels: ['m2'],
    })
    expect(node.inheritedUsage).toMatchObject({ totalTokens: 100, cost: { isComplete: true }, unpricedModels: [] })
    expect(node.project.usage.totalTokens).toBe(22)
  })

  it('without any usage say unknown, not nothing', async () => {
    const t = seededApi()
    t.seed.session('a')
    const { sessions } = await t.ask(
      '{ sessions { nodes { usage { inputTokens totalTokens cost { nanos } responseCount } } } }',
    )
    expect(sessions.nodes[0].usage).toEqual({ inputTokens: null, totalTokens: null, cost: null, responseCount: 0 })
  })
})
