import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Item } from '../../../src/adapters/contract.ts'
import { pi } from '../../../src/adapters/pi/index.ts'
import { asArray, asNumber, asString, at, isObject, type JsonObject } from '../../../src/model/json.ts'
import type { MessageRow, PartRow } from '../../../src/model/rows.ts'
import { Reader, type ReadSession } from '../read-all.ts'
import { offPathOf } from './fold.ts'

const corpora = process.env['WEIR_CORPORA']
const base = corpora === undefined ? null : join(corpora, 'pi')
const isThere = base !== null && existsSync(base)
if (!isThere) console.log('pi corpora: skipped, WEIR_CORPORA names no directory that holds them')

const VERSIONS = ['0.13.2', '0.73.1', '1.6.0']

/** Every root that a manifest counted files of: pi's directory, and where sessions were put by hand. */
function roots(): readonly {
  readonly name: string
  readonly root: string
  readonly sessions: readonly JsonObject[]
}[] {
  if (base === null || !isThere) return []
  return VERSIONS.flatMap((version) => {
    const manifest: unknown = JSON.parse(readFileSync(join(base, version, 'MANIFEST.json'), 'utf8'))
    const sessions = asArray(at(manifest, 'sessions')).filter(isObject)
    const rootOf = (session: JsonObject): string => {
      const file = String(session['file'])
      return file.includes('/.pi/agent/') ? 'home/.pi/agent' : dirname(file)
    }
    return [...new Set(sessions.map(rootOf))].map((inside) => ({
      name: join(version, inside),
      root: join(base, version, inside),
      sessions: sessions.filter((session) => rootOf(session) === inside),
    }))
  })
}

describe.skipIf(!isThere)('sessions that real versions of pi wrote', () => {
  it.each(roots())('$name comes out as its manifest counts it', async ({ root, sessions }) => {
    const reader = new Reader(pi, root)
    const { items, problems } = await reader.sync()
    expect(problems).toEqual([])
    expect([...reader.sessions.keys()].sort()).toEqual(sessions.map((session) => String(session['session_id'])).sort())
    for (const session of sessions) {
      const id = String(session['session_id'])
      expect(countsOf(reader.session(id), items, session)).toEqual(manifestCounts(session))
    }
    expect((await reader.sync()).pending).toEqual([])
  })
})

const TOKENS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const

function manifestCounts(session: JsonObject): JsonObject {
  const counts = ['user_messages', 'assistant_messages', 'tool_calls', 'tool_results', 'failed_results', 'images']
  const parent = asString(session['parent_session'])
  return {
    ...Object.fromEntries([...counts, 'thinking_blocks'].map((name) => [name, session[name]])),
    active: session['active_path_messages'] ?? null,
    tokens: TOKENS.map((name) => at(session, 'usage_sum', name)),
    cost: asNumber(session['cost_sum'])?.toFixed(9) ?? null,
    createdAt: Date.parse(String(session['header_timestamp'])),
    cwd: session['header_cwd'],
    parent: parent === null ? null : /_([^_]+)\.jsonl$/.exec(parent)?.[1],
    title: session['name'],
    lastLineIs: session['last_timestamp'],
  }
}

function countsOf(read: ReadSession, items: readonly Item[], session: JsonObject): JsonObject {
  const messages = [...read.messages.values()]
  const parts = [...read.parts.values()]
  const role = (name: MessageRow['role']): number => messages.filter((message) => message.role === name).length
  const kind = (name: PartRow['kind']): number => parts.filter((part) => part.kind === name).length
  const sum = (of: (message: MessageRow) => number | null | undefined): number =>
    messages.reduce((total, message) => total + (of(message) ?? 0), 0)
  const last = [...read.records.values()].at(-1)
  const latest = new Date(Math.max(...messages.map(({ time }) => time.ms))).toISOString()
  return {
    user_messages: role('USER'),
    assistant_messages: role('ASSISTANT'),
    tool_calls: kind('TOOL_CALL'),
    tool_results: kind('TOOL_RESULT'),
    failed_results: parts.filter((part) => part.kind === 'TOOL_RESULT' && part.isFailure === true).length,
    images: kind('FILE'),
    thinking_blocks: kind('REASONING'),
    active:
      session['active_path_messages'] === undefined ? null : activeRoles(read, items, String(session['session_id'])),
    tokens: [
      sum(({ usage }) => usage?.inputTokens),
      sum(({ usage }) => usage?.outputTokens),
      sum(({ usage }) => usage?.cacheReadTokens),
      sum(({ usage }) => usage?.cacheWriteTokens),
    ],
    cost: session['cost_sum'] === undefined ? null : (sum(({ usage }) => usage?.costNanos) / 1e9).toFixed(9),
    createdAt: read.session?.createdAt?.ms,
    cwd: read.session?.projectPath,
    parent: read.session?.parentNativeId,
    title: read.session?.title?.text ?? null,
    lastLineIs: last?.type.startsWith('message/') === true ? latest : session['last_timestamp'],
  }
}

/** Messages on the path that were read from `message` entries, by the role that pi gives them. */
function activeRoles(read: ReadSession, items: readonly Item[], id: string): JsonObject {
  const off = offPathOf(items, id)
  const counts: Record<string, number> = {}
  for (const message of read.messages.values()) {
    const ref = message.records[0]
    const role = ref === undefined ? undefined : read.records.get(ref)?.type.split('/')[1]
    if (role !== undefined && off?.has(message.nativeId) === false) counts[role] = (counts[role] ?? 0) + 1
  }
  return counts
}
