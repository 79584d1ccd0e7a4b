import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { dsh } from '../../../src/adapters/dsh/index.ts'
import type { NativeEvent } from '../../../src/model/journal.ts'
import { Reader, type ReadSession } from '../read-all.ts'

const Entry = z.object({
  file: z.string(),
  staleGenerations: z.array(z.string()),
  id: z.string(),
  cwd: z.string().nullable(),
  parentSession: z.string().nullable(),
  createdAt: z.number(),
  wholeLines: z.number(),
  lastSeq: z.number(),
  eventTypes: z.record(z.string(), z.number()),
  userMessages: z.number(),
  humanUserMessages: z.number(),
  assistantMessages: z.number(),
  toolCalls: z.number(),
  toolResults: z.number(),
  toolErrors: z.number(),
  titles: z.array(z.string()),
  lastTime: z.number(),
})
type Entry = z.infer<typeof Entry>

const corpora = process.env['WEIR_CORPORA']
const base = corpora === undefined ? null : join(corpora, 'dsh')
const isThere = base !== null && existsSync(base)
if (!isThere) console.log('dsh corpora: skipped, WEIR_CORPORA names no directory that holds them')

const entries: readonly Entry[] = isThere
  ? z.object({ sessions: z.array(Entry) }).parse(JSON.parse(readFileSync(join(base ?? '', 'MANIFEST.json'), 'utf8')))
      .sessions
  : []
const homes = [...new Set(entries.map(({ file }) => file.slice(0, file.indexOf('/sessions/'))))]

describe.skipIf(!isThere)('logs that the harness wrote, and logs made from its descriptions', () => {
  it.each(homes)('%s comes out as its manifest counts it', async (home) => {
    const reader = new Reader(dsh, join(base ?? '', home))
    const { problems, items, discovery } = await reader.sync()
    expect(problems).toEqual([])
    const own = entries.filter(({ file }) => file.startsWith(`${home}/`))
    expect([...reader.sessions.keys()].sort()).toEqual(own.map(({ id }) => id).sort())
    expect(discovery.superseded).toBe(own.flatMap(({ staleGenerations }) => staleGenerations).length)
    for (const entry of own) {
      const read = reader.session(entry.id)
      const events = items.flatMap((item) => (item.kind === 'event' && item.sessionId === entry.id ? [item.event] : []))
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: entry.lastSeq + 1 }, (_, seq) => seq))
      expect(rowTypes(events, read), entry.id).toEqual(entry.eventTypes)
      expect(read.records.size).toBe(entry.wholeLines)
      // The manifest counts times of rows, not of what is packed in them.
      expect(Math.max(...events.map(({ time }) => time))).toBeGreaterThanOrEqual(entry.lastTime)
      expect(answered(read), entry.id).toEqual(counted(entry))
      if (entry.titles.length > 0) expect(read.session?.title?.text).toBe(entry.titles.at(-1))
    }
    expect((await reader.sync()).pending).toEqual([])
  })
})

/** How often each type of row stands there. */
function rowTypes(events: readonly NativeEvent[], read: ReadSession): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const record of new Set(events.map(({ citation }) => citation.record))) {
    const type = read.records.get(record)?.type ?? ''
    counts[type] = (counts[type] ?? 0) + 1
  }
  return counts
}

const counted = (entry: Entry) => ({
  cwd: entry.cwd,
  parent: entry.parentSession,
  createdAt: entry.createdAt,
  users: entry.userMessages,
  people: entry.humanUserMessages,
  assistants: entry.assistantMessages,
  calls: entry.toolCalls,
  results: entry.toolResults,
  failed: entry.toolErrors,
  compactions: entry.eventTypes['compaction/summary'] ?? 0,
})

function answered(read: ReadSession) {
  const messages = read.inOrder.filter(({ isBilledOnly }) => isBilledOnly !== true)
  const of = (role: string) => messages.filter((message) => message.role === role)
  const parts = [...read.parts.values()]
  const { session } = read
  return {
    cwd: session?.projectPath,
    parent: session?.parentNativeId,
    createdAt: session?.createdAt?.ms,
    users: of('USER').length,
    people: of('USER').filter(({ nativeId }) =>
      read.partsOf(nativeId).some(({ provenance }) => provenance === 'CONVERSATIONAL'),
    ).length,
    assistants: of('ASSISTANT').length,
    calls: parts.filter(({ kind }) => kind === 'TOOL_CALL').length,
    results: of('TOOL').length,
    failed: parts.filter((part) => part.kind === 'TOOL_RESULT' && part.isFailure === true).length,
    compactions: messages.filter(({ compaction }) => compaction !== null).length,
  }
}
