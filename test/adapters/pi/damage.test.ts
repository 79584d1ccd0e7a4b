import { describe, expect, it } from 'vitest'
import { RECORD_CAP_BYTES } from '../../../src/model/record.ts'
import { entry, fixtureFile, header, jsonl, OneFile, says, user } from './files.ts'
import { offPathOf } from './fold.ts'

/** Messages and parts but those of one message, without their links. */
function others(file: OneFile, id: string | null): unknown {
  return [...file.reader.sessions].map(([sessionId, read]) => [
    sessionId,
    read.inOrder
      .filter(({ nativeId }) => nativeId !== id)
      .map((message) => ({ ...message, parentNativeId: null, time: null, isInherited: null, copy: null })),
    [...read.parts.values()]
      .filter(({ messageId }) => messageId !== id)
      .map(({ nativeId, kind, citation, ordinal }) => ({ nativeId, kind, citation, ordinal }))
      .sort((a, b) => (a.nativeId < b.nativeId ? -1 : 1)),
    [...(offPathOf(file.items, sessionId) ?? [])].filter((offId) => offId !== id).sort(),
  ])
}

describe('damaged files of pi', () => {
  it.each([1, 3, 4, 5])('a corrupt line costs that line, whichever it is (fixture %i)', async (n) => {
    const { name, text } = fixtureFile(n)
    const lines = text.trimEnd().split('\n')
    const whole = new OneFile(name)
    await whole.write(text)
    for (const [at, line] of lines.entries()) {
      const file = new OneFile(name)
      const { problems } = await file.write(jsonl(lines.map((other, i) => (i === at ? line.slice(0, -1) : other))))
      expect(problems.map(({ kind, location }) => [kind, location])).toContainEqual(['PARSE', `${file.path}:${at + 1}`])
      const [lost] = [...whole.reader.sessions.values()].flatMap((read) =>
        [...read.messages.values()].filter(({ records }) => records[0] === at).map(({ nativeId }) => nativeId),
      )
      // That a branch begins can't be known without the line that begins it.
      if (!/"lane"|"branch_summary"/.test(line))
        expect(others(file, lost ?? null), line).toEqual(others(whole, lost ?? null))
    }
  })

  it('a damaged line in a chain leaves everything before it on the path', async () => {
    const file = new OneFile()
    await file.write(
      jsonl([header(), entry(1, null, user('a')), '{"type":"message","id":"e2"', entry(3, 'e2', says('c'))]),
    )
    expect(offPathOf(file.items, 's1')).toEqual(new Set())
    expect(file.reader.session('s1').messages.get('e3')?.parentNativeId).toBe('e1')
  })

  it('a hostile id is refused and everything else read', async () => {
    const file = new OneFile()
    const lines = [header({ id: '../evil' }), entry(1, null, user('a')), entry(2, 'e1', says('b'), { id: 'a/../b' })]
    const { problems } = await file.write(jsonl([...lines, entry(3, 'a/../b', user('c'))]))
    expect(problems.map(({ kind }) => kind)).toEqual(['HOSTILE_ID', 'HOSTILE_ID'])
    expect([...file.reader.session('s1').messages.keys()]).toEqual(['e1', 'e3'])
    expect(file.reader.session('s1').messages.get('e3')?.parentNativeId).toBe('e1')
  })

  it('a huge line is kept up to the cap and shown as nothing', async () => {
    const file = new OneFile()
    const huge = entry(2, 'e1', says('x'.repeat(RECORD_CAP_BYTES)))
    const { problems } = await file.write(jsonl([header(), entry(1, null, user('a')), huge, entry(3, 'e2', user('c'))]))
    expect(problems.map(({ kind }) => kind)).toEqual(['OVERSIZE'])
    expect([...file.reader.session('s1').messages.keys()]).toEqual(['e1', 'e3'])
    expect(offPathOf(file.items, 's1')).toEqual(new Set())
  })

  it('NUL lines, CRLF, U+2028, lone surrogates and a missing last newline survive', async () => {
    const file = new OneFile()
    const odd = `${JSON.stringify(entry(2, 'e1', says('a\u2028b')))}\r\n${JSON.stringify(entry(3, 'e2', user('x'))).replace('"x"', '"\\ud800"')}`
    await file.write(`${jsonl([header(), entry(1, null, user('a'))])}\0\0\0\n${odd}`)
    const read = file.reader.session('s1')
    expect([...read.messages.keys()]).toEqual(['e1', 'e2', 'e3'])
    expect([...read.parts.values()].map((part) => (part.kind === 'TEXT' ? part.text : null))).toEqual([
      'a',
      'a\u2028b',
      '\ud800',
    ])
  })

  it('numbers that are no counts are unknown, and told', async () => {
    const file = new OneFile()
    const usage = { input: -100, output: 20, cacheRead: '400', cacheWrite: 1.5, cost: { total: 0.5 } }
    const { problems } = await file.write(jsonl([header(), entry(1, null, says('a', { usage }))]))
    expect(problems).toMatchObject([{ kind: 'SCHEMA', message: 'These fields hold no counts: input, cacheWrite.' }])
    expect(file.reader.session('s1').messages.get('e1')?.usage).toMatchObject({
      inputTokens: null,
      outputTokens: 20,
      cacheReadTokens: 400,
      cacheWriteTokens: null,
      costNanos: 500_000_000,
    })
  })

  it.each([
    ['a version that is unknown', jsonl([header({ version: 9 }), entry(1, null, user('a'))])],
    ['the file of another program', jsonl([{ hello: 'world' }])],
  ])('%s is told and left out', async (_, text) => {
    const file = new OneFile('notes.jsonl')
    const { problems, items } = await file.write(text)
    expect(problems.map(({ kind }) => kind)).toEqual(['UNSUPPORTED'])
    expect(items.filter(({ kind }) => kind === 'record')).toEqual([])
    expect((await file.reader.sync()).pending).toEqual([])
  })

  it('an empty file is no session yet, and one when it gets its lines', async () => {
    const file = new OneFile()
    const { items } = await file.write('')
    expect(items).toEqual([{ kind: 'skip', reason: 'empty', count: 1 }])
    await file.write(jsonl([header(), entry(1, null, user('a'))]))
    expect([...file.reader.session('s1').messages.keys()]).toEqual(['e1'])
  })

  it('entries without a header, a time or an id are read all the same', async () => {
    const file = new OneFile()
    await file.write(
      jsonl([{ type: 'message', message: user('a') }, entry(1, null, { role: 'oracle', content: 'hm' })]),
    )
    expect(file.reader.session('s1').inOrder.map(({ nativeId, role }) => [nativeId, role])).toEqual([
      ['#0', 'USER'],
      ['e1', 'SYSTEM'],
    ])
  })
})
