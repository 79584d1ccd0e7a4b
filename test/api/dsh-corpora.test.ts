import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { dsh } from '../../src/adapters/dsh/index.ts'
import { openHome } from '../../src/db/home.ts'
import { apiOn } from '../support/api.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'
import { partsOf, type WalkedSession, walkApi } from './walk.ts'

const Entry = z.object({
  file: z.string(),
  id: z.string(),
  cwd: z.string(),
  origin: z.string().nullable(),
  parentSession: z.string().nullable(),
  createdAt: z.number(),
  userMessages: z.number(),
  humanUserMessages: z.number(),
  assistantMessages: z.number(),
  toolCalls: z.number(),
  toolResults: z.number(),
  toolErrors: z.number(),
  titles: z.array(z.string()),
})

const corpora = process.env['WEIR_CORPORA']
const base = join(corpora ?? '', 'dsh')
const isThere = corpora !== undefined && existsSync(base)
if (!isThere) console.log('WEIR_CORPORA names no sessions of DeepSeek Harness: the walk over them is skipped.')

const entries = isThere
  ? z.object({ sessions: z.array(Entry) }).parse(JSON.parse(readFileSync(join(base, 'MANIFEST.json'), 'utf8'))).sessions
  : []
const homes = [...new Set(entries.map(({ file }) => file.slice(0, file.indexOf('/sessions/'))))]

describe.skipIf(!isThere)('what the API says of sessions of DeepSeek Harness', () => {
  it.each(homes)('equals what was counted in %s', async (name) => {
    const home = openHome(tempDir())
    const engine = engineOn(home, { dsh: join(base, name) }, [dsh])
    await engine.sync()
    const sessions = await walkApi(apiOn(home))
    const own = entries.filter(({ file }) => file.startsWith(`${name}/`))
    expect(sessions.map(({ nativeId }) => nativeId).sort()).toEqual(own.map(({ id }) => id).sort())
    for (const session of sessions) {
      const entry = own.find(({ id }) => id === session.nativeId)
      expect(answered(session), session.nativeId).toEqual(entry === undefined ? null : counted(entry))
      const title = entry?.titles.at(-1)
      if (title !== undefined) expect(session.title).toBe(title)
    }
    await engine.sync()
    expect(await walkApi(apiOn(home))).toEqual(sessions)
  })
})

const counted = (entry: z.infer<typeof Entry>) => ({
  project: entry.cwd,
  kind: entry.origin === 'subagent' ? 'SUBAGENT' : 'MAIN',
  parent: entry.parentSession,
  parentSession: entry.parentSession,
  createdAt: entry.createdAt,
  users: entry.userMessages,
  people: entry.humanUserMessages,
  assistants: entry.assistantMessages,
  calls: entry.toolCalls,
  results: entry.toolResults,
  failedCalls: entry.toolErrors,
  failedResults: entry.toolErrors,
})

function answered(session: WalkedSession) {
  const of = (role: string) => session.messages.filter((message) => message.role === role)
  const results = partsOf(session, 'TOOL_RESULT')
  return {
    project: session.project?.path,
    kind: session.kind,
    parent: session.parentNativeId,
    parentSession: session.parent?.nativeId ?? null,
    createdAt: Date.parse(session.createdAt),
    users: of('USER').length,
    people: of('USER').filter(({ parts }) => parts.nodes.some(({ provenance }) => provenance === 'CONVERSATIONAL'))
      .length,
    assistants: of('ASSISTANT').length,
    calls: session.toolCallCount,
    results: results.length,
    failedCalls: session.failedToolCallCount,
    failedResults: results.filter(({ isFailure }) => isFailure === true).length,
  }
}
