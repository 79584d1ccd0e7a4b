import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createCodex } from '../../src/adapters/codex/index.ts'
import { openHome } from '../../src/db/home.ts'
import { id, type Line, linesText, meta, pathOf, Rollout } from '../adapters/codex/rollout.ts'
import { apiOn } from '../support/api.ts'
import { engineOn } from '../support/engine.ts'
import { tempDir } from '../support/temp.ts'

const Usage = z.object({ inputTokens: z.number().nullable(), cacheReadTokens: z.number().nullable() })
const Answer = z.object({
  sessions: z.object({
    nodes: z.array(
      z.object({
        nativeId: z.string(),
        usage: Usage,
        inheritedUsage: Usage,
        messages: z.object({ nodes: z.array(z.object({ role: z.string(), isOnActivePath: z.boolean() })) }),
        records: z.object({ totalCount: z.number() }),
      }),
    ),
  }),
})
const QUERY = `{ sessions(first: 20) { nodes { nativeId usage { inputTokens cacheReadTokens } inheritedUsage { inputTokens cacheReadTokens }
  messages(first: 50) { nodes { role isOnActivePath } } records(first: 1) { totalCount } } } }`

function setUp() {
  const root = join(tempDir(), '.codex')
  const write = (seconds: number, lines: readonly Line[]): string => {
    const file = join(root, pathOf(seconds))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, linesText(lines))
    return file
  }
  const home = openHome(tempDir())
  const engine = engineOn(home, { codex: root }, [createCodex()])
  const ask = async () => {
    const { sessions } = Answer.parse(await apiOn(home).ask(QUERY))
    return new Map(sessions.nodes.map((node) => [node.nativeId, node]))
  }
  return { write, sync: () => engine.sync(), ask }
}

const input = ({ inputTokens, cacheReadTokens }: z.infer<typeof Usage>): number =>
  (inputTokens ?? 0) + (cacheReadTokens ?? 0)

const turn = (rollout: Rollout, total: number, last: number, at: number): Rollout =>
  rollout
    .event('task_started', { turn_id: id(at) })
    .asks(`Prompt ${at}`)
    .says(`Answer ${at}`)
    .count(total, last)

describe('what people saw of their Codex sessions', () => {
  const parent = () => turn(new Rollout(100).add('session_meta', meta(100, '0.100.0')), 100, 100, 101)
  const fork = () => {
    const own = new Rollout(200).add('session_meta', meta(200, '0.100.0', { forked_from_id: id(100) }))
    return turn(turn(own.add('session_meta', meta(100, '0.100.0')), 100, 100, 101), 150, 50, 210)
  }

  it.each([['the parent first'], ['the fork first']])(
    'a fork that replays its parent bills only its own tokens (%s)',
    async (order) => {
      const { write, sync, ask } = setUp()
      const writes = [() => write(100, parent().lines), () => write(200, fork().lines)]
      for (const step of order === 'the parent first' ? writes : writes.reverse()) {
        step()
        await sync()
      }
      const sessions = await ask()
      const of = (at: number) => {
        const session = sessions.get(id(at))
        return session === undefined ? null : [input(session.usage), input(session.inheritedUsage)]
      }
      expect([of(100), of(200)]).toEqual([
        [100, 0],
        [50, 100],
      ])
    },
  )

  it('cached input is counted once: it is a part of the input', async () => {
    const { write, sync, ask } = setUp()
    write(100, parent().lines)
    await sync()
    expect((await ask()).get(id(100))?.usage).toEqual({ inputTokens: 50, cacheReadTokens: 50 })
  })

  it('what was rolled back later goes off the path, and nothing is there twice', async () => {
    const { write, sync, ask } = setUp()
    const file = write(100, turn(parent(), 200, 100, 120).lines)
    await sync()
    const before = (await ask()).get(id(100))
    const more = new Rollout(160).event('thread_rolled_back', { num_turns: 1 }).asks('Again')
    appendFileSync(file, linesText(more.lines))
    await sync()
    const after = (await ask()).get(id(100))
    expect(after?.messages.nodes.map(({ isOnActivePath }) => isOnActivePath)).toEqual([true, true, false, false, true])
    expect(after?.records.totalCount).toBe((before?.records.totalCount ?? 0) + 3)
    expect(after?.usage).toEqual(before?.usage)
  })
})
