import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Sync } from '../read-all.ts'
import { zstdFrame } from '../zstd-frame.ts'
import { eventsIn, Home, recordsIn } from './home.ts'
import { conversation, id, Log } from './log.ts'

const seqs = ({ items }: Sync) => eventsIn(items).map(({ seq }) => seq)
const isNewGeneration = ({ items }: Sync): boolean => items.some(({ kind }) => kind === 'new-generation')
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

/** All that was read of a home, whatever the number of syncs. */
function stateOf(home: Home) {
  return [...home.reader.sessions].map(([key, read]) => [
    key,
    { ...read.session, sourcePath: null },
    read.inOrder,
    [...read.parts.values()].sort((a, b) => (a.nativeId < b.nativeId ? -1 : 1)),
    [...read.records.values()].map(({ ref, type, bytes }) => [ref, type, Buffer.from(bytes).toString()]),
  ])
}

async function readAtOnce(log: Log) {
  const home = new Home()
  home.raw(log)
  const sync = await home.sync()
  return { state: stateOf(home), events: eventsIn(sync.items) }
}

describe('a log that grows', () => {
  it('an appended line is one record and one event, and nothing before it is read again', async () => {
    const home = new Home()
    const log = conversation()
    const path = home.raw(log)
    await home.sync()
    const { seq } = log
    home.append(path, log.asks('And the host?').lines.at(-1) ?? '')
    const sync = await home.sync()
    expect(sync.problems).toEqual([])
    expect(recordsIn(sync.items).map(({ ref }) => ref)).toEqual([log.rows.length])
    expect(seqs(sync)).toEqual([seq])
    expect(home.texts().at(-1)).toBe('And the host?')
  })

  it('an appended frame is read by itself', async () => {
    const home = new Home()
    const log = conversation()
    const path = home.compressed(log)
    await home.sync()
    const { seq } = log
    log.starts(2).asks('And the host?')
    home.append(path, zstdFrame(Buffer.from(log.lines.slice(-3).join(''))))
    const sync = await home.sync()
    expect(seqs(sync)).toEqual(range(seq, seq + 3))
    expect(recordsIn(sync.items)).toHaveLength(3)
    expect(isNewGeneration(sync)).toBe(false)
    expect((await home.sync()).pending).toEqual([])
  })

  it('a line without its end waits, and is not there if its writer cuts it off', async () => {
    const home = new Home()
    const log = conversation()
    const path = home.raw(log)
    const { length } = readFileSync(path)
    const line = JSON.stringify({ type: 'note', seq: log.seq, time: 1772355700000, data: {} })
    home.append(path, line)
    expect(seqs(await home.sync())).toEqual(range(0, log.seq))
    truncateSync(path, length)
    const { seq } = log
    home.append(path, log.asks('Instead').lines.at(-1) ?? '')
    const sync = await home.sync()
    expect([seqs(sync), isNewGeneration(sync)]).toEqual([[seq], false])
  })

  it('whole lines of a torn frame are read, and once only when the frame is whole', async () => {
    const home = new Home()
    const log = conversation()
    const frames = log.frames(4)
    const [whole, torn] = [Buffer.concat(frames.slice(0, -1)), frames.at(-1) ?? Buffer.alloc(0)]
    const path = home.write(home.pathOf(`${log.name}.zstd`), Buffer.concat([whole, torn.subarray(0, -3)]))
    const first = await home.sync()
    expect(first.problems).toEqual([])
    expect(seqs(first)).toEqual(range(0, log.seq))
    writeFileSync(path, Buffer.concat([whole, torn]))
    const second = await home.sync()
    expect([seqs(second), recordsIn(second.items), isNewGeneration(second)]).toEqual([[], [], false])
  })

  it('lines of a torn frame that are written again in other frames are not read again', async () => {
    const home = new Home()
    const log = new Log().asks('One').asks('Two').asks('Three')
    const [header = Buffer.alloc(0)] = log.frames()
    const batch = (...lines: readonly number[]) => zstdFrame(Buffer.from(lines.map((n) => log.lines[n]).join('')))
    const path = home.write(home.pathOf(`${log.name}.zstd`), Buffer.concat([header, batch(1, 2).subarray(0, -1)]))
    expect(seqs(await home.sync())).toEqual([0, 1])
    writeFileSync(path, Buffer.concat([header, batch(1), batch(2, 3)]))
    const sync = await home.sync()
    expect([seqs(sync), isNewGeneration(sync)]).toEqual([[2], false])
    home.append(path, zstdFrame(Buffer.from(log.asks('Four').lines.at(-1) ?? '')))
    expect(seqs(await home.sync())).toEqual([3])
    expect(home.texts()).toEqual(['One', 'Two', 'Three', 'Four'])
  })

  it('a call is brought up to date by the lines that tell of it', async () => {
    const home = new Home()
    const log = new Log().starts().asks('Run it').calls('c1', 'bash', '{"command":"ls"}')
    const path = home.raw(log)
    await home.sync()
    const call = () => [...home.of().parts.values()].find(({ kind }) => kind === 'TOOL_CALL')
    expect(call()).toMatchObject({ status: 'RUNNING', command: 'ls' })
    home.append(path, log.answers('c1', 'a\n[exit code: 2]').lines.at(-1) ?? '')
    const { items } = await home.sync()
    expect(call()).toMatchObject({ status: 'SUCCEEDED', params: { command: 'ls' } })
    expect(items.filter(({ kind }) => kind === 'message')).toHaveLength(1)
    expect([...home.of().parts.values()].at(-1)).toMatchObject({ kind: 'TOOL_RESULT', exitCode: 2, isFailure: false })
  })

  it('a call too big to be remembered, or nested too deep, is answered by a whole reading', async () => {
    for (const args of [
      JSON.stringify({ content: 'x'.repeat(300_000) }),
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    ]) {
      const home = new Home()
      const log = new Log().starts().asks('Write it').calls('c1', 'write', args)
      const path = home.raw(log)
      await home.sync()
      home.append(path, log.answers('c1', 'Done.').lines.at(-1) ?? '')
      const sync = await home.sync()
      expect([sync.problems, isNewGeneration(sync)]).toEqual([[], false])
      const call = [...home.of().parts.values()].find(({ kind }) => kind === 'TOOL_CALL')
      expect(call).toMatchObject({ status: 'SUCCEEDED' })
    }
  })

  it('any way of cutting a raw log into appends gives what one reading gives', async () => {
    const log = conversation({ version: 0 })
    const bytes = Buffer.from(log.text)
    const expected = await readAtOnce(log)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 6 }), async (cuts) => {
        const home = new Home()
        const events = []
        const ends = [...new Set(cuts)].sort((a, b) => a - b).concat(bytes.length)
        for (const end of ends) {
          home.write(home.pathOf(log.name), bytes.subarray(0, end))
          events.push(...eventsIn((await home.sync({ verify: false })).items))
        }
        expect(stateOf(home)).toEqual(expected.state)
        expect(events).toEqual(expected.events)
      }),
      { numRuns: 25 },
    )
  })

  it('any way of cutting a compressed log gives what a raw one gives', async () => {
    const log = conversation({ version: 2 })
    const expected = await readAtOnce(log)
    const bytes = Buffer.concat(log.frames(2))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 6 }), async (cuts) => {
        const home = new Home()
        const events = []
        const ends = [...new Set(cuts)].sort((a, b) => a - b).concat(bytes.length)
        for (const end of ends) {
          home.write(home.pathOf(`${log.name}.zstd`), bytes.subarray(0, end))
          events.push(...eventsIn((await home.sync()).items))
        }
        expect(stateOf(home)).toEqual(expected.state)
        expect(events).toEqual(expected.events)
      }),
      { numRuns: 25 },
    )
  })
})

describe('a log that is another one', () => {
  it('a new generation of the session is a new generation of its unit, told from its first seq on', async () => {
    const home = new Home()
    home.raw(conversation({ version: 2 }))
    const first = await home.sync()
    const log = conversation({ version: 3 })
    home.raw(log)
    const second = await home.sync()
    expect(second.items[0]).toEqual({ kind: 'new-generation', sessionId: id(1) })
    expect(seqs(second)).toEqual(range(0, log.seq))
    expect(second.pending.map(({ key }) => key)).toEqual(first.pending.map(({ key }) => key))
    expect([second.discovery.superseded, second.discovery.generations]).toEqual([1, ['v2', 'v3']])
    expect((await home.sync()).pending).toEqual([])
  })

  it('a rewritten log is a new generation, and so is one that became shorter', async () => {
    const home = new Home()
    const path = home.raw(conversation())
    await home.sync()
    home.raw(new Log().asks('Something else'))
    expect(isNewGeneration(await home.sync())).toBe(true)
    truncateSync(path, Buffer.byteLength(new Log().text))
    const sync = await home.sync()
    expect([isNewGeneration(sync), seqs(sync)]).toEqual([true, []])
  })

  it('a compressed log with other frames is a new generation', async () => {
    const home = new Home()
    home.compressed(conversation())
    await home.sync()
    home.compressed(new Log().asks('Something else').says('Yes'))
    const sync = await home.sync()
    expect([isNewGeneration(sync), seqs(sync)]).toEqual([true, [0, 1]])
  })

  it('of one generation in two encodings the newer is read, and the other named', async () => {
    const home = new Home()
    const log = conversation()
    home.raw(log)
    await new Promise((resolve) => setTimeout(resolve, 20))
    home.compressed(log.asks('Newer'))
    const { problems, discovery } = await home.sync()
    expect(problems).toMatchObject([{ kind: 'SCHEMA', location: home.pathOf(log.name) }])
    expect(discovery.superseded).toBe(1)
    expect(home.texts().at(-1)).toBe('Newer')
  })

  it('a generation of the future is kept and said to be unknown; the one before it stays', async () => {
    const home = new Home()
    home.raw(conversation({ version: 4 }))
    const future = home.raw(conversation({ version: 5 }))
    const { problems, items } = await home.sync()
    expect(problems).toMatchObject([{ kind: 'UNSUPPORTED', location: `${future}:1`, sessionId: id(1) }])
    expect(home.texts()).toContain('It is 8080.')
    const kept = recordsIn(items).map(({ bytes }) => Buffer.from(bytes).toString())
    expect(kept.join('')).toContain(readFileSync(future, 'utf8'))
    expect((await home.sync()).pending).toEqual([])
  })

  it('a session alone in a generation of the future has its records, and no rows', async () => {
    const home = new Home()
    home.raw(conversation({ version: 5 }))
    const { problems, items } = await home.sync()
    expect(problems.map(({ kind }) => kind)).toEqual(['UNSUPPORTED'])
    expect(home.of().records.size).toBe(conversation().lines.length)
    expect([home.of().messages.size, eventsIn(items)]).toEqual([0, []])
    expect(items).toContainEqual({ kind: 'skip', reason: 'unsupported', count: 1 })
  })
})

describe('what discovery finds', () => {
  it('only what changed paths touch is looked at', async () => {
    const home = new Home()
    const paths = [home.raw(new Log({ n: 1 }).asks('One'), 1), home.raw(new Log({ n: 2 }).asks('Two'), 2)]
    const look = async (changedPaths: readonly string[]) =>
      (await home.reader.discover({ changedPaths })).units.map(({ sessionId }) => sessionId).sort()
    expect(await look([paths[1] ?? ''])).toEqual([id(2)])
    expect(await look([dirname(paths[0] ?? '')])).toEqual([id(1)])
    expect(await look([join(home.root, 'sessions')])).toEqual([id(1), id(2)])
    expect(await look(['/elsewhere', `${home.root}x`])).toEqual([])
    expect(await look([])).toEqual([])
    expect((await home.reader.discover({ changedPaths: [] })).isComplete).toBe(false)
    // Other sessions' directories aren't looked into: what is wrong in one of them is not seen.
    mkdirSync(home.pathOf('session.v4.jsonl', 3), { recursive: true })
    expect((await home.reader.discover()).problems).toHaveLength(1)
    expect((await home.reader.discover({ changedPaths: [paths[0] ?? ''] })).problems).toEqual([])
  })

  it('files that only look like logs are none', async () => {
    const home = new Home()
    const names = [
      'session.v0.jsonl',
      'session.v01.jsonl',
      'session.V1.jsonl',
      'session.v1.backup.jsonl',
      'session.migration.x.jsonl.tmp',
      'session.v9007199254740992.jsonl',
      'session.lock',
    ]
    for (const name of names) home.write(home.pathOf(name), new Log().text)
    expect((await home.sync()).discovery.units).toEqual([])
    home.write(home.pathOf('session.v27.jsonl.zstd'), '')
    expect((await home.sync()).discovery.units).toHaveLength(1)
  })

  it('a session without a working directory, and one with an odd id, are found', async () => {
    const home = new Home()
    const log = new Log({ header: { id: 'odd~id', cwd: undefined } }).asks('Hi')
    home.write(join(home.root, 'sessions/_no-cwd/odd~007Eid', log.name), log.text)
    const { discovery } = await home.sync()
    expect(discovery.units[0]?.sessionId).toBe('odd~id')
    expect(home.reader.session('odd~id').session).toMatchObject({ projectPath: null, kind: 'MAIN' })
  })

  it('of one session in two projects the copy that was written last is read', async () => {
    const home = new Home()
    const path = home.raw(new Log().asks('Old'))
    const moved = path.replace('--home-ada-app--', '--home-ada-other--')
    await new Promise((resolve) => setTimeout(resolve, 20))
    home.write(moved, new Log().asks('New').text)
    const { problems, discovery } = await home.sync()
    expect(problems).toMatchObject([{ kind: 'SCHEMA', location: dirname(path) }])
    expect([discovery.superseded, home.texts()]).toEqual([1, ['New']])
  })

  it('a log that is gone, and one that is empty, are no trouble', async () => {
    const home = new Home()
    const path = home.raw(new Log().asks('Here'))
    home.write(home.pathOf('session.jsonl', 2), '')
    home.write(home.pathOf('session.jsonl.zstd', 3), '')
    expect((await home.sync()).problems).toEqual([])
    expect([...home.reader.sessions.keys()]).toEqual([id(1)])
    rmSync(dirname(path), { recursive: true })
    const { discovery } = await home.sync()
    expect([discovery.isComplete, discovery.units.map(({ sessionId }) => sessionId).sort()]).toEqual([
      true,
      [id(2), id(3)],
    ])
  })

  it('links to projects are followed once; others are problems', async () => {
    const home = new Home()
    const outside = join(home.root, 'outside')
    mkdirSync(outside)
    const path = home.raw(new Log().asks('Linked'))
    renameSync(dirname(dirname(path)), join(outside, 'project'))
    symlinkSync(join(outside, 'project'), join(home.root, 'sessions/--linked--'))
    symlinkSync(home.root, join(home.root, 'sessions/--loop--'))
    const { problems } = await home.sync()
    expect(problems.map(({ kind, location }) => [kind, location])).toEqual([
      ['IO', join(home.root, 'sessions/--loop--')],
    ])
    expect(home.texts()).toEqual(['Linked'])
  })
})
