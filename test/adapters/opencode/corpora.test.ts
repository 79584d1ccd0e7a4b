import { cpSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createOpencode } from '../../../src/adapters/opencode/index.ts'
import { asArray, asNumber, asObject, at, isObject, type JsonObject } from '../../../src/model/json.ts'
import type { PartRow } from '../../../src/model/rows.ts'
import { Reader, type ReadSession, tempDir } from '../read-all.ts'

const corpora = process.env['WEIR_CORPORA']
const base = corpora === undefined ? null : join(corpora, 'opencode')
const isThere = base !== null && existsSync(base)
if (!isThere) console.log('opencode corpora: skipped, WEIR_CORPORA names no directory that holds them')

const VERSIONS = ['1.1.65', '1.2.27', '1.18.33', '1.1.65-migrated-by-1.2.27-then-1.18.33']

interface Corpus {
  readonly name: string
  readonly root: string
  readonly sessions: readonly JsonObject[]
  readonly isUpTo12: boolean
}

/** Every storage that a manifest counted, each as a root of its own. */
function corpusList(): readonly Corpus[] {
  if (base === null || !isThere) return []
  return VERSIONS.flatMap((version) => {
    const manifest: unknown = JSON.parse(readFileSync(join(base, version, 'MANIFEST.json'), 'utf8'))
    return asArray(at(manifest, 'sources')).map((source): Corpus => {
      const inside = dirname(String(at(source, 'path')))
      return {
        name: join(version, inside),
        root: join(base, version, inside),
        sessions: asArray(at(source, 'sessions')).filter(isObject),
        isUpTo12: !version.startsWith('1.18'),
      }
    })
  })
}

describe.skipIf(!isThere)('sessions that real versions wrote', () => {
  it.each(corpusList())('$name comes out as its manifest counts it', async ({ root, sessions, isUpTo12 }) => {
    // In a copy, so that not even a lock touches the corpus.
    const copy = join(tempDir(), 'root')
    cpSync(root, copy, { recursive: true })
    const reader = new Reader(createOpencode(), copy)
    const { discovery, problems } = await reader.sync()
    expect(problems).toEqual([])
    expect([discovery.superseded, discovery.warnings]).toEqual([0, []])
    expect([...reader.sessions.keys()].sort()).toEqual(sessions.map((session) => String(session['id'])).sort())
    for (const session of sessions) {
      const read = reader.session(String(session['id']))
      expect(countsOf(read, isUpTo12)).toEqual(manifestCounts(session))
      expect(failures(read)).toBeGreaterThanOrEqual(Number(at(session, 'toolResults', 'error')))
    }
    expect((await reader.sync()).pending).toEqual([])
  })
})

function manifestCounts(session: JsonObject): JsonObject {
  const { id, title, parentID, directory, userMessages, assistantMessages, toolCalls, reasoningParts, fileParts } =
    session
  const results = asObject(session['toolResults']) ?? {}
  return {
    id,
    title,
    parentID,
    directory,
    userMessages,
    assistantMessages,
    toolCalls,
    toolMessages: Number(results['completed']) + Number(results['error']),
    unfinished: results['unfinished'],
    reasoningParts,
    fileParts,
    created: session['sessionCreated'],
    times: [session['firstMessageTime'], session['lastMessageTime']],
    tokens: session['tokens'],
    cost: asNumber(session['cost'])?.toFixed(9),
  }
}

function countsOf(read: ReadSession, isUpTo12: boolean): JsonObject {
  const messages = [...read.messages.values()]
  const parts = [...read.parts.values()]
  const role = (name: string) => messages.filter((message) => message.role === name)
  const kind = (name: PartRow['kind']) => parts.filter((part) => part.kind === name)
  const times = [...role('USER'), ...role('ASSISTANT')].map(({ time }) => time.ms)
  const sum = (of: (message: (typeof messages)[number]) => number | null | undefined): number =>
    messages.reduce((total, message) => total + (of(message) ?? 0), 0)
  const answered = new Set(kind('TOOL_RESULT').map((part) => (part.kind === 'TOOL_RESULT' ? part.pair : '')))
  const reasoning = sum(({ usage }) => usage?.reasoningTokens)
  const isOnTool = (part: PartRow): boolean => read.messages.get(part.messageId)?.role === 'TOOL'
  return {
    id: read.session?.record === null ? null : String(read.session?.record).split('/').at(-1),
    title: read.session?.title?.text,
    parentID: read.session?.parentNativeId,
    directory: read.session?.projectPath,
    userMessages: role('USER').length,
    assistantMessages: role('ASSISTANT').length,
    toolCalls: kind('TOOL_CALL').length,
    toolMessages: role('TOOL').length,
    unfinished: kind('TOOL_CALL').filter((part) => !answered.has(part.nativeId)).length,
    reasoningParts: kind('REASONING').length,
    fileParts: kind('FILE').filter((part) => !isOnTool(part)).length,
    created: read.session?.createdAt?.ms,
    times: times.length === 0 ? [null, null] : [Math.min(...times), Math.max(...times, ...completions(read))],
    tokens: {
      input: sum(({ usage }) => usage?.inputTokens),
      output: sum(({ usage }) => usage?.outputTokens) + (isUpTo12 ? reasoning : 0),
      reasoning,
      cacheRead: sum(({ usage }) => usage?.cacheReadTokens),
      cacheWrite: sum(({ usage }) => usage?.cacheWriteTokens),
    },
    cost: (sum(({ usage }) => usage?.costNanos) / 1e9).toFixed(9),
  }
}

/** The manifests take a message's completion for its time where it is later; our times are those of creation. */
const completions = (read: ReadSession): number[] =>
  [...read.records.values()].flatMap(({ type, bytes }) => {
    if (!type.startsWith('message/')) return []
    const record: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    const time = asNumber(at(record, 'data', 'time', 'completed') ?? at(record, 'time', 'completed'))
    return time === null ? [] : [time]
  })

const failures = (read: ReadSession): number =>
  [...read.parts.values()].filter((part) => part.kind === 'TOOL_CALL' && part.status === 'FAILED').length
