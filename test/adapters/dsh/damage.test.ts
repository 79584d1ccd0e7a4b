import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dsh } from '../../../src/adapters/dsh/index.ts'
import type { Sync } from '../read-all.ts'
import { zstdFrame } from '../zstd-frame.ts'
import { eventsIn, Home, recordsIn } from './home.ts'
import { conversation, id, Log } from './log.ts'

const range = (to: number) => Array.from({ length: to }, (_, i) => i)
const seqs = ({ items }: Sync) => eventsIn(items).map(({ seq }) => seq)
const bytesOf = ({ items }: Sync): string =>
  Buffer.concat(recordsIn(items).map(({ bytes }) => Buffer.from(bytes))).toString('latin1')
const BEHIND = /This one and those behind it are kept as records\.$/

describe('a row that is damaged ends what is read (design §4.7)', () => {
  const log = conversation()
  const { lines } = log

  it.each([
    ['is cut', (line: string) => `${line.slice(0, 20)}\n`, 'PARSE'],
    ['is blank', () => '\n', 'SCHEMA'],
    ['is NULs', () => `${'\0'.repeat(9)}\n`, 'PARSE'],
    ['is no object', () => '[1]\n', 'SCHEMA'],
    [
      'skips a seq',
      (line: string) => line.replace(/"seq":(\d+)/, (_, seq: string) => `"seq":${Number(seq) + 1}`),
      'SCHEMA',
    ],
    ['has no data', (line: string) => line.replace('"data":', '"date":'), 'SCHEMA'],
    ['is a packed run', () => '{"type":"text-chunks","seq0":1,"time0":1,"data":{"texts":["a"],"dt":[]}}\n', 'SCHEMA'],
  ] as const)('one that %s', async (_, damage, kind) => {
    for (let at = 1; at < lines.length; at += 5) {
      const home = new Home()
      const damaged = lines.map((line, n) => (n === at ? damage(line) : line)).join('')
      const path = home.write(home.pathOf(log.name), damaged)
      const sync = await home.sync()
      expect(
        sync.problems.map((problem) => [problem.kind, problem.location]),
        `row ${at}`,
      ).toEqual([[kind, `${path}:${at + 1}`]])
      expect(sync.problems[0]?.message).toMatch(BEHIND)
      expect(seqs(sync)).toEqual(range(at - 1))
      expect(bytesOf(sync)).toBe(Buffer.from(damaged).toString('latin1'))
      // Mapping the archived records alone stops there, too.
      const mapper = dsh.map(id(1), home.pathOf(''))
      const again = recordsIn(sync.items).flatMap(({ ref, type, bytes }) => {
        try {
          return [...mapper.push({ ref, type, json: JSON.parse(Buffer.from(bytes).toString()) })]
        } catch {
          return []
        }
      })
      expect(eventsIn(again)).toEqual(eventsIn(sync.items))
    }
  })

  it('what is appended behind it is kept, and not shown', async () => {
    const home = new Home()
    const path = home.write(home.pathOf(log.name), [...lines.slice(0, 8), '{"type":\n'].join(''))
    await home.sync()
    home.append(path, lines.slice(8).join(''))
    const sync = await home.sync()
    expect([sync.problems, seqs(sync)]).toEqual([[], []])
    expect(bytesOf(sync)).toBe(Buffer.from(lines.slice(8).join('')).toString('latin1'))
  })

  it('a log without a header has its records, under the name of its directory', async () => {
    const home = new Home()
    const path = home.write(home.pathOf(log.name), lines.slice(1).join(''))
    const sync = await home.sync()
    expect(sync.problems).toMatchObject([{ kind: 'SCHEMA', location: `${path}:1` }])
    expect([home.of().records.size, seqs(sync)]).toEqual([lines.length - 1, []])
  })

  it('a row over the bound is kept up to it', async () => {
    const home = new Home()
    const huge = new Log()
      .asks('Before')
      .asks('x'.repeat(33 * 1024 * 1024))
      .asks('Behind')
    const path = home.raw(huge)
    const { problems } = await home.sync()
    expect(problems).toMatchObject([{ kind: 'OVERSIZE', location: `${path}:3` }])
    expect(home.texts()).toEqual(['Before'])
  })
})

describe('a compressed log that is damaged', () => {
  const log = new Log().asks('One').asks('Two').asks('Three').asks('Four')
  const frames = log.frames(1)
  const lay = (change: (frame: Buffer) => Uint8Array) => {
    const home = new Home()
    const pieces = frames.map((frame, n) => (n === 3 ? change(Buffer.from(frame)) : frame))
    return { home, path: home.write(home.pathOf(`${log.name}.zstd`), Buffer.concat(pieces)), pieces }
  }

  it.each([
    ['a wrong checksum', (frame: Buffer) => frame.fill(0, frame.length - 1)],
    ['a changed byte', (frame: Buffer) => frame.fill(65, 60, 61)],
    ['a block of a reserved type', (frame: Buffer) => frame.fill(0xff, 9, 10)],
    ['no magic number', (frame: Buffer) => frame.fill(0, 0, 1)],
  ] as const)('is read up to a frame with %s, and kept to its end', async (_, change) => {
    const { home, path, pieces } = lay(change)
    const sync = await home.sync()
    expect(home.texts()).toEqual(['One', 'Two'])
    expect(sync.problems).toMatchObject([{ kind: 'PARSE', location: `${path}:4`, sessionId: id(1) }])
    expect(sync.problems[0]?.message).toMatch(BEHIND)
    const damaged = recordsIn(sync.items).filter(({ type }) => type === 'damaged')
    expect(Buffer.concat(damaged.map(({ bytes }) => Buffer.from(bytes)))).toEqual(Buffer.concat(pieces.slice(3)))
    home.append(path, zstdFrame(Buffer.from(log.lines.at(-1) ?? '')))
    const later = await home.sync()
    expect([later.problems, seqs(later), recordsIn(later.items).length]).toEqual([[], [], 1])
  })

  it('is read up to a line that a frame ends inside of', async () => {
    const { home, path } = lay(() => zstdFrame(Buffer.from('{"type":"note","seq":2,')))
    const { problems } = await home.sync()
    expect(problems).toMatchObject([{ kind: 'PARSE', location: `${path}:4` }])
    expect(home.texts()).toEqual(['One', 'Two'])
  })

  it('reads frames that hold the magic number, frames to be stepped over, and frames of many blocks', async () => {
    const home = new Home()
    const said = new Log().asks('\u0028\u00b5/\u00fd').asks('y'.repeat(300_000)).asks('Last')
    const magic = zstdFrame(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x24, 0]))
    const skippable = Buffer.concat([Buffer.from([0x5a, 0x2a, 0x4d, 0x18, magic.length, 0, 0, 0]), magic])
    const [header = Buffer.alloc(0), ...rest] = said.frames()
    home.write(home.pathOf(`${said.name}.zstd`), Buffer.concat([header, skippable, ...rest]))
    expect((await home.sync()).problems).toEqual([])
    expect(home.texts().map((text) => text?.length)).toEqual([4, 300_000, 4])
  })

  it('two bytes of a magic number are the start of a frame', async () => {
    const home = new Home()
    home.write(home.pathOf(`${log.name}.zstd`), Buffer.concat([...frames.slice(0, 2), Buffer.from([0x28, 0xb5])]))
    const sync = await home.sync()
    expect([sync.problems, seqs(sync)]).toEqual([[], [0]])
  })
})

describe('odd values', () => {
  it('an id that could name another file is refused; the name of the directory stands in', async () => {
    const home = new Home()
    const log = new Log({ header: { id: '../../evil' } }).asks('Hi', '../message')
    const path = home.raw(log)
    const { problems } = await home.sync()
    expect(problems.map(({ kind, location }) => [kind, location])).toEqual([
      ['HOSTILE_ID', `${path}:1`],
      ['HOSTILE_ID', `${path}:2`],
    ])
    expect(home.of().inOrder.map(({ nativeId }) => nativeId)).toEqual([`${id(1)}:0`])
  })

  it('a time that is none, and sources that are none, cost nothing else', async () => {
    const home = new Home()
    const log = new Log().asks('One')
    log.add('note', {}, { time: 0.5, sourceEventSeqs: [[0, 9_007_199_254_740_990]] }).asks('Two')
    const path = home.raw(log)
    const sync = await home.sync()
    expect(sync.problems).toMatchObject([{ kind: 'SCHEMA', location: `${path}:3` }])
    expect(sync.problems[0]?.message).toContain('time, sourceEventSeqs')
    const [one, note] = eventsIn(sync.items)
    expect(note).toMatchObject({ time: one?.time, sources: [] })
    expect(home.texts()).toEqual(['One', 'Two'])
  })

  it('usage that holds no counts is unknown', async () => {
    const home = new Home()
    const path = home.raw(
      new Log().says('Hi', { usage: { inputTokens: -3, outputTokens: 'many', cacheReadTokens: '12' } }),
    )
    const { problems } = await home.sync()
    expect(problems).toMatchObject([{ kind: 'SCHEMA', location: `${path}:2` }])
    expect(home.of().inOrder[0]?.usage).toMatchObject({ inputTokens: null, outputTokens: null, cacheReadTokens: 12 })
  })

  it('several rows on one line are read one by one', async () => {
    const home = new Home()
    const log = new Log().asks('One').asks('Two')
    const [header = '', one = '', two = ''] = log.lines
    home.write(home.pathOf(log.name), `${header}${one.trimEnd()}${two}`)
    const { problems } = await home.sync()
    expect(problems.map(({ kind }) => kind)).toEqual(['REPAIRED'])
    expect(home.texts()).toEqual(['One', 'Two'])
  })

  it('messages that all have one id are all shown', async () => {
    const home = new Home()
    home.raw(new Log().asks('One', 'm').asks('Two', 'm').asks('Three', 'm'))
    await home.sync()
    expect(home.texts()).toEqual(['One', 'Two', 'Three'])
  })

  it('rows of unknown types are events and records, ignorable or not, and make no message', async () => {
    const home = new Home()
    const log = new Log()
      .asks('One')
      .add('acme/thing', { a: 1 }, { ignorable: true, surfaceOp: { strange: 1 } })
      .add('future/thing', [1])
    home.raw(log.asks('Two'))
    const { items, problems } = await home.sync()
    expect(problems).toEqual([])
    expect(eventsIn(items).map(({ type, isIgnorable }) => [type, isIgnorable])).toEqual([
      ['user/message', false],
      ['acme/thing', true],
      ['future/thing', false],
      ['user/message', false],
    ])
    expect(home.texts()).toEqual(['One', 'Two'])
  })

  it('a header of another generation than the name says is believed, and said', async () => {
    const home = new Home()
    const path = home.write(home.pathOf('session.v3.jsonl'), new Log({ version: 4 }).asks('Hi').text)
    const { problems } = await home.sync()
    expect(problems).toMatchObject([{ kind: 'SCHEMA', location: `${path}:1` }])
    expect(home.texts()).toEqual(['Hi'])
  })

  it('logs of early releases, which lie beside each other, are named', async () => {
    const home = new Home()
    const path = home.write(join(home.root, 'sessions/--home-ada-app--/abc.jsonl'), new Log().text)
    const { problems } = await home.sync()
    expect(problems).toMatchObject([{ kind: 'UNSUPPORTED', location: path }])
  })

  it('an attachment that is not what its name says is not kept', async () => {
    const home = new Home()
    home.raw(conversation())
    const path = home.attach()
    home.write(path, 'another')
    const { problems } = await home.sync()
    expect(problems).toMatchObject([{ kind: 'SCHEMA', location: path }])
    expect(readFileSync(path, 'utf8')).toBe('another')
    expect([...home.of().parts.values()].find(({ kind }) => kind === 'FILE')).toMatchObject({ data: null })
  })
})
