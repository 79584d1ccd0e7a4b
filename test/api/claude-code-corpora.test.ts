import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { claudeCode } from '../../src/adapters/claude-code/index.ts'
import { openHome } from '../../src/db/home.ts'
import { apiOn } from '../support/api.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'
import { partsOf, tokensOf, type WalkedSession, walkApi } from './walk.ts'

/** Facts that were counted in the corpora by other means, and the answers of the API that must equal them. */
const Fact = z.object({
  file: z.string(),
  sessionIds: z.array(z.string()),
  cwds: z.array(z.string()),
  userRecords: z.number(),
  assistantRecords: z.number(),
  userPrompts: z.number(),
  userMeta: z.number(),
  assistantMessages: z.number(),
  toolUses: z.number(),
  toolResults: z.number(),
  failedToolResults: z.number(),
  thinkingBlocks: z.number(),
  redactedThinking: z.number(),
  compactBoundaries: z.number(),
  usageByMessageId: z.object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() }),
})
type Fact = z.infer<typeof Fact>
const Manifest = z.object({ sessions: z.array(Fact), subagents: z.array(Fact) })

const corpora = process.env['WEIR_CORPORA']
const base = join(corpora ?? '', 'claude-code')
const isThere = corpora !== undefined && existsSync(base)
if (!isThere) console.log('WEIR_CORPORA names no sessions of Claude Code: the walk over them is skipped.')

describe.skipIf(!isThere)('what the API says of real Claude Code sessions', () => {
  it.each(isThere ? readdirSync(base) : [])('equals what was counted in %s', async (version) => {
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(base, version, 'MANIFEST.json'), 'utf8')))
    const all = [...manifest.sessions, ...manifest.subagents]
    const facts = all.filter(
      ({ sessionIds, userRecords, assistantRecords }) => sessionIds.length + userRecords + assistantRecords > 0,
    )
    const home = openHome(tempDir())
    const engine = engineOn(home, { 'claude-code': join(base, version, '.claude') }, [claudeCode])
    const { sessionsEmpty } = await engine.sync()
    expect(sessionsEmpty).toBe(all.length - facts.length)
    const sessions = await walkApi(apiOn(home))
    expect(sessions.map(({ nativeId }) => nativeId).sort()).toEqual(facts.map(idOf).sort())
    for (const session of sessions) {
      const fact = facts.find((each) => idOf(each) === session.nativeId)
      if (fact !== undefined) expect(answered(session), session.nativeId).toEqual(counted(fact))
      if (fact?.cwds.length === 1) expect(session.project?.path).toBe(fact.cwds[0])
    }
    const children = new Set(manifest.subagents.map(idOf))
    for (const session of sessions.filter(({ nativeId }) => children.has(nativeId)))
      expect([session.nativeId, session.kind === 'MAIN', session.parent?.nativeId]).toEqual([
        session.nativeId,
        false,
        session.nativeId.split('/')[0],
      ])
  })
})

function idOf({ file, sessionIds }: Fact): string {
  const inside = /([^/]+)\/subagents\/(.+)\.jsonl$/.exec(file)
  if (inside !== null) return `${inside[1]}/${inside[2]}`
  const name = basename(file, '.jsonl')
  return name.startsWith('agent-') ? `${sessionIds[0]}/${name}` : name
}

const counted = (fact: Fact) => ({
  prompts: fact.userPrompts,
  meta: fact.userMeta,
  answers: fact.assistantMessages,
  calls: fact.toolUses,
  results: fact.toolResults,
  failures: fact.failedToolResults,
  reasoning: fact.thinkingBlocks + fact.redactedThinking,
  compactions: fact.compactBoundaries,
  tokens: fact.usageByMessageId,
})

function answered(session: WalkedSession) {
  const users = session.messages.filter(({ role }) => role === 'USER')
  return {
    prompts: users.filter(({ isMeta }) => !isMeta).length,
    meta: users.filter(({ isMeta }) => isMeta).length,
    answers: session.messages.filter(({ role }) => role === 'ASSISTANT').length,
    calls: session.toolCallCount,
    results: partsOf(session, 'TOOL_RESULT').length,
    failures: session.failedToolCallCount,
    reasoning: partsOf(session, 'REASONING').length,
    compactions: session.messages.filter(({ compaction }) => compaction !== null).length,
    tokens: {
      input: tokensOf(session, 'inputTokens'),
      output: tokensOf(session, 'outputTokens') + tokensOf(session, 'reasoningTokens'),
      cacheRead: tokensOf(session, 'cacheReadTokens'),
      cacheWrite: tokensOf(session, 'cacheWriteTokens'),
    },
  }
}
