import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createCodex } from '../../src/adapters/codex/index.ts'
import { openHome } from '../../src/db/home.ts'
import { apiOn } from '../support/api.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'

const Tokens = z.object({ input_tokens: z.number(), output_tokens: z.number() })
const Facts = z.object({
  user_messages_by_event: z.number().optional(),
  user_role_items: z.number(),
  user_role_items_injected_context: z.number(),
  assistant_messages: z.number(),
  tool_calls: z.number(),
  web_search_calls: z.number().optional(),
  tool_results: z.number(),
  reasoning_items: z.number(),
  compactions: z.number().optional(),
  failed_results_by_text: z.array(z.object({ call_id: z.string() })),
  sum_token_usage_records: Tokens.nullish(),
})
const Entry = z.object({ id: z.string(), cwd: z.string().nullish(), whole_file: Facts })
const Usage = z.object({
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  reasoningTokens: z.number().nullable(),
  cacheReadTokens: z.number().nullable(),
  cacheWriteTokens: z.number().nullable(),
})
const Part = z.object({ kind: z.string(), provenance: z.string(), isFailure: z.boolean().nullish() })
const Session = z.object({
  nativeId: z.string(),
  project: z.object({ path: z.string() }).nullable(),
  toolCallCount: z.number(),
  failedToolCallCount: z.number(),
  usage: Usage,
  inheritedUsage: Usage,
  messages: z.object({
    nodes: z.array(
      z.object({
        role: z.string(),
        isOnActivePath: z.boolean(),
        compaction: z.unknown(),
        parts: z.object({ nodes: z.array(Part) }),
      }),
    ),
  }),
})

const SESSIONS = `{ sessions(first: 100, filter: { includeChildren: true }) { nodes {
  nativeId project { path } toolCallCount failedToolCallCount usage { ...u } inheritedUsage { ...u }
  messages(first: 100) { nodes { role isOnActivePath compaction { kind }
    parts(first: 20) { nodes { kind provenance ... on ToolResultPart { isFailure } } } } }
} } }
fragment u on Usage { inputTokens outputTokens reasoningTokens cacheReadTokens cacheWriteTokens }`

const VERSIONS = ['0.20.0', '0.47.0', '0.100.0', '0.171.0']
const corpora = process.env['WEIR_CORPORA']
const base = join(corpora ?? '', 'codex')
const isThere = corpora !== undefined && existsSync(base)
if (!isThere) console.log('WEIR_CORPORA names no sessions of Codex: the walk over them is skipped.')

describe.skipIf(!isThere)('what the API says of real Codex sessions', () => {
  it.each(VERSIONS)('equals what was counted in %s', async (version) => {
    const manifest: unknown = JSON.parse(readFileSync(join(base, version, 'MANIFEST.json'), 'utf8'))
    const entries = z.object({ sessions: z.array(Entry) }).parse(manifest).sessions
    const home = openHome(tempDir())
    const engine = engineOn(home, { codex: join(base, version, 'home/.codex') }, [createCodex()])
    await engine.sync()
    const ask = async () =>
      z.object({ sessions: z.object({ nodes: z.array(Session) }) }).parse(await apiOn(home).ask(SESSIONS)).sessions
        .nodes
    const sessions = await ask()
    const ids = new Set(entries.map(({ id }) => id))
    expect(sessions.map(({ nativeId }) => nativeId).sort()).toEqual([...ids].sort())
    for (const session of sessions) {
      const files = entries.filter(({ id }) => id === session.nativeId)
      expect(answered(session), session.nativeId).toEqual(counted(files, version === '0.20.0'))
      const listed = files.flatMap(({ whole_file }) => whole_file.failed_results_by_text)
      expect(session.failedToolCallCount).toBeGreaterThanOrEqual(new Set(listed.map((entry) => entry.call_id)).size)
      const records = files.flatMap(({ whole_file }) => whole_file.sum_token_usage_records ?? [])
      if (records.length === 0) continue
      const sum = (key: 'input_tokens' | 'output_tokens') => records.reduce((total, usage) => total + usage[key], 0)
      expect(tokensOf(session), session.nativeId).toEqual([sum('input_tokens'), sum('output_tokens')])
    }
    await engine.sync()
    expect(await ask()).toEqual(sessions)
  })
})

function counted(files: readonly z.infer<typeof Entry>[], isBare: boolean) {
  const sum = (of: (facts: z.infer<typeof Facts>) => number | undefined) =>
    files.reduce((total, { whole_file }) => total + (of(whole_file) ?? 0), 0)
  return {
    project: files[0]?.cwd ?? null,
    users: isBare
      ? sum((facts) => facts.user_role_items - facts.user_role_items_injected_context)
      : sum((facts) => facts.user_messages_by_event),
    assistants: sum((facts) => facts.assistant_messages),
    calls: sum((facts) => facts.tool_calls) + sum((facts) => facts.web_search_calls),
    results: sum((facts) => facts.tool_results),
    reasoning: sum((facts) => facts.reasoning_items),
    compactions: sum((facts) => facts.compactions),
  }
}

function answered(session: z.infer<typeof Session>) {
  const messages = session.messages.nodes
  const kind = (name: string) =>
    messages.flatMap(({ parts }) => parts.nodes).filter((part) => part.kind === name).length
  const withPart = (role: string, has: (part: z.infer<typeof Part>) => boolean) =>
    messages.filter((message) => message.role === role && message.parts.nodes.some(has)).length
  return {
    project: session.project?.path ?? null,
    users: withPart('USER', ({ provenance }) => provenance === 'CONVERSATIONAL'),
    assistants: withPart('ASSISTANT', (part) => part.kind === 'TEXT'),
    calls: session.toolCallCount,
    results: kind('TOOL_RESULT'),
    reasoning: kind('REASONING'),
    compactions: messages.filter(({ compaction }) => compaction !== null && compaction !== undefined).length,
  }
}

function tokensOf({ usage, inheritedUsage }: z.infer<typeof Session>): [number, number] {
  const both = [usage, inheritedUsage]
  const sum = (...buckets: readonly (keyof z.infer<typeof Usage>)[]) =>
    both.reduce((total, of) => total + buckets.reduce((part, bucket) => part + (of[bucket] ?? 0), 0), 0)
  return [sum('inputTokens', 'cacheReadTokens', 'cacheWriteTokens'), sum('outputTokens', 'reasoningTokens')]
}
