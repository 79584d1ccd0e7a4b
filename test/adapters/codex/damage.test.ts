import { describe, expect, it } from 'vitest'
import { Home } from './home.ts'
import { CONTEXT, id, linesText, meta, pathOf, Rollout } from './rollout.ts'

const rollout = (): Rollout =>
  new Rollout(0)
    .add('session_meta', meta(0, '0.100.0'))
    .event('task_started', { turn_id: id(1) })
    .text('user', CONTEXT)
    .asks('One')
    .says('Two')
    .asks('Three')
    .says('Four')

const texts = (home: Home): readonly string[] =>
  home.store
    .of(id(0))
    .shown.flatMap((part) => (part.kind === 'TEXT' && part.provenance === 'CONVERSATIONAL' ? [part.text ?? ''] : []))

describe('damaged input', () => {
  it('a corrupt line at any position costs no other', async () => {
    const lines = rollout().lines.map((line) => JSON.stringify(line))
    for (let at = 0; at < lines.length; at++) {
      const home = new Home()
      home.write(pathOf(0), `${lines.map((line, n) => (n === at ? line.slice(0, -3) : line)).join('\n')}\n`)
      const { problems } = await home.sync()
      expect(problems.map(({ kind, location }) => [kind, location.split(':').at(-1)])).toEqual([
        ['PARSE', String(at + 1)],
      ])
      // Each text stands in two lines, and one of them is left.
      expect(texts(home).length, `line ${at + 1}`).toBeGreaterThanOrEqual(3)
      expect(home.store.of(id(0)).records.size).toBe(lines.length)
    }
  })

  it('a line of NUL bytes between two lines is a problem, and both are read', async () => {
    const home = new Home()
    const [first = '', ...rest] = linesText(rollout().lines).split(/(?<=\n)/)
    home.write(pathOf(0), `${first}${'\0'.repeat(40)}\n${rest.join('')}`)
    const { problems } = await home.sync()
    expect(problems.map(({ kind }) => kind)).toEqual(['PARSE'])
    expect(texts(home)).toEqual(['One', 'Two', 'Three', 'Four'])
  })

  it('a file whose first line is damaged still is the session of its name', async () => {
    const home = new Home()
    home.write(pathOf(0), `{"broken\n${linesText(rollout().lines.slice(1))}`)
    await home.sync()
    expect(texts(home)).toEqual(['One', 'Two', 'Three', 'Four'])
  })

  it('a time that is none is a problem; the start of the session stands in for it', async () => {
    const home = new Home()
    const [first = {}, ...rest] = new Rollout(0).add('session_meta', meta(0, '0.100.0')).asks('Hi').lines
    const file = home.rollout(0, [first, ...rest.map((line) => ({ ...line, timestamp: 'yesterday' }))])
    const { problems } = await home.sync()
    expect(problems.map(({ kind, location }) => [kind, location])).toEqual([
      ['SCHEMA', `${file}:2`],
      ['SCHEMA', `${file}:3`],
    ])
    expect(home.store.of(id(0)).inOrder.map(({ time }) => time.origin)).toEqual(['SESSION_START'])
  })

  it('an id that could name another file is refused', async () => {
    const home = new Home()
    home.rollout(0, [
      ...new Rollout(0).add('session_meta', { ...meta(0, '0.100.0'), id: '../../evil' }).asks('Hi').lines,
    ])
    const { problems } = await home.sync()
    expect(problems.map(({ kind }) => kind)).toEqual(['HOSTILE_ID'])
    expect([...home.store.sessions.keys()]).toEqual([id(0)])
  })

  it('empty files, U+2028, CRLF and several objects on a line are no trouble', async () => {
    const home = new Home()
    home.write(pathOf(5), '')
    const lines = rollout()
      .asks('line\u2028separator')
      .lines.map((line) => JSON.stringify(line))
    const [first = '', second = '', ...rest] = lines
    home.write(pathOf(0), `${first}${second}\r\n${rest.join('\r\n')}\r\n`)
    const { problems } = await home.sync()
    expect(problems.map(({ kind }) => kind)).toEqual(['REPAIRED'])
    expect(texts(home).at(-1)).toBe('line\u2028separator')
  })

  it('servers that give every item the same id lose no message', async () => {
    const home = new Home()
    const same = new Rollout(0).add('session_meta', meta(0, '0.100.0'))
    for (const text of ['One', 'Two', 'Three']) {
      same.text('assistant', text, { id: 'msg' })
      same.item({ type: 'function_call', id: 'fc', name: 'shell', arguments: '{}', call_id: 'call' })
      same.item({ type: 'function_call_output', call_id: 'call', output: text })
    }
    home.rollout(0, same.lines)
    await home.sync()
    expect(texts(home)).toEqual(['One', 'Two', 'Three'])
    const pairs = home.store.of(id(0)).shown.flatMap((part) => ('pair' in part ? [part.pair] : []))
    expect(new Set(pairs).size).toBe(3)
  })

  it('a damaged state database is a problem and costs no session', async () => {
    const home = new Home()
    home.rollout(0, rollout().lines)
    home.write('state_5.sqlite', 'no database at all, but long enough to be taken for one'.repeat(40))
    const { problems } = await home.sync()
    expect(problems.map(({ kind }) => kind)).toEqual(['SCHEMA'])
    expect(texts(home)).toEqual(['One', 'Two', 'Three', 'Four'])
  })
})
