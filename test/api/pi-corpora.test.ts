import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { pi } from '../../src/adapters/pi/index.ts'
import { openHome } from '../../src/db/home.ts'
import { apiOn } from '../support/api.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'

/** Facts that were counted in the corpora by other means, and the answers of the API that must equal them. */
const Fact = z.object({
  file: z.string(),
  session_id: z.string(),
  header_timestamp: z.string(),
  header_cwd: z.string(),
  last_timestamp: z.string(),
  parent_session: z.string().nullable(),
  name: z.string().nullable(),
  user_messages: z.number(),
  assistant_messages: z.number(),
  tool_calls: z.number(),
  tool_results: z.number(),
  failed_results: z.number(),
  thinking_blocks: z.number(),
  images: z.number(),
  calls_without_result: z.array(z.string()),
  active_path_messages: z.record(z.string(), z.number()).optional(),
  usage_sum: z.object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() }),
  cost_sum: z.number().optional(),
})
type Fact = z.infer<typeof Fact>

const Usage = z.object({
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  cacheReadTokens: z.number().nullable(),
  cacheWriteTokens: z.number().nullable(),
  cost: z.object({ amount: z.number() }).nullable(),
})
const Session = z.object({
  nativeId: z.string(),
  title: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  project: z.object({ path: z.string() }).nullable(),
  parent: z.object({ nativeId: z.string() }).nullable(),
  relation: z.string().nullable(),
  toolCallCount: z.number(),
  failedToolCallCount: z.number(),
  usage: Usage,
  inheritedUsage: Usage,
  messages: z.object({
    nodes: z.array(
      z.object({
        role: z.string(),
        isOnActivePath: z.boolean(),
        records: z.array(z.object({ type: z.string() })),
        parts: z.object({
          nodes: z.array(z.object({ kind: z.string(), isFailure: z.boolean().nullable().optional() })),
        }),
      }),
    ),
  }),
})
type Session = z.infer<typeof Session>

const SESSIONS = `{ sessions(first: 100, filter: { includeChildren: true }) { nodes {
  nativeId title createdAt updatedAt project { path } parent { nativeId } relation toolCallCount failedToolCallCount
  usage { ...u } inheritedUsage { ...u }
  messages(first: 40) { nodes { role isOnActivePath records { type } parts(first: 20) { nodes { kind ... on ToolResultPart { isFailure } } } } }
} } }
fragment u on Usage { inputTokens outputTokens cacheReadTokens cacheWriteTokens cost { amount } }`

const VERSIONS = ['0.13.2', '0.73.1', '1.6.0']
const corpora = process.env['WEIR_CORPORA']
const base = join(corpora ?? '', 'pi')
const isThere = corpora !== undefined && existsSync(base)
if (!isThere) console.log('WEIR_CORPORA names no sessions of pi: the walk over them is skipped.')

describe.skipIf(!isThere)('what the API says of real pi sessions', () => {
  it.each(VERSIONS)('equals what was counted in %s', async (version) => {
    const manifest: unknown = JSON.parse(readFileSync(join(base, version, 'MANIFEST.json'), 'utf8'))
    const facts = z
      .object({ sessions: z.array(Fact) })
      .parse(manifest)
      .sessions.filter(({ file }) => file.includes('/.pi/agent/'))
    const home = openHome(tempDir())
    await engineOn(home, { pi: join(base, version, 'home/.pi/agent') }, [pi]).sync()
    const { sessions } = z
      .object({ sessions: z.object({ nodes: z.array(Session) }) })
      .parse(await apiOn(home).ask(SESSIONS))
    expect(sessions.nodes.map(({ nativeId }) => nativeId).sort()).toEqual(facts.map((fact) => fact.session_id).sort())
    for (const session of sessions.nodes) {
      const fact = facts.find(({ session_id }) => session_id === session.nativeId)
      if (fact !== undefined) expect(answered(session, fact)).toEqual(counted(fact))
    }
  })
})

const idOf = (path: string | null): string | null => (path === null ? null : (/_([^_]+)\.jsonl$/.exec(path)?.[1] ?? ''))

const counted = (fact: Fact) => ({
  title: fact.name,
  createdAt: fact.header_timestamp,
  project: fact.header_cwd,
  parent: idOf(fact.parent_session),
  relation: fact.parent_session === null ? null : 'FORK',
  users: fact.user_messages,
  assistants: fact.assistant_messages,
  calls: fact.tool_calls,
  failedCalls: fact.failed_results,
  results: fact.tool_results,
  failures: fact.failed_results,
  reasoning: fact.thinking_blocks,
  images: fact.images,
  active: fact.active_path_messages ?? null,
  tokens: [fact.usage_sum.input, fact.usage_sum.output, fact.usage_sum.cacheRead, fact.usage_sum.cacheWrite],
  cost: fact.cost_sum?.toFixed(9),
  updatedAt: fact.last_timestamp,
})

function answered(session: Session, fact: Fact) {
  const messages = session.messages.nodes
  const parts = messages.flatMap((message) => message.parts.nodes)
  const role = (name: string) => messages.filter((message) => message.role === name).length
  const kind = (name: string) => parts.filter((part) => part.kind === name)
  const { usage, inheritedUsage: inherited } = session
  const tokens = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const
  const isLastMessage = lastType(fact) === 'message'
  return {
    title: session.title,
    createdAt: session.createdAt,
    project: session.project?.path,
    parent: session.parent?.nativeId ?? null,
    relation: session.relation,
    users: role('USER'),
    assistants: role('ASSISTANT'),
    calls: session.toolCallCount,
    failedCalls: session.failedToolCallCount,
    results: kind('TOOL_RESULT').length,
    failures: kind('TOOL_RESULT').filter(({ isFailure }) => isFailure === true).length,
    reasoning: kind('REASONING').length,
    images: kind('FILE').length,
    active: fact.active_path_messages === undefined ? null : activeRoles(session),
    tokens: tokens.map((bucket) => (usage[bucket] ?? 0) + (inherited[bucket] ?? 0)),
    cost:
      fact.cost_sum === undefined ? undefined : ((usage.cost?.amount ?? 0) + (inherited.cost?.amount ?? 0)).toFixed(9),
    updatedAt: isLastMessage ? session.updatedAt : fact.last_timestamp,
  }
}

function activeRoles({ messages }: Session): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const message of messages.nodes) {
    const [group, role] = message.records[0]?.type.split('/') ?? []
    if (group === 'message' && role !== undefined && message.isOnActivePath) counts[role] = (counts[role] ?? 0) + 1
  }
  return counts
}

function lastType({ file }: Fact): string {
  const path = VERSIONS.map((version) => join(base, version, file)).find((found) => existsSync(found))
  const line: unknown = JSON.parse(
    readFileSync(path ?? '', 'utf8')
      .trimEnd()
      .split('\n')
      .at(-1) ?? '{}',
  )
  return z.object({ type: z.string() }).parse(line).type
}
