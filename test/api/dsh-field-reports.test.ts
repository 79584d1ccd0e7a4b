import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { dsh } from '../../src/adapters/dsh/index.ts'
import { openHome } from '../../src/db/home.ts'
import { conversation, id, Log, PIXEL, sha256 } from '../adapters/dsh/log.ts'
import { zstdFrame } from '../adapters/zstd-frame.ts'
import { apiOn } from '../support/api.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'

const Usage = z.object({ inputTokens: z.number().nullable(), outputTokens: z.number().nullable() })
const Session = z.object({
  nativeId: z.string(),
  messageCount: z.number(),
  usage: Usage,
  inheritedUsage: Usage,
  messages: z.object({
    nodes: z.array(
      z.object({
        role: z.string(),
        index: z.number(),
        text: z.string(),
        isOnActivePath: z.boolean(),
        blobs: z.unknown(),
      }),
    ),
  }),
  records: z.object({ totalCount: z.number() }),
})
const QUERY = `{ sessions(first: 20, filter: { includeChildren: true }) { nodes { nativeId messageCount usage { ...u } inheritedUsage { ...u }
  messages(first: 50) { nodes { role index text isOnActivePath blobs: parts(first: 20) { nodes { ... on FilePart { sha256 blobUrl width } } } } }
  records(first: 1) { totalCount } } } }
fragment u on Usage { inputTokens outputTokens }`

function setUp() {
  const root = join(tempDir(), '.dsh')
  const lay = (log: Log, isCompressed = false, content: Uint8Array | null = null): string => {
    const name = isCompressed ? `${log.name}.zstd` : log.name
    const path = join(root, 'sessions/--home-ada-app--', String(log.header['id']), name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content ?? (isCompressed ? Buffer.concat(log.frames()) : log.text))
    return path
  }
  const home = openHome(tempDir())
  const engine = engineOn(home, { dsh: root }, [dsh])
  const ask = async () => {
    const answer = z.object({ sessions: z.object({ nodes: z.array(Session) }) }).parse(await apiOn(home).ask(QUERY))
    const { nodes } = answer.sessions
    const find = (n: number) => nodes.find(({ nativeId }) => nativeId === id(n))
    const get = (n: number) => {
      const session = find(n)
      if (session === undefined) throw new Error(`no session ${n}`)
      return session
    }
    return Object.assign(get, { find })
  }
  return { root, home, lay, engine, ask }
}

describe('field reports about DeepSeek Harness', () => {
  it('every frame of a compressed log is read, its torn tail with the next sync (92)', async () => {
    const { lay, engine, ask } = setUp()
    const log = new Log().asks('One').asks('Two').asks('Three')
    const frames = log.lines.map((line) => zstdFrame(Buffer.from(line)))
    lay(log, true, Buffer.concat([...frames.slice(0, 3), (frames[3] ?? Buffer.alloc(0)).subarray(0, 40)]))
    await engine.sync()
    expect((await ask())(1).messages.nodes.map(({ text }) => text)).toEqual(['One', 'Two'])
    lay(log, true, Buffer.concat(frames))
    await engine.sync()
    const session = (await ask())(1)
    expect(session.messages.nodes.map(({ text }) => text)).toEqual(['One', 'Two', 'Three'])
    expect(session.records.totalCount).toBe(4)
  })

  it('usage of chunks is no second usage, and what a fork copied is billed where it was answered, in any order (93)', async () => {
    for (const order of [
      [1, 2],
      [2, 1],
    ]) {
      const { lay, engine, ask } = setUp()
      const original = new Log({ version: 0 }).starts().asks('Hi')
      original.chunk(1, 1, { type: 'usage', usage: { inputTokens: 5, outputTokens: 5 } })
      original.says('Hello', { usage: { inputTokens: 9, outputTokens: 9 } }).ends()
      const header = {
        parentSession: id(1),
        seedLength: original.seq,
        createdAt: Number(original.header['createdAt']) + 9000,
      }
      const fork = new Log({ n: 2, version: 0, copied: original.rows, header })
      fork
        .add('session/end-seed', {})
        .starts(2)
        .asks('More')
        .says('Yes', { usage: { inputTokens: 2, outputTokens: 2 } }, 2)
      for (const n of order) {
        lay(n === 1 ? original : fork)
        await engine.sync()
      }
      const session = await ask()
      expect([session(1).usage, session(1).inheritedUsage.inputTokens]).toMatchObject([{ inputTokens: 9 }, null])
      expect([session(2).usage.inputTokens, session(2).inheritedUsage.inputTokens]).toEqual([2, 9])
    }
  })

  it('what a compaction replaced stays readable (93)', async () => {
    const { lay, engine, ask } = setUp()
    lay(conversation())
    await engine.sync()
    const { messages } = (await ask())(1)
    expect(messages.nodes.map(({ text }) => text)).toContain('Where is the port?')
    expect(messages.nodes.every(({ isOnActivePath }) => isOnActivePath)).toBe(true)
  })
})

describe('responses that gave no message', () => {
  it('are billed, and neither listed nor counted', async () => {
    const { lay, engine, ask } = setUp()
    lay(conversation())
    await engine.sync()
    const session = (await ask())(1)
    expect(session.usage).toEqual({ inputTokens: 307, outputTokens: 93 })
    expect(session.messages.nodes.map(({ index }) => index)).toEqual(session.messages.nodes.map((_, n) => n))
    expect(session.messageCount).toBe(session.messages.nodes.length)
    expect(session.messages.nodes.filter(({ role }) => role === 'ASSISTANT')).toHaveLength(2)
  })

  it('are billed once, when the session goes on in a new generation', async () => {
    const { lay, engine, ask } = setUp()
    const usage = { type: 'usage', usage: { inputTokens: 7, outputTokens: 3 } }
    const lost = (version: number): Log =>
      new Log({ version })
        .starts()
        .asks('Hi', 'm')
        .add('assistant/attempt', { turn: 1, step: 1, stream: [{ type: 'chunk', time: 1, chunk: usage }] })
    lay(lost(2))
    await engine.sync()
    lay(lost(3), true)
    await engine.sync()
    const session = (await ask())(1)
    expect(session.usage).toEqual({ inputTokens: 7, outputTokens: 3 })
    expect(session.messages.nodes.map(({ text }) => text)).toEqual(['Hi'])
  })
})

it('images stay when the session is mapped anew, with its files gone', async () => {
  const { root, home, lay, engine, ask } = setUp()
  const object = join(root, 'attachments/v1/objects', sha256(PIXEL).slice(0, 2), sha256(PIXEL))
  mkdirSync(dirname(object), { recursive: true })
  writeFileSync(object, PIXEL)
  lay(conversation())
  await engine.sync()
  const before = (await ask())(1)
  expect(JSON.stringify(before)).toContain(`"sha256":"${sha256(PIXEL)}"`)
  await engine.close()
  rmSync(root, { recursive: true })
  const next = engineOn(home, { dsh: root }, [{ ...dsh, revision: dsh.revision + 1 }])
  await next.settled()
  expect((await ask())(1)).toEqual(before)
})

it('what the harness writes while it is watched is read, into old sessions and new ones', async () => {
  const { lay, engine, ask } = setUp()
  const [old, young] = [new Log().asks('One'), new Log({ n: 2 }).asks('Fresh')]
  const path = lay(old, true)
  await engine.sync()
  engine.watch()
  appendFileSync(path, zstdFrame(Buffer.from(old.asks('Two').lines.at(-1) ?? '')))
  const isThere = async (text: string): Promise<void> => {
    const deadline = performance.now() + 10_000
    while (!JSON.stringify(await asked()).includes(text)) {
      if (performance.now() > deadline) throw new Error(`"${text}" did not come.`)
      await delay(20)
    }
  }
  const asked = async () => {
    const session = await ask()
    return [1, 2].flatMap((n) => session.find(n)?.messages.nodes.map(({ text }) => text) ?? [])
  }
  await isThere('Two')
  lay(young)
  await isThere('Fresh')
  expect(await asked()).toEqual(['One', 'Two', 'Fresh'])
})
