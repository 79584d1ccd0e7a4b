import { appendFileSync, utimesSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calls, entry, fixtureFile, header, jsonl, OneFile, result, says, user } from './files.ts'
import { offPathOf } from './fold.ts'

describe('a file that grows', () => {
  it.each([1, 2, 3, 4, 5])('gives the rows of one import, wherever fixture %i is cut', async (n) => {
    const { name, text } = fixtureFile(n)
    const bytes = Buffer.from(text)
    const whole = new OneFile(name)
    await whole.write(bytes)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 5 }), async (cuts) => {
        const grown = new OneFile(name)
        for (const cut of [...new Set(cuts)].sort((a, b) => a - b)) await grown.write(bytes.subarray(0, cut))
        await grown.write(bytes)
        expect(grown.rows()).toEqual(whole.rows())
      }),
      { numRuns: 25 },
    )
  })

  it('gives the rows of one import when it comes line by line', async () => {
    const { name, text } = fixtureFile(1)
    const whole = new OneFile(name)
    await whole.write(text)
    const grown = new OneFile(name)
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1))
      await grown.write(text.slice(0, end + 1))
    expect(grown.rows()).toEqual(whole.rows())
  })

  it('has only its new lines read while they follow each other', async () => {
    const file = new OneFile()
    const lines = [header(), entry(1, null, user('a')), entry(2, 'e1', says('b'))]
    await file.write(jsonl(lines))
    const { items } = await file.write(jsonl([...lines, entry(3, 'e2', user('c'))]))
    expect(items.filter(({ kind }) => kind === 'record')).toHaveLength(1)
    expect(items.filter(({ kind }) => kind === 'off-path')).toEqual([])
  })

  it('is read whole again when an entry goes back to an earlier one', async () => {
    const file = new OneFile()
    const lines = [header(), entry(1, null, user('a')), entry(2, 'e1', says('b'))]
    await file.write(jsonl(lines))
    const { items } = await file.write(jsonl([...lines, entry(3, 'e1', says('c'))]))
    expect(items.filter((item) => item.kind === 'record').map(({ record }) => record.ref)).toEqual([3, 0, 1, 2, 3])
    expect([...(offPathOf(items, 's1') ?? [])]).toEqual(['e2'])
    expect(file.reader.session('s1').messages.get('e3')?.parentNativeId).toBe('e1')
  })

  it('ends a call of an earlier run with its result', async () => {
    const file = new OneFile()
    const lines = [header(), entry(1, null, calls('c', 'bash', { command: 'ls' }))]
    await file.write(jsonl(lines))
    expect(file.reader.session('s1').partsOf('e1')).toMatchObject([{ status: 'RUNNING', params: { command: 'ls' } }])
    await file.write(jsonl([...lines, entry(2, 'e1', result('c', 'x'))]))
    expect(file.reader.session('s1').partsOf('e1')).toMatchObject([{ status: 'SUCCEEDED', params: { command: 'ls' } }])
  })

  it('ends a call that is too big to be carried along, too', async () => {
    const file = new OneFile()
    const lines = [header(), entry(1, null, calls('c', 'write', { path: 'f', content: 'x'.repeat(300_000) }))]
    await file.write(jsonl(lines))
    for (const cursor of file.reader.cursors.values()) expect(cursor.length).toBeLessThan(2000)
    await file.write(jsonl([...lines, entry(2, 'e1', result('c', 'x', { toolName: 'write' }))]))
    expect(file.reader.session('s1').partsOf('e1')).toMatchObject([{ status: 'SUCCEEDED' }])
  })

  it('misses no branch when a long reading is cut off at a checkpoint', async () => {
    const file = new OneFile()
    const lines = [header(), entry(1, null, user('a')), entry(2, 'e1', says('left')), entry(3, 'e1', says('b'))]
    for (let n = 4; n < 100; n++) lines.push(entry(n, `e${n - 1}`, user('more')))
    writeFileSync(file.path, jsonl(lines))
    const [unit] = (await file.reader.discover()).units
    if (unit === undefined) throw new Error('no unit')
    const parsing = file.reader.adapter.parse(unit, null)
    let cursor: string | null = null
    for (;;) {
      const step = await parsing.next()
      if (step.done === true) throw new Error('no checkpoint')
      if (step.value.kind !== 'checkpoint') continue
      cursor = typeof step.value.cursor === 'function' ? step.value.cursor() : step.value.cursor
      break
    }
    await parsing.return(null)
    if (cursor !== null) file.reader.cursors.set(unit.key, cursor)
    const { items, pending } = await file.reader.sync()
    expect(pending).toHaveLength(1)
    expect([...(offPathOf(items, 's1') ?? [])]).toEqual(['e2'])
  })

  it('is no work when only its time changed', async () => {
    const file = new OneFile()
    await file.write(jsonl([header(), entry(1, null, user('a'))]))
    utimesSync(file.path, 1_800_000_000, 1_800_000_000)
    const touched = await file.reader.sync()
    expect([touched.pending.length, touched.items]).toEqual([1, []])
    expect((await file.reader.sync()).pending).toEqual([])
  })

  it('takes in a torn last line once it is whole', async () => {
    const file = new OneFile()
    const line = JSON.stringify(entry(1, null, user('a')))
    await file.write(`${jsonl([header()])}${line.slice(0, 40)}`)
    expect(file.reader.session('s1').messages.size).toBe(0)
    appendFileSync(file.path, `${line.slice(40)}\n`)
    const { problems } = await file.reader.sync()
    expect([problems, file.reader.session('s1').messages.size]).toEqual([[], 1])
  })

  it('is a new generation when it was rewritten, as newer versions do with files of version 1', async () => {
    const file = new OneFile()
    await file.write(
      jsonl([
        header({ version: undefined }),
        { type: 'message', message: user('a'), timestamp: '2026-03-01T09:00:01Z' },
      ]),
    )
    const { items } = await file.write(jsonl([header(), entry(1, null, user('a'))]))
    expect(items[0]).toEqual({ kind: 'new-generation', sessionId: 's1' })
    expect(items.filter(({ kind }) => kind === 'message')).toHaveLength(1)
  })
})
