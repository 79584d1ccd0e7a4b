import { appendFileSync, mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { claudeCode } from '../../src/adapters/claude-code/index.ts'
import { openHome } from '../../src/db/home.ts'
import { openReader } from '../../src/db/open.ts'
import { apiOn } from '../support/api.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'

const MINUTE = 60_000
const NOON = Date.UTC(2026, 10, 30, 12)

/** A transcript that grows line by line, and a store that follows it; the clock is the test's. */
function setUp() {
  const root = tempDir()
  const home = openHome(tempDir())
  mkdirSync(join(root, 'projects', 'p'), { recursive: true })
  const file = join(root, 'projects', 'p', 'aaaaaaaa-0000-4000-8000-000000000000.jsonl')
  let now = NOON
  let lines = 0
  let parentUuid: string | null = null
  const engine = engineOn(home, { 'claude-code': root }, [claudeCode], () => now)
  const ask = async (of = home) => {
    vi.setSystemTime(now)
    const { sessions } = (await apiOn(of).ask('{ sessions { nodes { activity activitySince isLive } } }')) as {
      sessions: { nodes: { activity: string; activitySince: string; isLive: boolean }[] }
    }
    const [session] = sessions.nodes
    return session === undefined
      ? null
      : [session.activity, (Date.parse(session.activitySince) - NOON) / MINUTE, session.isLive]
  }
  return {
    root,
    file,
    home,
    engine,
    ask,
    now: () => now,
    at: (minute: number) => {
      now = NOON + minute * MINUTE
    },
    /** Writes a line now. */
    async line(type: string, message: object, rest: object = {}): Promise<void> {
      const uuid = `uuid-${lines++}`
      const sessionId = 'aaaaaaaa-0000-4000-8000-000000000000'
      const line = { type, uuid, parentUuid, sessionId, timestamp: new Date(now).toISOString(), message, ...rest }
      appendFileSync(file, `${JSON.stringify(line)}\n`)
      utimesSync(file, now / 1000, now / 1000)
      parentUuid = uuid
      await engine.sync()
    },
  }
}

const prompt = { role: 'user', content: 'do it' }
const answer = (id: string, stop: string | null, ...content: object[]) => ({
  role: 'assistant',
  id,
  model: 'm',
  content,
  stop_reason: stop,
  usage: { input_tokens: 1, output_tokens: 2 },
})
const call = (name: string) => ({ type: 'tool_use', id: 'toolu_1', name, input: {} })
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' }] }

describe('the activity of a session that is written', () => {
  vi.useFakeTimers({ toFake: ['Date'] })

  it('follows a turn from the prompt to the answer', async () => {
    const t = setUp()
    await t.line('user', prompt)
    expect(await t.ask()).toEqual(['WORKING', 0, true])
    t.at(1)
    await t.line('assistant', answer('m1', 'tool_use', { type: 'text', text: 'I look.' }, call('Bash')))
    expect(await t.ask()).toEqual(['WORKING', 0, true])
    t.at(3)
    expect(await t.ask()).toEqual(['AWAITING_APPROVAL', 3, false])
    await t.line('user', result)
    expect(await t.ask()).toEqual(['WORKING', 0, true])
    t.at(4)
    await t.line('assistant', answer('m2', 'end_turn', { type: 'text', text: 'Done.' }))
    expect(await t.ask()).toEqual(['AWAITING_INPUT', 4, true])
    t.at(4 + 24 * 60)
    expect(await t.ask()).toEqual(['IDLE', 4 + 24 * 60, false])
  })

  it('is FAILED after an error of the provider, until the person goes on', async () => {
    const t = setUp()
    await t.line('user', prompt)
    await t.line('assistant', answer('m1', null, { type: 'text', text: 'API Error: 500' }), { isApiErrorMessage: true })
    expect(await t.ask()).toEqual(['FAILED', 0, true])
    t.at(1)
    await t.line('user', prompt)
    expect(await t.ask()).toEqual(['WORKING', 1, true])
  })

  it('is found by the filters of sessions', async () => {
    const t = setUp()
    await t.line('user', prompt)
    await t.line('assistant', answer('m1', 'end_turn', { type: 'text', text: 'Done.' }))
    vi.setSystemTime(t.now() + 2 * MINUTE)
    const count = async (filter: object) =>
      await apiOn(t.home).ask('query ($f: SessionFilter) { sessions(filter: $f) { totalCount } }', { f: filter })
    expect(await count({ activities: ['AWAITING_INPUT'] })).toEqual({ sessions: { totalCount: 1 } })
    expect(await count({ activities: ['WORKING', 'IDLE', 'FAILED'] })).toEqual({ sessions: { totalCount: 0 } })
    expect(await count({ isLive: true })).toEqual({ sessions: { totalCount: 0 } })
    expect(await count({ isLive: false })).toEqual({ sessions: { totalCount: 1 } })
  })

  it('that ends by time passing alone is told in the feed, once each time', async () => {
    const t = setUp()
    await t.line('user', prompt)
    const told = () => {
      const store = openReader(t.home.store)
      try {
        return store.sqlite.prepare('select count(*) from journal where seq = -1').pluck().get()
      } finally {
        store.close()
      }
    }
    const before = told()
    t.at(0.5)
    await t.engine.sync()
    expect(told()).toBe(before)
    t.at(1)
    await t.engine.sync()
    await t.engine.until(() => told() === Number(before) + 1)
    t.at(11)
    await t.engine.sync()
    await t.engine.until(() => told() === Number(before) + 2)
    t.at(100)
    await t.engine.sync()
    expect(told()).toBe(Number(before) + 2)
  })

  it('of a file that was copied here today is as old as its messages', async () => {
    const t = setUp()
    await t.line('user', prompt)
    t.at(100)
    utimesSync(t.file, t.now() / 1000, t.now() / 1000)
    const home = openHome(tempDir())
    await engineOn(home, { 'claude-code': t.root }, [claudeCode], t.now).sync()
    expect(await t.ask(home)).toEqual(['IDLE', 10, false])
  })
})
