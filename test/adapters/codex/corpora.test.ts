import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCodex } from '../../../src/adapters/codex/index.ts'
import { asArray, asNumber, asObject, asString, at, isObject, type JsonObject } from '../../../src/model/json.ts'
import type { PartRow } from '../../../src/model/rows.ts'
import { type Folded, Store } from './fold.ts'

const corpora = process.env['WEIR_CORPORA']
const base = corpora === undefined ? null : join(corpora, 'codex')
const isThere = base !== null && existsSync(base)
if (!isThere) console.log('codex corpora: skipped, WEIR_CORPORA names no directory that holds them')

const VERSIONS = isThere && base !== null ? readdirSync(base).sort() : []

describe.skipIf(!isThere)('sessions that real versions of Codex wrote', () => {
  it.each(VERSIONS)('%s comes out as its manifest counts it', async (version) => {
    const folder = join(base ?? '', version)
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'MANIFEST.json'), 'utf8'))
    const entries = asArray(at(manifest, 'sessions')).filter(isObject)
    const store = new Store(createCodex())
    const { problems } = await store.sync(join(folder, 'home', '.codex'))
    expect(problems).toEqual([])
    const ids = [...new Set(entries.map(({ id }) => String(id)))]
    expect([...store.sessions.keys()].sort()).toEqual(ids.sort())
    const isByRecord = version !== '0.20.0' && version !== '0.47.0' && version !== '0.100.0'
    for (const id of ids) {
      const files = entries.filter((entry) => entry['id'] === id)
      const read = store.of(id)
      expect(countsOf(read), `${version} ${id}`).toEqual(manifestCounts(files, version === '0.20.0'))
      const created = read.session?.createdAt?.ms ?? 0
      const first = Math.min(...files.map((file) => Date.parse(String(file['first_timestamp']))))
      if (version !== '0.20.0') expect(first - created, id).toBeGreaterThanOrEqual(0)
      // The terminal client makes a thread when it starts, and writes it with the first prompt.
      const isTyped = files.some((file) => file['source'] === 'cli')
      if (version !== '0.20.0') expect(first - created, id).toBeLessThanOrEqual(isTyped ? 60_000 : 1000)
      const failed = resultsOf(read).filter((part) => part.isFailure === true)
      const listed = files.flatMap((file) => asArray(at(file, 'whole_file', 'failed_results_by_text')))
      for (const entry of listed)
        expect(
          failed.map(({ callId }) => callId),
          id,
        ).toContain(asString(at(entry, 'call_id')))
      const nested = files.reduce(
        (sum, file) => sum + Number(at(file, 'whole_file', 'nested_tool_events_failed') ?? 0),
        0,
      )
      expect(failed.length, id).toBeLessThanOrEqual(listed.length + nested)
      const tokens = isByRecord
        ? sumOf(files.map((file) => asObject(at(file, 'whole_file', 'sum_token_usage_records'))))
        : version === '0.20.0'
          ? [0, 0]
          : billed(files, folder)
      expect(tokensOf(read), `${version} ${id}`).toEqual(tokens)
    }
    expect((await store.sync(join(folder, 'home', '.codex'))).pending).toEqual([])
  })
})

function manifestCounts(files: readonly JsonObject[], isBare: boolean): JsonObject {
  const count = (name: string) => files.reduce((sum, file) => sum + Number(at(file, 'whole_file', name) ?? 0), 0)
  return {
    cwd: asString(files[0]?.['cwd']),
    users: isBare
      ? count('user_role_items') - count('user_role_items_injected_context')
      : count('user_messages_by_event'),
    assistants: count('assistant_messages'),
    calls: count('tool_calls') + count('web_search_calls'),
    results: count('tool_results'),
    reasoning: count('reasoning_items'),
    compactions: count('compactions'),
  }
}

const resultsOf = (read: Folded) => read.shown.flatMap((part) => (part.kind === 'TOOL_RESULT' ? [part] : []))

function countsOf(read: Folded): JsonObject {
  const kind = (name: PartRow['kind']) => read.shown.filter((part) => part.kind === name).length
  const withPart = (role: string, has: (part: PartRow) => boolean) =>
    read.inOrder.filter((message) => message.role === role && read.partsOf(message.nativeId).some(has)).length
  return {
    cwd: read.session?.projectPath ?? null,
    users: withPart('USER', ({ provenance }) => provenance === 'CONVERSATIONAL'),
    assistants: withPart('ASSISTANT', (part) => part.kind === 'TEXT'),
    calls: kind('TOOL_CALL'),
    results: kind('TOOL_RESULT'),
    reasoning: kind('REASONING'),
    compactions: read.inOrder.filter(({ compaction }) => compaction !== null).length,
  }
}

function tokensOf(read: Folded): [number, number] {
  let input = 0
  let output = 0
  for (const { usage } of read.inOrder) {
    input += (usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0) + (usage?.cacheWriteTokens ?? 0)
    output += (usage?.outputTokens ?? 0) + (usage?.reasoningTokens ?? 0)
  }
  return [input, output]
}

const sumOf = (usages: readonly (JsonObject | null)[]): [number, number] => [
  usages.reduce((sum, usage) => sum + (asNumber(usage?.['input_tokens']) ?? 0), 0),
  usages.reduce((sum, usage) => sum + (asNumber(usage?.['output_tokens']) ?? 0), 0),
]

/** Billed responses straight from the lines: each count whose total differs from the one before. */
function billed(files: readonly JsonObject[], folder: string): [number, number] {
  const usages: (JsonObject | null)[] = []
  for (const file of files) {
    let before: number | null = null
    for (const text of readFileSync(join(folder, String(file['file'])), 'utf8').split('\n')) {
      if (!text.includes('"token_count"')) continue
      const line: unknown = JSON.parse(text)
      const info = asObject(at(line, 'payload', 'info'))
      const total = asNumber(at(info, 'total_token_usage', 'total_tokens'))
      const last = asObject(info?.['last_token_usage'])
      if (info === null) before = null
      else if (sumOf([last]).some((count) => count > 0)) {
        if (total !== before) usages.push(last)
        before = total
      }
    }
  }
  return sumOf(usages)
}
