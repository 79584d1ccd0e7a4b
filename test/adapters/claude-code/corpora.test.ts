import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../../src/adapters/claude-code/index.ts'
import { asArray, at, isObject, type JsonObject } from '../../../src/model/json.ts'
import type { PartRow } from '../../../src/model/rows.ts'
import { Reader } from '../read-all.ts'
import { type FoldedSession, fold } from './fold.ts'

const corpora = process.env['WEIR_CORPORA']
const base = corpora === undefined ? null : join(corpora, 'claude-code')
const isThere = base !== null && existsSync(base)
if (!isThere) console.log('claude-code corpora: skipped, WEIR_CORPORA names no directory that holds them')
const versions = base === null || !isThere ? [] : readdirSync(base)

describe.skipIf(!isThere)('transcripts that real versions wrote', () => {
  it.each(versions)('%s comes out as its manifest counts it', async (version) => {
    const directory = join(base ?? '', version)
    const manifest: unknown = JSON.parse(readFileSync(join(directory, 'MANIFEST.json'), 'utf8'))
    const reader = new Reader(claudeCode, join(directory, '.claude'))
    const { items, problems } = await reader.sync()
    expect(problems).toEqual([])
    const sessions = fold(items)
    const listed = ['sessions', 'subagents'].flatMap((list) => asArray(at(manifest, list)).filter(isObject))
    const expected = listed.filter(isSession)
    expect([...sessions.keys()].sort()).toEqual(expected.map(idOf).sort())
    for (const entry of expected) {
      const read = sessions.get(idOf(entry))
      expect(read === undefined ? null : countsOf(read), idOf(entry)).toEqual(manifestCounts(entry))
      const cwds = asArray(entry['cwds'])
      if (cwds.length === 1) expect(read?.session?.projectPath).toBe(cwds[0])
    }
    const skipped = items.flatMap((item) => (item.kind === 'skip' && item.reason === 'empty' ? [item.count] : []))
    expect(skipped.length).toBe(listed.length - expected.length)
    // Every byte is in the archive.
    for (const entry of expected) {
      const bytes = [...(sessions.get(idOf(entry))?.records ?? [])].filter(([ref]) => typeof ref === 'number')
      const whole = Buffer.concat(bytes.map(([, line]) => line))
      expect(whole.equals(readFileSync(join(directory, String(entry['file']))))).toBe(true)
    }
    expect((await reader.sync()).pending).toEqual([])
  })

  it.each(versions)('%s titles sessions by lines that stand in other files', async (version) => {
    const reader = new Reader(claudeCode, join(base ?? '', version, '.claude'))
    const { items } = await reader.sync()
    const messages = new Set([...fold(items).values()].flatMap((read) => [...read.messages.keys()]))
    const named = items.flatMap((item) => (item.kind === 'message-title' ? [item.messageId] : []))
    expect(new Set(named.filter((id) => !messages.has(id))).size).toBeLessThanOrEqual(1)
  })
})

const isSession = (entry: JsonObject): boolean =>
  asArray(entry['sessionIds']).length > 0 || Number(entry['userRecords']) + Number(entry['assistantRecords']) > 0

function idOf(entry: JsonObject): string {
  const file = String(entry['file'])
  const name = basename(file, '.jsonl')
  const inside = /([^/]+)\/subagents\/(.+)\.jsonl$/.exec(file)
  if (inside !== null) return `${inside[1]}/${inside[2]}`
  return name.startsWith('agent-') ? `${asArray(entry['sessionIds'])[0]}/${name}` : name
}

const manifestCounts = (entry: JsonObject): JsonObject => ({
  userPrompts: entry['userPrompts'],
  userMeta: entry['userMeta'],
  assistantMessages: entry['assistantMessages'],
  toolUses: entry['toolUses'],
  toolResults: entry['toolResults'],
  failedToolResults: entry['failedToolResults'],
  reasoning: Number(entry['thinkingBlocks']) + Number(entry['redactedThinking']),
  usage: entry['usageByMessageId'],
  compactions: entry['compactBoundaries'],
})

function countsOf(read: FoldedSession): JsonObject {
  const messages = [...read.messages.values()]
  const parts = [...read.parts.values()]
  const kind = (name: PartRow['kind']): number => parts.filter((part) => part.kind === name).length
  const sum = (of: (message: (typeof messages)[number]) => number | null | undefined): number =>
    messages.reduce((total, message) => total + (of(message) ?? 0), 0)
  return {
    userPrompts: messages.filter(({ role, isMeta }) => role === 'USER' && !isMeta).length,
    userMeta: messages.filter(({ role, isMeta }) => role === 'USER' && isMeta).length,
    assistantMessages: messages.filter(({ role }) => role === 'ASSISTANT').length,
    toolUses: kind('TOOL_CALL'),
    toolResults: kind('TOOL_RESULT'),
    failedToolResults: parts.filter((part) => part.kind === 'TOOL_CALL' && part.status === 'FAILED').length,
    reasoning: kind('REASONING'),
    usage: {
      input: sum(({ usage }) => usage?.inputTokens),
      output: sum(({ usage }) => (usage?.outputTokens ?? 0) + (usage?.reasoningTokens ?? 0)),
      cacheRead: sum(({ usage }) => usage?.cacheReadTokens),
      cacheWrite: sum(({ usage }) => usage?.cacheWriteTokens),
    },
    compactions: messages.filter(({ compaction }) => compaction !== null).length,
  }
}
