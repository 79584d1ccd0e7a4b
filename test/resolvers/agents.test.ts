import { describe, expect, it } from 'vitest'
import * as tables from '../../src/db/schema.ts'
import { NOON } from '../support/seed.ts'
import { type SeededApi, seededApi } from '../support/seeded-api.ts'

/** Sessions with a sub-agent and a workflow run of some agents each. */
function fill({ seed }: SeededApi, sessions: number, agents: number): void {
  const { orm } = seed.store
  for (let i = 0; i < sessions; i++) {
    const sessionId = seed.session(`ses-${i}`)
    const message = seed.message(sessionId, 'msg', { role: 'ASSISTANT' })
    for (const [ordinal, pair] of ['task', 'flow', 'other'].entries())
      seed.toolCall(sessionId, message, { ordinal, pair, nativeId: `${pair}-${i}` })
    const child = { kind: 'SUBAGENT', parentId: sessionId } as const
    seed.session(`ses-${i}/a1`, { ...child, parentPair: 'task' })
    seed.session(`ses-${i}/w0`, child)
    orm
      .insert(tables.subagents)
      .values([
        { sessionId, agentId: 'a2' },
        {
          sessionId,
          agentId: 'a1',
          agentType: 'scout',
          description: 'look around',
          durationMs: 12,
          totalTokens: 5_000_000_000,
          pair: 'task',
          childNativeId: `ses-${i}/a1`,
        },
      ])
      .run()
    const run = { taskId: 't', pair: 'flow', name: 'deploy', status: 'done', durationMs: 3, totalTokens: 7 }
    const { lastInsertRowid } = orm
      .insert(tables.workflows)
      .values({ sessionId, runId: 'r1', time: NOON, script: 'go()', result: { ok: ['\ud800'] }, ...run })
      .run()
    orm
      .insert(tables.workflows)
      .values([
        { sessionId, runId: 'r0' },
        { sessionId, runId: 'r2', time: NOON - 1 },
      ])
      .run()
    for (let j = 0; j < agents; j++)
      orm
        .insert(tables.workflowAgents)
        .values({
          workflowId: Number(lastInsertRowid),
          agentId: `w${j}`,
          agentType: 'worker',
          description: 'work',
          phase: 'one',
          label: `number ${j}`,
          model: 'm',
          state: 'completed',
          durationMs: 4,
          tokens: 6,
          toolCalls: 2,
          childNativeId: `ses-${i}/w${j}`,
        })
        .run()
  }
}

const ALL = `query ($n: Int!, $a: Int!) { sessions(first: $n, filter: { kinds: [MAIN] }) { nodes { nativeId
  toolCalls(first: 9) { nodes { id child { nativeId } } }
  subagents(first: 5) { totalCount nodes { id agentId agentType description durationMs totalTokens call { id } session { nativeId } } }
  workflows(first: 5) { totalCount nodes { id session { nativeId } runId taskId call { id } name status timestamp durationMs totalTokens script result agentCount
    agents(first: $a) { totalCount nodes { id workflow { id } agentId agentType description phase label model state durationMs tokens toolCalls session { nativeId } } } } } } } }`

describe('agents of a session', () => {
  it('sub-agents stand with the call that started them and the session of their transcript', async () => {
    const t = seededApi()
    fill(t, 1, 0)
    const { sessions } = await t.ask(ALL, { n: 1, a: 1 })
    const [{ subagents, toolCalls }] = sessions.nodes
    const [task] = toolCalls.nodes
    expect(subagents.totalCount).toBe(2)
    expect(subagents.nodes.map(({ id: _, ...rest }: { id: string }) => rest)).toEqual([
      {
        agentId: 'a1',
        agentType: 'scout',
        description: 'look around',
        durationMs: 12,
        totalTokens: 5_000_000_000,
        call: { id: task.id },
        session: { nativeId: 'ses-0/a1' },
      },
      {
        agentId: 'a2',
        agentType: null,
        description: null,
        durationMs: null,
        totalTokens: null,
        call: null,
        session: null,
      },
    ])
  })

  it('workflow runs stand oldest first with their agents, counted when read', async () => {
    const t = seededApi()
    fill(t, 1, 3)
    const { sessions } = await t.ask(ALL, { n: 1, a: 1 })
    const [{ workflows, toolCalls }] = sessions.nodes
    expect(workflows.nodes.map(({ runId }: { runId: string }) => runId)).toEqual(['r2', 'r1', 'r0'])
    const { id, agents, ...run } = workflows.nodes[1]
    expect(run).toEqual({
      session: { nativeId: 'ses-0' },
      runId: 'r1',
      taskId: 't',
      call: { id: toolCalls.nodes[1].id },
      name: 'deploy',
      status: 'done',
      timestamp: new Date(NOON).toISOString(),
      durationMs: 3,
      totalTokens: 7,
      script: 'go()',
      result: { ok: ['\ufffd'] },
      agentCount: 3,
    })
    expect(agents.totalCount).toBe(3)
    expect(agents.nodes).toMatchObject([
      {
        workflow: { id },
        agentId: 'w0',
        agentType: 'worker',
        description: 'work',
        phase: 'one',
        label: 'number 0',
        model: 'm',
        state: 'completed',
        durationMs: 4,
        tokens: 6,
        toolCalls: 2,
        session: { nativeId: 'ses-0/w0' },
      },
    ])
  })

  it('a call has as child the session that names the call, when the call names none itself', async () => {
    const t = seededApi()
    fill(t, 2, 0)
    const { sessions } = await t.ask(ALL, { n: 9, a: 1 })
    for (const { nativeId, toolCalls } of sessions.nodes)
      expect(toolCalls.nodes.map(({ child }: { child: unknown }) => child)).toEqual([
        { nativeId: `${nativeId}/a1` },
        null,
        null,
      ])
  })

  it('take no more statements for many sessions than for few', async () => {
    const t = seededApi()
    fill(t, 12, 6)
    await t.ask(ALL, { n: 2, a: 2 })
    const few = t.statements.length
    await t.ask(ALL, { n: 12, a: 6 })
    expect(t.statements.length).toBeLessThanOrEqual(few)
  })
})

describe('a source', () => {
  it('says after how many days its agent deletes sessions, where that is known', async () => {
    const t = seededApi()
    t.seed.source('forgetful')
    t.seed.store.sqlite.prepare("update sources set retention_days = 30 where name = 'forgetful'").run()
    expect(await t.ask('{ sources { retentionDays } }')).toEqual({
      sources: [{ retentionDays: 30 }, { retentionDays: null }],
    })
  })
})
