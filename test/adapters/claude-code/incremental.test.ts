import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../../src/adapters/claude-code/index.ts'
import { Reader, tempDir } from '../read-all.ts'
import { assistant, bytesOf, calls, Home, lines, main, result, SESSION, says, user } from './home.ts'

const records = (items: readonly { kind: string }[]): number => items.filter(({ kind }) => kind === 'record').length
const TURN = [user('u1', null, 'one'), assistant('a1', 'u1', 'm1', [says('two')])]

describe('appends', () => {
  it('a line appended to a transcript of many lines is the only one read', async () => {
    const home = new Home()
    const many = Array.from({ length: 3000 }, (_, n) => user(`u${n}`, n === 0 ? null : `u${n - 1}`, `prompt ${n}`))
    home.write(main(), lines(...many))
    await home.sync()
    home.append(main(), lines(assistant('a1', 'u2999', 'm1', [says('done')])))
    const { items } = await home.sync({ changedPaths: [home.path(main())] })
    expect(records(items)).toBe(1)
    expect(home.session().inOrder.at(-1)?.parentNativeId).toBe('u2999')
    // What is remembered between runs doesn't grow with the file.
    expect(home.reader.cursors.get(home.path(main()))?.length).toBeLessThan(8_000)
  })

  it('agentsview#162, #800: a result in a later run reaches its call, a line on an older one its branch', async () => {
    const home = new Home()
    home.write(
      main(),
      lines(user('u1', null, 'go'), assistant('a1', 'u1', 'm1', [calls('c1', 'Bash', { command: 'ls' })])),
    )
    await home.sync()
    home.append(main(), lines(result('r1', 'a1', 'c1', 'a.txt'), assistant('a2', 'r1', 'm2', [says('a.txt')])))
    expect(records((await home.sync()).items)).toBe(2)
    const call = [...home.session().parts.values()].find((part) => part.kind === 'TOOL_CALL')
    expect(call?.kind === 'TOOL_CALL' ? [call.status, call.command] : null).toEqual(['SUCCEEDED', 'ls'])
    home.append(main(), lines(user('u2', 'a2', 'left'), assistant('a3', 'u2', 'm3', [says('left, too')])))
    await home.sync()
    home.append(main(), lines(user('u3', 'a2', 'another way')))
    await home.sync()
    expect([...home.session().offPath].sort()).toEqual(['a3', 'u2'])
  })

  it('a response that grows over runs stays one message with the largest usage', async () => {
    const home = new Home()
    home.write(
      main(),
      lines(user('u1', null, 'go'), assistant('a1', 'u1', 'm1', [says('one')], {}, { output_tokens: 9 })),
    )
    await home.sync()
    home.append(main(), lines(assistant('a2', 'a1', 'm1', [says('two')], {}, { output_tokens: 159 })))
    await home.sync()
    const [, message] = home.session().inOrder
    expect([message?.usage?.outputTokens, message?.records, message?.partIds]).toEqual([
      159,
      [1, 2],
      ['a1:0000', 'a2:0000'],
    ])
    expect(home.session().texts).toEqual(['go', 'one', 'two'])
  })

  it('a touch without a change is no work', async () => {
    const home = new Home()
    home.write(main(), lines(...TURN))
    await home.sync()
    utimesSync(home.path(main()), new Date(), new Date(Date.now() + 5000))
    const { items, pending } = await home.sync()
    expect([pending.length, items]).toEqual([1, []])
    expect((await home.sync()).pending).toEqual([])
  })

  it('a rewritten file is a new generation, read from the start', async () => {
    const home = new Home()
    home.write(main(), lines(...TURN, user('u2', 'a1', 'three')))
    await home.sync()
    home.write(main(), lines(user('u9', null, 'another')))
    const { items } = await home.sync()
    expect(items.map(({ kind }) => kind).slice(0, 2)).toEqual(['new-generation', 'record'])
    expect(items.some((item) => item.kind === 'session' && item.session.agent !== 'claude-code')).toBe(false)
  })

  it('a file that holds titles only becomes a session when a message comes', async () => {
    const home = new Home()
    home.write(main(), lines({ type: 'summary', summary: 'Elsewhere', leafUuid: 'x1' }))
    const first = await home.sync()
    expect(first.items.map(({ kind }) => kind)).toEqual(['message-title', 'skip'])
    expect((await home.sync()).pending).toEqual([])
    home.append(main(), lines(...TURN))
    await home.sync()
    expect(home.session().records.size).toBe(3)
  })

  it('the duration of a turn finds its message before or after it', async () => {
    const home = new Home()
    const duration = (parent: string) => ({
      type: 'system',
      subtype: 'turn_duration',
      uuid: `d${parent}`,
      parentUuid: parent,
      durationMs: 7,
    })
    home.write(
      main(),
      lines(
        duration('a1'),
        ...TURN,
        { type: 'attachment', uuid: 'x', parentUuid: 'a1', attachment: {} },
        duration('x'),
      ),
    )
    await home.sync()
    expect([...home.session().durations]).toEqual([['a1', 7]])
  })
})

describe('side files', () => {
  const AGENT = `${SESSION}/subagents/agent-a1`
  const agent = lines({ ...user('s1', null, 'Look'), isSidechain: true, agentId: 'a1' })
  const meta = JSON.stringify({ agentType: 'Explore', description: 'Look around', toolUseId: 'c1' })

  it.each([[['transcript', 'meta']], [['meta', 'transcript']]])(
    '%s: both meet on one row, in different runs',
    async (order) => {
      const home = new Home()
      home.write(main(), lines(...TURN))
      await home.sync()
      for (const file of order) {
        if (file === 'meta') home.write(`${AGENT}.meta.json`, meta)
        else home.write(`${AGENT}.jsonl`, agent)
        await home.sync({ changedPaths: [home.path(`${AGENT}${file === 'meta' ? '.meta.json' : '.jsonl'}`)] })
      }
      const { session } = home.session(`${SESSION}/agent-a1`)
      expect([session?.agent, session?.kind, session?.parentPair, session?.parentNativeId]).toEqual([
        'claude-code/Explore',
        'SUBAGENT',
        'c1',
        SESSION,
      ])
      expect(home.session().subagents.get('agent-a1')).toMatchObject({
        agentType: 'Explore',
        pair: 'c1',
        durationMs: 0,
        childNativeId: `${SESSION}/agent-a1`,
      })
    },
  )

  it('an agent without a meta file is a sub-agent of no known kind, and its name stays when its file is read again', async () => {
    const home = new Home()
    home.write(`${AGENT}.jsonl`, agent)
    await home.sync()
    expect(home.session(`${SESSION}/agent-a1`).session?.agent).toBe('claude-code/subagent')
    home.write(`${AGENT}.meta.json`, meta)
    await home.sync()
    home.write(`${AGENT}.jsonl`, lines({ ...user('s9', null, 'Look again'), isSidechain: true }))
    await home.sync()
    expect(home.session(`${SESSION}/agent-a1`).session?.agent).toBe('claude-code/Explore')
  })

  it('a broken meta file is one problem', async () => {
    const home = new Home()
    home.write(`${AGENT}.jsonl`, agent)
    home.write(`${AGENT}.meta.json`, '{"agentType":')
    expect((await home.sync()).problems.map(({ kind }) => kind)).toEqual(['PARSE'])
    expect((await home.sync()).pending).toEqual([])
  })

  it('other files among sub-agents are unsupported, the journal of a workflow is none of ours', async () => {
    const home = new Home()
    home.write(`${SESSION}/subagents/notes.jsonl`, agent)
    home.write(`${SESSION}/subagents/workflows/wf_1/journal.jsonl`, '{}\n')
    expect((await home.sync()).problems.map(({ kind }) => kind)).toEqual(['UNSUPPORTED'])
  })

  it('the history of prompts titles sessions that are there, below their own titles', async () => {
    const home = new Home()
    home.write(main(), lines(...TURN))
    const line = { display: 'x', sessionId: SESSION, title: 'From the history' }
    writeFileSync(join(home.root, 'history.jsonl'), lines(line, { ...line, sessionId: 'gone' }))
    await home.sync()
    expect([...home.sessions.keys()]).toEqual([SESSION])
    expect(home.session().session?.title).toEqual({ text: 'From the history', origin: 'SIDE_FILE' })
    home.append(
      main(),
      lines(
        { type: 'custom-title', customTitle: 'Mine', sessionId: SESSION },
        { type: 'ai-title', aiTitle: 'Its own' },
      ),
    )
    await home.sync()
    expect(home.session().session?.title?.text).toBe('Mine')
  })
})

describe('roots', () => {
  it('a root may be `.claude`, its `projects`, or the home that holds it', async () => {
    const home = new Home()
    home.write(main(), lines(...TURN))
    for (const root of [home.root, join(home.root, 'projects'), dirname(home.root)]) {
      const { units } = await new Reader(claudeCode, root).discover()
      expect(units.map(({ sessionId }) => sessionId)).toEqual([SESSION])
    }
  })

  it('CLAUDE_CONFIG_DIR names one or several', () => {
    const probe = (value?: string) =>
      claudeCode.probe({ home: '/h', variables: value === undefined ? {} : { CLAUDE_CONFIG_DIR: value } })
    expect([probe(), probe('/x'), probe('/x, /y')]).toEqual([['/h/.claude'], ['/x'], ['/x', '/y']])
  })

  it('claude-code#46342: a project that is a link is followed once; loops are a problem', async () => {
    const home = new Home()
    const outside = join(tempDir(), 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, main()), lines(...TURN))
    symlinkSync(outside, join(home.root, 'projects', 'linked'))
    symlinkSync(outside, join(home.root, 'projects', 'linked-again'))
    symlinkSync(join(home.root, 'projects'), join(home.root, 'projects', 'loop'))
    symlinkSync(join(outside, main()), join(outside, 'other.jsonl'))
    const { problems } = await home.sync()
    expect([...home.sessions.keys()]).toEqual([SESSION])
    expect(problems.map(({ location }) => location.split('/').at(-1)).sort()).toEqual(['loop', 'other.jsonl'])
  })

  it('claude-code#95203: says after how many days the client deletes; what was taken in stays', async () => {
    const home = new Home()
    home.write(main(), lines(...TURN))
    const { discovery } = await home.sync()
    expect([discovery.retentionDays, discovery.warnings.map(({ code }) => code)]).toEqual([30, ['RETENTION']])
    writeFileSync(join(home.root, 'settings.json'), '{"cleanupPeriodDays": 3650}')
    rmSync(home.path(main()))
    const after = await home.sync()
    expect([after.discovery.retentionDays, after.discovery.warnings, after.items]).toEqual([3650, [], []])
  })

  it('only what changed paths touch is looked at', async () => {
    const home = new Home()
    home.write(main(), lines(...TURN))
    home.write('other.jsonl', lines(...TURN))
    const touched = async (...paths: string[]) => (await home.reader.discover({ changedPaths: paths })).units.length
    expect([
      await touched(),
      await touched('/elsewhere'),
      await touched(home.path(main())),
      await touched(home.path('')),
    ]).toEqual([0, 0, 1, 2])
    expect(claudeCode.watchPaths(home.root)).toContain(dirname(home.path(main())))
    expect(bytesOf(home.path(main())).length).toBeGreaterThan(0)
  })
})
