import { describe, expect, it } from 'vitest'
import { unifiedDiff } from '../../../src/adapters/pi/diff.ts'
import { pi } from '../../../src/adapters/pi/index.ts'
import { spansOf } from '../../../src/adapters/pi/user-text.ts'
import { calls, entry, fixtureFile, header, jsonl, OneFile, result, says, user } from './files.ts'
import { offPathOf } from './fold.ts'

const fixture = async (n: number) => {
  const { name, text } = fixtureFile(n)
  const file = new OneFile(name)
  await file.write(text)
  const id = `019c0000-0000-7000-8000-00000000000${n}`
  return { file, id, read: file.reader.session(id), off: offPathOf(file.items, id) }
}

describe('pi sessions', () => {
  it('abandoned branches do not show as if they had happened (nicknisi/sessions#73)', async () => {
    const file = new OneFile()
    const lines = [header(), entry(1, null, user('root')), entry(2, 'e1', says('A')), entry(3, 'e2', user('B'))]
    const summary = {
      type: 'branch_summary',
      id: 'e4',
      parentId: 'e2',
      timestamp: '2026-03-01T09:01:00Z',
      summary: 'B.',
    }
    await file.write(jsonl([...lines, summary, entry(5, 'e4', user('C'))]))
    expect(offPathOf(file.items, 's1')).toEqual(new Set(['e3']))
    expect(file.reader.session('s1').messages.get('e4')).toMatchObject({ role: 'SYSTEM', compaction: 'branch_summary' })
    expect(file.reader.session('s1').partsOf('e4')).toMatchObject([
      { kind: 'TEXT', provenance: 'INJECTED', text: 'B.' },
    ])
  })

  it('an old file without links is a chain with nothing off the path', async () => {
    const { read, off } = await fixture(3)
    expect(off).toEqual(new Set())
    expect(
      read.inOrder.map(({ nativeId, role, parentNativeId, compaction }) => [
        nativeId,
        role,
        parentNativeId,
        compaction,
      ]),
    ).toEqual([
      ['#1', 'USER', null, null],
      ['#2', 'ASSISTANT', '#1', null],
      ['#3', 'SYSTEM', '#2', 'compaction'],
      ['#4', 'ASSISTANT', '#3', null],
      ['#5', 'TOOL', '#4', null],
    ])
  })

  it('a compaction does not start the transcript anew: all messages stay on the path (tetsuo-ai/agenc-core#2027)', async () => {
    const file = new OneFile()
    const before = [1, 2, 3, 4].map((n) => entry(n, n === 1 ? null : `e${n - 1}`, user(`${n}`)))
    const compaction = { type: 'compaction', id: 'e5', parentId: 'e4', timestamp: '2026-03-01T09:01:00Z', summary: 'S' }
    await file.write(jsonl([header(), ...before, compaction, entry(6, 'e5', user('6'))]))
    expect([file.reader.session('s1').messages.size, offPathOf(file.items, 's1')?.size]).toEqual([6, 0])
  })

  it('what a fork copied is inherited, and its copies are told by entry and response id (junhoyeo/tokscale#1305)', async () => {
    const [parent, child] = [await fixture(1), await fixture(2)]
    expect(child.read.session).toMatchObject({ parentNativeId: parent.id, relation: 'FORK' })
    const copied = child.read.inOrder.filter(({ isInherited }) => isInherited)
    expect(copied.map(({ nativeId }) => nativeId)).toEqual(['a0000004', 'a0000005', 'a0000006', 'a0000007', 'a0000008'])
    for (const message of copied) {
      const original = parent.read.messages.get(message.nativeId)
      expect(original).toMatchObject({ isInherited: false, usage: message.usage })
      expect(message.copy?.key).toBe(original?.copy?.key)
      if (message.copy !== null) expect([message.copy.origin, original?.copy?.origin]).toEqual([parent.id, null])
    }
    expect(copied.filter(({ copy }) => copy !== null)).toHaveLength(2)
  })

  it('a link to what the fork did not copy ends the path there', async () => {
    const file = new OneFile()
    await file.write(
      jsonl([header(), entry(1, null, user('a')), entry(2, 'e1', says('b')), entry(3, 'gone', user('c'))]),
    )
    expect(offPathOf(file.items, 's1')).toEqual(new Set(['e1', 'e2']))
  })

  it('version 4: mutations, the main lane, the name and the parent', async () => {
    const { read, off } = await fixture(5)
    expect(read.session).toMatchObject({
      title: { text: 'Version four', origin: 'PERSON' },
      parentNativeId: '019c0000-0000-7000-8000-000000000001',
      projectPath: '/home/ada/app',
    })
    expect(read.inOrder.map(({ nativeId, parentNativeId }) => [nativeId, parentNativeId])).toEqual([
      ['a000012d', null],
      ['a000012e', 'a000012d'],
      ['a000012f', 'a000012d'],
    ])
    expect(off).toEqual(new Set(['a000012e']))
  })

  it('calls end with their results: status, exit code, duration, files and diff', async () => {
    const { read } = await fixture(1)
    const tools = [...read.parts.values()].filter((part) => part.kind === 'TOOL_CALL')
    expect(tools.map(({ name, status, category }) => [name, status, category])).toEqual([
      ['read', 'SUCCEEDED', 'READ'],
      ['bash', 'FAILED', 'SHELL'],
      ['edit', 'SUCCEEDED', 'EDIT'],
      ['read', 'SUCCEEDED', 'READ'],
      ['subagent', 'SUCCEEDED', 'AGENT'],
      ['bash', 'RUNNING', 'SHELL'],
    ])
    const edit = tools.find(({ name }) => name === 'edit')
    expect(edit?.files).toEqual([
      {
        path: 'a.txt',
        kind: 'UPDATE',
        movedTo: null,
        diff: '@@ -1,1 +1,1 @@\n-alpha\n+beta\n',
        diffPlace: 'result/diff',
        additions: 1,
        deletions: 1,
      },
    ])
    expect(Number(edit?.endedAt) - Number(edit?.startedAt)).toBe(40)
    const failed = [...read.parts.values()].find((part) => part.kind === 'TOOL_RESULT' && part.isFailure === true)
    expect(failed).toMatchObject({ exitCode: 3, callId: 'call_2' })
  })

  it('every result of a call pairs with it, and equal call ids of different messages do not', async () => {
    const file = new OneFile()
    const lines = [header(), entry(1, null, calls('call_0', 'bash', {})), entry(2, 'e1', result('call_0', 'x'))]
    lines.push(entry(3, 'e2', calls('call_0', 'bash', {})), entry(4, 'e3', result('call_0', 'y')))
    await file.write(jsonl(lines))
    const pairs = [...file.reader.session('s1').parts.values()].map((part) => ('pair' in part ? part.pair : null))
    expect(pairs).toEqual(['e1/call_0', 'e1/call_0', 'e3/call_0', 'e3/call_0'])
  })

  it('images are bytes, in prompts and behind tool results', async () => {
    const { read } = await fixture(1)
    const files = [...read.parts.values()].filter((part) => part.kind === 'FILE')
    expect(files.map(({ mediaType, data, ordinal }) => [mediaType, data?.[1], ordinal])).toEqual([
      ['image/png', 0x50, 1],
      ['image/png', 0x50, 1],
    ])
  })

  it('what the harness says is injected, what the person and the model say is not', async () => {
    const { read } = await fixture(1)
    const texts = read.inOrder.flatMap((message) =>
      read
        .partsOf(message.nativeId)
        .flatMap((part) => (part.kind === 'TEXT' ? [[message.role, part.provenance, part.text]] : [])),
    )
    expect(texts.slice(0, 3)).toEqual([
      ['SYSTEM', 'INJECTED', 'You are pi.\n\nBe brief.'],
      ['USER', 'INJECTED', '<file name="/home/ada/app/a.txt">\nalpha\n</file>\n'],
      ['USER', 'CONVERSATIONAL', 'Read it'],
    ])
    expect(texts).toContainEqual(['SYSTEM', 'CONVERSATIONAL', 'ls'])
    expect(texts).toContainEqual(['SYSTEM', 'INJECTED', 'a.txt\n'])
  })

  it('a sub-agent that a result tells of is a row of its session', async () => {
    const { file } = await fixture(1)
    expect(file.items.filter(({ kind }) => kind === 'subagent')).toMatchObject([
      {
        subagent: {
          agentId: 'call_5/0',
          agentType: 'scout',
          description: 'count',
          totalTokens: 12,
          childNativeId: null,
        },
      },
    ])
  })

  it('a failed response has its error, no usage, and is not billed', async () => {
    const { read } = await fixture(1)
    const failed = read.inOrder.find(({ error }) => error !== null)
    expect(failed).toMatchObject({
      error: { message: '500 permanent failure' },
      usage: null,
      isResponse: false,
      stopReason: 'error',
    })
    const record = read.records.get(failed?.records[0] ?? '')
    expect(pi.content(JSON.parse(Buffer.from(record?.bytes ?? '').toString()), '', 'error')).toBe(
      '500 permanent failure',
    )
  })
})

describe('a prompt', () => {
  it.each([
    ['plain', [['plain', false]]],
    ['', [['', false]]],
    [
      '<file name="a">\nx\n</file>\n<file name="b"></file>\ngo',
      [
        ['<file name="a">\nx\n</file>\n<file name="b"></file>\n', true],
        ['go', false],
      ],
    ],
    ['<file name="a">unclosed', [['<file name="a">unclosed', false]]],
    ['see <file name="a"></file>', [['see <file name="a"></file>', false]]],
  ])('%j is split where the words of the person begin', (text, spans) => {
    expect(spansOf(text).map((span) => [span.text, span.isInjected])).toEqual(spans)
    expect(
      spansOf(text)
        .map((span) => span.text)
        .join(''),
    ).toBe(text)
  })
})

describe("pi's own form of a diff", () => {
  it('becomes a unified one, a hunk between dots each', () => {
    const own = '  1 a\n- 2 b\n+ 2 B\n+ 3 C\n    ...\n 10 x\n-11 y\n 12 z'
    expect(unifiedDiff(own)).toBe('@@ -1,2 +1,3 @@\n a\n-b\n+B\n+C\n@@ -10,3 +11,2 @@\n x\n-y\n z\n')
  })

  it('is nothing when it has another form', () => {
    expect(unifiedDiff('hello')).toBe(null)
  })
})
