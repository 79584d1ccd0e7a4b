import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCodex } from '../../../src/adapters/codex/index.ts'
import { zstdFrame } from '../zstd-frame.ts'
import { Store } from './fold.ts'
import { Home } from './home.ts'
import { CONTEXT, id, iso, linesText, meta, pathOf, Rollout } from './rollout.ts'

const simple = (seconds: number): Rollout =>
  new Rollout(seconds)
    .add('session_meta', meta(seconds, '0.100.0'))
    .event('task_started', { turn_id: id(seconds + 1) })
    .asks('Hello')
    .says('Hi.')
    .count(100, 100)

const full = (seconds: number): Rollout =>
  simple(seconds)
    .item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: 'call_1' })
    .count(300, 200)
    .item({ type: 'function_call_output', call_id: 'call_1', output: 'Process exited with code 1\nOutput:\n' })
    .text('user', CONTEXT)
    .asks('Forget this')
    .says('Forgotten.')
    .event('thread_rolled_back', { num_turns: 1 })
    .event('task_started', { turn_id: id(seconds + 30) })
    .asks('Grüße 🎉 \u2028 once more')
    .event('agent_message', { message: 'Cut off' })
    .count(400, 100)
    .event('turn_aborted', { turn_id: id(seconds + 30), reason: 'interrupted' })

const texts = (home: Home, session: string): readonly unknown[] =>
  home.store.of(session).shown.map((part) => ('text' in part ? part.text : part.kind))

describe('reading what was appended', () => {
  it('gives the rows of one import, however a file is cut', async () => {
    const bytes = Buffer.from(linesText(full(0).lines))
    const rowsOf = async (cuts: readonly number[]) => {
      const home = new Home()
      const file = home.write(pathOf(0), '')
      let from = 0
      for (const cut of [...cuts, bytes.length]) {
        home.append(file, bytes.subarray(from, cut))
        from = cut
        expect((await home.sync()).problems).toEqual([])
      }
      return JSON.parse(JSON.stringify(home.store.of(id(0)).rows).replaceAll(home.root, ''))
    }
    const whole = await rowsOf([])
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        expect(await rowsOf(at.sort((a, b) => a - b))).toEqual(whole)
      }),
      { numRuns: 40 },
    )
  })

  it('reads the appended line only', async () => {
    const home = new Home()
    const file = home.rollout(0, simple(0).lines)
    await home.sync()
    home.append(file, linesText(new Rollout(60).asks('More').lines))
    const { items } = await home.sync({ changedPaths: [file] })
    expect(items.filter(({ kind }) => kind === 'record')).toHaveLength(2)
    expect(texts(home, id(0))).toEqual(['Hello', 'Hi.', 'More'])
  })

  it('does nothing when a file was touched only', async () => {
    const home = new Home()
    const file = home.rollout(0, simple(0).lines)
    await home.sync()
    utimesSync(file, new Date(), new Date())
    expect((await home.sync()).items).toEqual([])
    expect((await home.sync()).pending).toEqual([])
  })

  it('takes a file that was rewritten as a new generation', async () => {
    const home = new Home()
    const file = home.rollout(0, simple(0).lines)
    await home.sync()
    writeFileSync(file, linesText(new Rollout(0).add('session_meta', meta(0, '0.100.0')).asks('Other').lines))
    const { items } = await home.sync()
    expect(items.map(({ kind }) => kind)).toContain('new-generation')
  })

  it('shows a call as running until its result comes', async () => {
    const home = new Home()
    const file = home.rollout(0, full(0).lines.slice(0, 9))
    await home.sync()
    const status = () => home.store.of(id(0)).shown.flatMap((part) => (part.kind === 'TOOL_CALL' ? [part.status] : []))
    expect(status()).toEqual(['RUNNING'])
    home.append(file, linesText(full(0).lines.slice(9, 10)))
    await home.sync()
    expect(status()).toEqual(['FAILED'])
  })
})

describe('moved and compressed rollouts', () => {
  it('are the same session when Codex compressed them: moved, not new', async () => {
    const home = new Home()
    const file = home.rollout(0, simple(0).lines)
    await home.sync()
    const rows = home.store.of(id(0)).inOrder
    writeFileSync(`${file}.zst`, zstdFrame(readFileSync(file)))
    rmSync(file)
    const { items, discovery } = await home.sync()
    expect(items.map(({ kind }) => kind)).toEqual(['session'])
    expect([discovery.units.length, home.store.of(id(0)).session?.sourcePath]).toEqual([1, `${file}.zst`])
    expect(home.store.of(id(0)).inOrder).toEqual(rows)
  })

  it('count once while both files are there; the plain one is read', async () => {
    const home = new Home()
    const file = home.rollout(0, simple(0).lines)
    writeFileSync(`${file}.zst`, zstdFrame(readFileSync(file)))
    const { discovery } = await home.sync()
    expect(discovery.units.map(({ path }) => path)).toEqual([file])
    expect(discovery.superseded).toBe(1)
  })

  it('give what stands before a torn frame, and the rest when it is whole', async () => {
    const home = new Home()
    const text = Buffer.from(linesText(simple(0).lines))
    const frames = Buffer.concat([zstdFrame(text.subarray(0, 700)), zstdFrame(text.subarray(700))])
    const file = home.write(`${pathOf(0)}.zst`, frames.subarray(0, -40))
    const { problems } = await home.sync()
    expect(problems.map(({ kind, location }) => [kind, location])).toEqual([['PARSE', file]])
    writeFileSync(file, frames)
    expect((await home.sync()).problems).toEqual([])
    expect(texts(home, id(0))).toEqual(['Hello', 'Hi.'])
  })

  it('keep their session when they are archived', async () => {
    const home = new Home()
    const file = home.rollout(0, simple(0).lines)
    await home.sync()
    expect(home.store.of(id(0)).session?.archivedAt).toBe(false)
    const archived = join(home.root, 'archived_sessions', basename(file))
    mkdirSync(dirname(archived))
    renameSync(file, archived)
    const { items } = await home.sync()
    expect(items.map(({ kind }) => kind)).toEqual(['session'])
    expect(home.store.of(id(0)).session?.sourcePath).toBe(archived)
  })
})

describe('what only several files tell', () => {
  const base = (): Rollout =>
    new Rollout(300, 0)
      .add('session_meta', meta(300, '0.171.0'))
      .asked('Keep', '1')
      .said('Kept.', '1')
      .asked('Drop', '2')
      .said('Dropped.', '2')
  const later = (): Rollout =>
    new Rollout(350, 5)
      .add('session_meta', meta(300, '0.171.0', { history_base: { thread_id: id(300), end_ordinal_exclusive: 5 } }))
      .asked('Instead', '3')
  it.each([['old first'], ['new first']])(
    'a reverted thread is one session; what was reverted is off the path (%s)',
    async (order) => {
      const home = new Home()
      const files = [() => home.rollout(300, base().lines), () => home.rollout(300, later().lines, `_${id(350)}`)]
      for (const write of order === 'old first' ? files : files.reverse()) {
        write()
        await home.sync()
      }
      expect([...home.store.sessions.keys()]).toEqual([id(300)])
      expect(texts(home, id(300))).toEqual(['Keep', 'Kept.', 'Drop', 'Dropped.', 'Instead'])
      expect([...home.store.of(id(300)).offPath]).toEqual(['msg_u2', 'msg_a2'])
    },
  )

  it('a fork that refers to its base copies nothing and names the message where it was cut', async () => {
    const home = new Home()
    home.rollout(300, base().lines)
    const from = { forked_from_id: id(300), history_base: { thread_id: id(300), end_ordinal_exclusive: 5 } }
    home.rollout(
      400,
      new Rollout(400, 5).add('session_meta', meta(400, '0.171.0', from)).asked('In the fork', '9').lines,
    )
    await home.sync()
    const { session, inOrder } = home.store.of(id(400))
    expect([session?.relation, session?.parentNativeId, session?.parentMessageNativeId]).toEqual([
      'FORK',
      id(300),
      'msg_a1',
    ])
    expect(inOrder.map(({ isInherited }) => isInherited)).toEqual([false])
  })

  it('a name that is given later is the title, without reading the rollout again', async () => {
    const home = new Home()
    home.rollout(0, simple(0).lines)
    await home.sync()
    expect(home.store.of(id(0)).session?.title).toEqual({ text: 'Hello', origin: 'DERIVED' })
    const index = home.write(
      'session_index.jsonl',
      `${JSON.stringify({ id: id(0), thread_name: 'Named', updated_at: iso(5) })}\n`,
    )
    const { items } = await home.sync({ changedPaths: [index] })
    expect(items.map(({ kind }) => kind)).toEqual(['session'])
    expect(home.store.of(id(0)).session?.title).toEqual({ text: 'Named', origin: 'SIDE_FILE' })
  })
})

describe('threads of the harness', () => {
  it('are retracted, also when they were taken in before it showed', async () => {
    const home = new Home()
    home.rollout(
      600,
      new Rollout(600)
        .add('session_meta', meta(600, '0.171.0', { source: { subagent: { other: 'guardian' } } }))
        .asks('Safe?').lines,
    )
    const review = new Rollout(700)
      .add('session_meta', meta(700, '0.171.0', { thread_source: 'subagent' }))
      .asks('Review')
    const file = home.rollout(700, review.lines)
    await home.sync()
    expect([...home.store.sessions.keys()]).toEqual([id(700)])
    home.append(
      file,
      linesText(new Rollout(710).add('turn_context', { model: 'codex-auto-review' }).says('Fine.').lines),
    )
    await home.sync()
    expect([...home.store.sessions.keys()]).toEqual([])
    expect((await home.sync()).pending).toEqual([])
    home.append(file, linesText(new Rollout(720).says('More.').lines))
    await home.sync()
    expect([...home.store.sessions.keys()]).toEqual([])
  })
})

describe('roots', () => {
  it.each([
    ['the home of Codex', ''],
    ['its sessions', 'sessions'],
    ['the home above it', '..'],
  ])('may be %s', async (_, below) => {
    const home = new Home()
    home.rollout(0, simple(0).lines)
    const store = new Store(createCodex())
    await store.sync(join(home.root, below))
    expect([...store.sessions.keys()]).toEqual([id(0)])
  })

  it('follow a link to a directory once; what leads back up is a problem', async () => {
    const home = new Home()
    const other = new Home()
    other.rollout(0, simple(0).lines)
    symlinkSync(join(other.root, 'sessions'), join(home.root, 'sessions', 'linked'))
    symlinkSync(home.root, join(home.root, 'sessions', 'loop'))
    const { problems } = await home.sync()
    expect([...home.store.sessions.keys()]).toEqual([id(0)])
    expect(problems.map(({ kind, location }) => [kind, basename(location)])).toEqual([['IO', 'loop']])
  })

  it('say where to look', () => {
    const codex = createCodex()
    expect(codex.probe({ home: '/home/ada', variables: {} })).toEqual(['/home/ada/.codex'])
    expect(codex.probe({ home: '/home/ada', variables: { CODEX_HOME: '/data/codex' } })).toEqual(['/data/codex'])
    const home = new Home()
    const file = home.rollout(0, simple(0).lines)
    expect(codex.watchPaths(home.root)).toContain(dirname(file))
  })

  it('are not looked at for paths that are none of theirs', async () => {
    const home = new Home()
    home.rollout(0, simple(0).lines)
    expect((await home.sync({ changedPaths: ['/elsewhere/rollout-x.jsonl'] })).discovery.units).toEqual([])
    expect((await home.sync({ changedPaths: [] })).discovery.units).toEqual([])
  })
})
