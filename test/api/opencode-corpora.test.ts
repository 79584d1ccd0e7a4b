import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openHome } from '../../src/db/home.ts'
import { asNumber, at } from '../../src/model/json.ts'
import { apiOn } from '../support/api.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'

/** Facts that were counted in the corpora by other means, and the answers of the API that must equal them. */
const Tokens = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
})
const Fact = z.object({
  id: z.string(),
  title: z.string().nullable(),
  parentID: z.string().nullable(),
  directory: z.string(),
  clientVersion: z.string(),
  userMessages: z.number(),
  assistantMessages: z.number(),
  toolCalls: z.number(),
  toolResults: z.object({ completed: z.number(), error: z.number(), unfinished: z.number() }),
  reasoningParts: z.number(),
  fileParts: z.number(),
  tokens: Tokens,
  cost: z.number(),
  sessionCreated: z.number(),
  firstMessageTime: z.number().nullable(),
  lastMessageTime: z.number().nullable(),
})
const Manifest = z.object({ sources: z.array(z.object({ path: z.string(), sessions: z.array(Fact) })) })

const Usage = z.object({
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  reasoningTokens: z.number().nullable(),
  cacheReadTokens: z.number().nullable(),
  cacheWriteTokens: z.number().nullable(),
  cost: z.object({ amount: z.number() }).nullable(),
})
const Session = z.object({
  id: z.string(),
  nativeId: z.string(),
  title: z.string().nullable(),
  parentNativeId: z.string().nullable(),
  project: z.object({ path: z.string() }).nullable(),
  createdAt: z.string(),
  toolCallCount: z.number(),
  failedToolCallCount: z.number(),
  usage: Usage,
  inheritedUsage: Usage,
})
const Message = z.object({
  role: z.string(),
  timestamp: z.string(),
  raw: z.unknown(),
  usage: Usage.omit({ cost: true }).nullable(),
  parts: z.object({
    nodes: z.array(z.object({ kind: z.string(), result: z.object({ id: z.string() }).nullable().optional() })),
  }),
})

const SESSIONS = `query ($after: String) {
  sessions(first: 100, after: $after, filter: { includeChildren: true }) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id nativeId title parentNativeId project { path } createdAt toolCallCount failedToolCallCount
      usage { ...u cost { amount } } inheritedUsage { ...u cost { amount } }
    }
  }
}
fragment u on Usage { inputTokens outputTokens reasoningTokens cacheReadTokens cacheWriteTokens }`
const MESSAGES = `query ($id: ID!, $after: String) {
  node(id: $id) { ... on Session { messages(first: 50, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { role timestamp raw usage { ...u } parts(first: 100) { nodes { kind ... on ToolCallPart { result { id } } } } }
  } } }
}
fragment u on Usage { inputTokens outputTokens reasoningTokens cacheReadTokens cacheWriteTokens }`

const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() })

async function pages<T>(fetch: (after: string | null) => Promise<{ nodes: T[]; pageInfo: z.infer<typeof PageInfo> }>) {
  const all: T[] = []
  for (let after: string | null = null; ; ) {
    const page = await fetch(after)
    all.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return all
    after = page.pageInfo.endCursor
  }
}

const corpora = process.env['WEIR_CORPORA']
const versions = ['1.1.65', '1.2.27', '1.18.33', '1.1.65-migrated-by-1.2.27-then-1.18.33']
if (corpora === undefined) console.log('WEIR_CORPORA is not set: the walk over real opencode sessions is skipped.')

describe.skipIf(corpora === undefined)('what the API says of real opencode sessions', () => {
  const homes = versions.flatMap((version) => {
    const directory = join(corpora ?? '', 'opencode', version)
    const { sources } = Manifest.parse(JSON.parse(readFileSync(join(directory, 'MANIFEST.json'), 'utf8')))
    const main = sources.filter(({ path }) => !path.startsWith('as-found'))
    const asFound = sources.filter(({ path }) => path.startsWith('as-found'))
    return [
      { name: version, root: directory, sources: main },
      ...(existsSync(join(directory, 'as-found'))
        ? [{ name: `${version}/as-found`, root: join(directory, 'as-found'), sources: asFound }]
        : []),
    ]
  })

  it.each(homes)('equals what was counted in $name', async ({ root, sources }) => {
    const facts = sources.flatMap(({ sessions }) => sessions)
    expect(facts.length).toBeGreaterThan(0)
    const home = openHome(tempDir())
    const engine = engineOn(home, { opencode: root })
    await engine.sync()
    const api = apiOn(home)
    const sessions = await pages(async (after) => {
      const data = await api.ask(SESSIONS, { after })
      return z.object({ sessions: z.object({ nodes: z.array(Session), pageInfo: PageInfo }) }).parse(data).sessions
    })
    expect(sessions.map(({ nativeId }) => nativeId).sort()).toEqual(facts.map(({ id }) => id).sort())
    for (const session of sessions) {
      const fact = facts.find(({ id }) => id === session.nativeId)
      if (fact === undefined) throw new Error(`nothing is known of ${session.nativeId}`)
      const messages = await pages(async (after) => {
        const data = await api.ask(MESSAGES, { id: session.id, after })
        return z
          .object({ node: z.object({ messages: z.object({ nodes: z.array(Message), pageInfo: PageInfo }) }) })
          .parse(data).node.messages
      })
      compare(session, messages, fact)
    }
  })
})

function compare(
  session: z.infer<typeof Session>,
  messages: z.infer<typeof Message>[],
  fact: z.infer<typeof Fact>,
): void {
  const say = `${session.nativeId} (${fact.title})`
  const withRole = (role: string) => messages.filter((message) => message.role === role)
  const parts = (kind: string, of = messages) =>
    of.flatMap((message) => message.parts.nodes.filter((part) => part.kind === kind))
  const both = (bucket: keyof z.infer<typeof Tokens>) => {
    const name = (
      {
        input: 'inputTokens',
        output: 'outputTokens',
        reasoning: 'reasoningTokens',
        cacheRead: 'cacheReadTokens',
        cacheWrite: 'cacheWriteTokens',
      } as const
    )[bucket]
    return (session.usage[name] ?? 0) + (session.inheritedUsage[name] ?? 0)
  }
  // Up to 1.2.x the output that is stated has the reasoning in it.
  const outputHasReasoning = /^1\.[0-2]\./.test(fact.clientVersion)
  const spoken = [...withRole('USER'), ...withRole('ASSISTANT')]
  const times = spoken.map(({ timestamp }) => Date.parse(timestamp))
  // The last time that was counted is the end of the last answer; a message's timestamp is its beginning.
  const ends = spoken.flatMap(
    ({ raw }) => asNumber(at(raw, 'data', 'time', 'completed') ?? at(raw, 'time', 'completed')) ?? [],
  )
  expect(
    {
      title: fact.title === null ? null : session.title,
      parent: session.parentNativeId,
      directory: session.project?.path,
      user: withRole('USER').length,
      assistant: withRole('ASSISTANT').length,
      toolCalls: session.toolCallCount,
      toolResults: withRole('TOOL').length,
      unfinished: parts('TOOL_CALL').filter(({ result }) => result === null).length,
      reasoning: parts('REASONING').length,
      files: parts('FILE').length - parts('FILE', withRole('TOOL')).length,
      created: Date.parse(session.createdAt),
      first: times.length === 0 ? null : Math.min(...times),
      last: times.length === 0 ? null : Math.max(...times, ...ends),
      input: both('input'),
      output: both('output') + (outputHasReasoning ? both('reasoning') : 0),
      reasoningTokens: both('reasoning'),
      cacheRead: both('cacheRead'),
      cacheWrite: both('cacheWrite'),
    },
    say,
  ).toEqual({
    title: fact.title,
    parent: fact.parentID,
    directory: fact.directory,
    user: fact.userMessages,
    assistant: fact.assistantMessages,
    toolCalls: fact.toolCalls,
    toolResults: fact.toolResults.completed + fact.toolResults.error,
    unfinished: fact.toolResults.unfinished,
    reasoning: fact.reasoningParts,
    files: fact.fileParts,
    created: fact.sessionCreated,
    first: fact.firstMessageTime,
    last: fact.lastMessageTime,
    input: fact.tokens.input,
    output: fact.tokens.output,
    reasoningTokens: fact.tokens.reasoning,
    cacheRead: fact.tokens.cacheRead,
    cacheWrite: fact.tokens.cacheWrite,
  })
  const cost = (session.usage.cost?.amount ?? 0) + (session.inheritedUsage.cost?.amount ?? 0)
  expect(Math.abs(cost - fact.cost), say).toBeLessThanOrEqual(1e-9)
  expect(session.failedToolCallCount, say).toBeGreaterThanOrEqual(fact.toolResults.error)
}
