import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fold } from './fold.ts'
import { assistant, bytesOf, fixtures, Home, lines, main, result, SESSION, says, transcripts, user } from './home.ts'

/** Texts of the messages that a record has no part in. */
function untouched(home: Home, id: string, position: number): readonly unknown[] {
  const session = home.session(id)
  return session.inOrder
    .filter(({ records }) => !records.includes(position) && records.length > 0)
    .map(({ nativeId, role }) => [nativeId, role, session.partsOf(nativeId).map(({ kind }) => kind)])
}

it.each(['v1.0', 'v2.0', 'v2.1'])('%s: a broken line costs that line only', async (name) => {
  const from = join(fixtures, name)
  const whole = new Home(from)
  await whole.sync()
  for (const path of transcripts(join(from, 'projects'))) {
    const id = [...fold(whole.items).keys()].find((key) => path.endsWith(`${key.split('/').at(-1)}.jsonl`))
    if (id === undefined) continue
    const all = bytesOf(path).toString('utf8').split('\n').slice(0, -1)
    for (const n of all.keys()) {
      const home = new Home(from)
      const broken = all.map((line, at) => (at === n ? line.slice(0, line.length / 2) : line)).join('\n')
      home.write(path.slice(join(from, 'projects', '-home-ada-app/').length), `${broken}\n`)
      const { problems } = await home.sync()
      expect(problems.map(({ kind }) => kind)).toContain('PARSE')
      const isResponseCut = whole.session(id).inOrder.some(({ records }) => records.length > 1 && records.includes(n))
      if (!isResponseCut) expect(untouched(home, id, n)).toEqual(untouched(whole, id, n))
    }
  }
})

const THREE = [user('u1', null, 'one'), assistant('a1', 'u1', 'm1', [says('two')]), user('u2', 'a1', 'three')]

it('ccrider#11: a line of NUL bytes between two good ones is a problem, and the good ones stay', async () => {
  const home = new Home()
  home.write(
    main(),
    Buffer.concat([
      Buffer.from(lines(...THREE.slice(0, 2))),
      Buffer.alloc(40),
      Buffer.from(`\n${lines(...THREE.slice(2))}`),
    ]),
  )
  const { problems } = await home.sync()
  expect(problems.map(({ kind, location }) => `${kind} ${location.split(':').at(-1)}`)).toEqual(['PARSE 3'])
  expect(home.session().texts).toEqual(['one', 'two', 'three'])
})

it('CRLF, a byte order mark, U+2028 and a missing last line end do no harm', async () => {
  const home = new Home()
  const odd = [user('u1', null, 'a\u2028b'), assistant('a1', 'u1', 'm1', [says('\u2029')])]
  home.write(
    main(),
    `\uFEFF${lines(...odd)
      .replaceAll('\n', '\r\n')
      .trimEnd()}`,
  )
  expect((await home.sync()).problems).toEqual([])
  expect(home.session().texts).toEqual(['a\u2028b', '\u2029'])
})

it('claude-code#56064: a lone surrogate survives until the store repairs it', async () => {
  const home = new Home()
  home.write(main(), lines(user('u1', null, 'PLACE')).replace('PLACE', '\\ud83d…'))
  await home.sync()
  expect(home.session().texts).toEqual(['\ud83d…'])
})

it('a torn last line is read when it is whole', async () => {
  const home = new Home()
  const text = lines(...THREE)
  home.write(main(), text.slice(0, -20))
  await home.sync()
  expect(home.session().texts).toEqual(['one', 'two'])
  home.append(main(), text.slice(-20))
  await home.sync()
  expect(home.session().texts).toEqual(['one', 'two', 'three'])
})

it('two objects on one line are two records', async () => {
  const home = new Home()
  home.write(main(), lines(...THREE).replace('\n', ''))
  const { problems } = await home.sync()
  expect(problems.map(({ kind }) => kind)).toEqual(['REPAIRED'])
  expect(home.session().texts).toEqual(['one', 'two', 'three'])
})

it('lines without uuid or time are messages, with ids by their place and the session’s start for a time', async () => {
  const home = new Home()
  const { uuid: _u, timestamp: _t, ...bare } = user('u3', 'a1', 'bare')
  home.write(main(), lines(...THREE.slice(0, 2), bare))
  await home.sync()
  const last = home.session().inOrder.at(-1)
  expect([last?.nativeId, last?.time.origin]).toEqual(['line:2', 'SESSION_START'])
})

it('the same uuid twice: equal content is one message, different content two and a problem', async () => {
  const home = new Home()
  home.write(main(), lines(...THREE, { ...THREE[0], timestamp: '2026-03-01T10:00:00.000Z' }))
  expect((await home.sync()).problems).toEqual([])
  expect(home.session().texts).toEqual(['one', 'two', 'three'])
  home.write(main(), lines(...THREE, user('u1', null, 'other words')))
  const { problems } = await home.sync()
  expect(problems.map(({ kind }) => kind)).toEqual(['SCHEMA'])
  expect(home.session().texts).toEqual(['one', 'two', 'three', 'other words'])
})

it('a result without its call, and a call without its result, stay what they are', async () => {
  const home = new Home()
  const call = { type: 'tool_use', id: 'c2', name: 'Bash', input: { command: 'ls' } }
  home.write(main(), lines(user('u1', null, 'one'), result('r1', 'u1', 'c1', 'x'), assistant('a1', 'r1', 'm1', [call])))
  expect((await home.sync()).problems).toEqual([])
  const parts = [...home.session().parts.values()]
  expect(
    parts.map((part) => [part.kind, 'name' in part ? part.name : null, 'status' in part ? part.status : null]),
  ).toEqual([
    ['TEXT', null, null],
    ['TOOL_RESULT', null, null],
    ['TOOL_CALL', 'Bash', 'RUNNING'],
  ])
})

it('names that can be no id are refused', async () => {
  const home = new Home()
  home.write('a..b.jsonl', lines(...THREE))
  home.write('agent-x1.jsonl', lines({ ...THREE[0], sessionId: '../../etc' }))
  const { problems } = await home.sync()
  expect(problems.map(({ kind }) => kind)).toEqual(['HOSTILE_ID', 'HOSTILE_ID'])
  expect([...home.sessions.keys()]).toEqual([])
})

it('deep nesting and odd shapes cost no crash', async () => {
  const home = new Home()
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const odd = [null, 1, 'text', { role: 'user' }, { role: 'user', content: 5 }, { content: [null, 7, { type: 3 }] }]
  const text = odd.map((message, n) =>
    JSON.stringify({
      type: n % 2 ? 'assistant' : 'user',
      uuid: `o${n}`,
      parentUuid: null,
      sessionId: SESSION,
      message,
    }),
  )
  home.write(main(), `${text.join('\n')}\n{"type":"user","uuid":"d","sessionId":"s","message":{"content":[${deep}]}}\n`)
  await home.sync()
  expect(home.session().messages.size).toBe(7)
})
