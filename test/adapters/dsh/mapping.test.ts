import { describe, expect, it } from 'vitest'
import type { PartRow } from '../../../src/model/rows.ts'
import { Home } from './home.ts'
import { conversation, id, Log, PIXEL, type Row, START_MS, USAGE } from './log.ts'

const read = async (log: Log, n = 1) => {
  const home = new Home()
  home.attach()
  home.raw(log, n)
  const { problems } = await home.sync()
  expect(problems).toEqual([])
  return home.of(n)
}
const shown = async (log: Log) => {
  const session = await read(log)
  return session.inOrder
    .filter(({ isBilledOnly }) => isBilledOnly !== true)
    .map((message) => ({ ...message, parts: session.partsOf(message.nativeId) }))
}
const partOf = <K extends PartRow['kind']>(parts: Iterable<PartRow>, kind: K, at = 0) =>
  [...parts].filter((part): part is Extract<PartRow, { kind: K }> => part.kind === kind)[at]

describe.each([0, 1, 2, 3, 4])('a log of generation %i', (version) => {
  it('gives the messages that every generation gives', async () => {
    const messages = await shown(conversation({ version }))
    const system = version < 3 ? [] : [['SYSTEM', true, null, ['You help Ada.']]]
    expect(
      messages.map(({ role, isMeta, compaction, parts }) => [
        role,
        isMeta,
        compaction,
        parts.flatMap((part) => ('text' in part ? [part.text] : [])),
      ]),
    ).toEqual([
      ...system,
      ['USER', false, null, ['Where is the port?']],
      ['USER', true, null, ['The workspace may be written.']],
      ['ASSISTANT', false, null, ['Look first.', 'I look.']],
      ['TOOL', false, null, []],
      ['TOOL', false, null, []],
      ['TOOL', false, null, []],
      ['SYSTEM', false, 'compaction', ['<compacted-summary>\nThe port was asked for.\n</compacted-summary>']],
      ['ASSISTANT', false, null, ['It is 8080.']],
    ])
  })

  it('tells calls with their results, and arguments that are no JSON as they are', async () => {
    const { parts } = await read(conversation({ version }))
    expect(partOf(parts.values(), 'TOOL_CALL')).toMatchObject({
      category: 'SHELL',
      command: 'cat nope.toml',
      status: 'SUCCEEDED',
      params: { command: 'cat nope.toml' },
    })
    expect(partOf(parts.values(), 'TOOL_RESULT')).toMatchObject({ name: 'bash', isFailure: false, exitCode: 1 })
    expect(partOf(parts.values(), 'TOOL_CALL', 1)).toMatchObject({
      status: 'FAILED',
      params: '{"file_path":"app.toml"',
    })
    expect(partOf(parts.values(), 'TOOL_RESULT', 1)).toMatchObject({ isFailure: true, exitCode: null })
    const [call, result] = [partOf(parts.values(), 'TOOL_CALL', 2), partOf(parts.values(), 'TOOL_RESULT', 2)]
    expect(call?.startedAt).toBeLessThan(call?.endedAt ?? 0)
    expect(call?.files).toMatchObject([{ path: '/home/ada/app/dot.png', kind: 'READ' }])
    expect([result?.pair, result?.filePath]).toEqual([call?.pair, '/home/ada/app/dot.png'])
  })

  it('puts the bytes of an image behind the result that shows it', async () => {
    const { parts } = await read(conversation({ version }))
    const file = partOf(parts.values(), 'FILE')
    expect(file).toMatchObject({ mediaType: 'image/png', fileName: 'dot.png', ordinal: 1 })
    expect(Buffer.from(file?.data ?? [])).toEqual(PIXEL)
  })

  it('bills each response once, in disjoint buckets, lost ones and compactions too', async () => {
    const { inOrder } = await read(conversation({ version }))
    const usages = inOrder.flatMap(({ role, compaction, usage, isBilledOnly = false }) =>
      usage === null
        ? []
        : [[role, compaction, isBilledOnly, usage.inputTokens, usage.outputTokens, usage.reasoningTokens]],
    )
    expect(usages).toEqual([
      ['ASSISTANT', null, true, 7, 3, null],
      ['ASSISTANT', null, false, 100, 30, 20],
      ['SYSTEM', 'compaction', false, 100, 30, 20],
      ['ASSISTANT', null, false, 100, 30, 20],
    ])
  })
})

describe('titles', () => {
  const titleOf = async (log: Log) => (await read(log)).session?.title

  it("a person's outranks a provider's, and that the start of the first prompt, whichever comes last", async () => {
    const log = new Log().asks('\n  First words \nmore').injects('context')
    expect(await titleOf(log)).toEqual({ text: 'First words', origin: 'DERIVED' })
    log.titled('First', 'fallback').titled('Of the model', 'provider')
    expect(await titleOf(log)).toEqual({ text: 'Of the model', origin: 'SOURCE' })
    log.titled('Of Ada', 'user').titled('Of the model again', 'provider')
    expect(await titleOf(log)).toEqual({ text: 'Of Ada', origin: 'PERSON' })
    expect(await titleOf(log.titled('Renamed', 'user').titled(' ', 'user'))).toMatchObject({ text: 'Renamed' })
  })
})

describe('turns', () => {
  it('calls without a result were interrupted with their turn', async () => {
    const log = new Log().starts().asks('Run').calls('c', 'bash', '{}').ends(1, { kind: 'aborted', reason: 'user' })
    const session = await read(log)
    expect(partOf(session.parts.values(), 'TOOL_CALL')).toMatchObject({ status: 'INTERRUPTED' })
    expect(session.inOrder.at(-1)).toMatchObject({ stopReason: 'aborted', error: null })
  })

  it('an error stands on the last response, or on the prompt that got none', async () => {
    const error = { kind: 'error', error: { message: 'Down.', code: 'SERVER', status: 503 } }
    const messages = await shown(
      new Log().starts().asks('One').says('Hm').ends(1, error).starts(2).asks('Two').ends(2, error),
    )
    expect(messages.map((message) => message.error)).toEqual([
      null,
      { code: 'SERVER', message: 'Down.', isRetryable: null },
      { code: 'SERVER', message: 'Down.', isRetryable: null },
    ])
  })

  it('a response that was cut off says so, and one without blocks is billed', async () => {
    const messages = await shown(new Log().says('Half', { interrupted: true, usage: undefined }).says([]))
    expect(
      messages.map(({ stopReason, isResponse, usage, parts }) => [
        stopReason,
        isResponse,
        usage !== null,
        parts.length,
      ]),
    ).toEqual([
      ['interrupted', false, false, 1],
      [null, true, true, 0],
    ])
  })

  it('the end of a stream says why a response ended', async () => {
    const finish = { type: 'finish', reason: { kind: 'max-tokens' } }
    const [embedded] = await shown(new Log().says('Long', { stream: [{ type: 'chunk', time: 1, chunk: finish }] }))
    const [apart] = await shown(new Log({ version: 0 }).chunk(1, 1, finish).says('Long'))
    expect([embedded?.stopReason, apart?.stopReason]).toEqual(['max-tokens', 'max-tokens'])
  })

  it('usage of chunks is a sample of what the message states', async () => {
    const usage = { type: 'usage', usage: { inputTokens: 5, outputTokens: 5 } }
    const log = new Log({ version: 0 })
      .starts()
      .chunk(1, 1, usage)
      .says('Hi', { usage: { inputTokens: 9, outputTokens: 9 } })
      .ends()
    const { inOrder } = await read(log)
    expect(inOrder.map((message) => message.usage?.inputTokens)).toEqual([9])
  })

  it('a response that never settled makes no message', async () => {
    const log = new Log({ version: 0 }).starts().asks('Slow')
    log.packed('text-chunks', { turn: 1, step: 1, index: 0, dt: [1, 1], texts: ['a', 'b', 'c'] })
    expect((await shown(log)).map(({ role }) => role)).toEqual(['USER'])
  })

  it('calls of two turns with one id are two calls', async () => {
    const log = new Log().starts().calls('call_0', 'read', '{}').answers('call_0', 'one').ends()
    log
      .starts(2)
      .calls('call_0', 'read', '{}', 2)
      .answers('call_0', 'two', false, 2)
      .calls('call_0', 'read', '{}', 2)
      .answers('call_0', 'three', false, 2)
    const { parts } = await read(log)
    const pairs = (kind: PartRow['kind']) =>
      [...parts.values()].flatMap((part) => (part.kind === kind && 'pair' in part ? [part.pair] : []))
    expect(pairs('TOOL_RESULT')).toEqual(pairs('TOOL_CALL'))
    expect(new Set(pairs('TOOL_CALL')).size).toBe(3)
  })
})

describe('what was replaced', () => {
  it('stays, and what replaced a result or a prompt is no message', async () => {
    const log = new Log().asks('One').calls('c', 'read', '{}').answers('c', 'whole')
    const at = log.seq - 1
    const pruned = {
      id: `t${at}`,
      role: 'tool',
      source: { kind: 'tool', callId: 'c' },
      toolCallId: 'c',
      content: [],
      isError: false,
    }
    log.add(
      'tool/result',
      { turn: 1, step: 1, message: pruned },
      { surfaceOp: { op: 'replace', startSeq: at, endSeq: at }, sourceEventSeqs: [at] },
    )
    const snapshot = {
      id: 'other',
      role: 'user',
      content: [{ type: 'text', text: 'newer' }],
      source: { kind: 'runtime-context' },
    }
    log.add('user/message', snapshot, { surfaceOp: { op: 'replace', startSeq: 0, endSeq: 0 }, sourceEventSeqs: [0] })
    const messages = await shown(log)
    expect(messages.map(({ role }) => role)).toEqual(['USER', 'ASSISTANT', 'TOOL'])
    expect(partOf(messages[2]?.parts ?? [], 'TOOL_RESULT')).toMatchObject({ result: [{ type: 'text', text: 'whole' }] })
  })

  it('a compaction without a summary of its own is one that pruned', async () => {
    const log = new Log().asks('One').asks('Two')
    log.add('compaction/prune', { compactionId: 'k', shadowedSeqs: [0, 1] })
    const message = { id: 'pruned', role: 'user', content: 'Two things were said.', source: { kind: 'acme-pruner' } }
    log.add('user/message', message, {
      surfaceOp: { op: 'replace', startSeq: 0, endSeq: 1 },
      sourceEventSeqs: [0, 1, 2],
    })
    const messages = await shown(log)
    expect(messages.map(({ role, compaction }) => [role, compaction])).toEqual([
      ['USER', null],
      ['USER', null],
      ['SYSTEM', 'prune'],
    ])
  })

  it('a compaction that failed leaves nothing', async () => {
    const log = new Log()
      .asks('One')
      .add('compaction/start', { compactionId: 'k' })
      .add('compaction/end', { compactionId: 'k', error: 'no' })
    expect(await shown(log)).toHaveLength(1)
  })
})

describe('other messages and blocks', () => {
  it("what tells the model of its tools is the system's, and unknown blocks are data", async () => {
    const log = new Log()
    const source = { kind: 'ptc-mode' }
    log.message('developer/message', {
      turn: 1,
      step: 1,
      message: { id: 'd', role: 'developer', content: [{ type: 'tool-addition', toolName: 'x' }], source },
    })
    log.says([
      { type: 'plugin:acme', a: 1 },
      { type: 'text', text: 'Hi' },
    ])
    const messages = await shown(log)
    expect(messages.map(({ role, parts }) => [role, parts.map((part) => [part.kind, part.provenance])])).toEqual([
      ['SYSTEM', [['DATA', 'INJECTED']]],
      [
        'ASSISTANT',
        [
          ['DATA', 'CONVERSATIONAL'],
          ['TEXT', 'CONVERSATIONAL'],
        ],
      ],
    ])
  })

  it('events of very old logs are read as what they became', async () => {
    const log = new Log({ version: 0 }).message('steering/message', { role: 'user', content: 'Stop' })
    const [message] = await shown(log)
    expect(message).toMatchObject({
      role: 'USER',
      nativeId: `${id(1)}:0`,
      parts: [{ text: 'Stop', provenance: 'CONVERSATIONAL' }],
    })
  })

  it('a file that is not there leaves its name', async () => {
    const attachment = { attachmentId: `sha256:${'0'.repeat(64)}`, name: 'a.pdf', bytes: 3 }
    const [message] = await shown(
      new Log().message('user/message', {
        id: 'u',
        role: 'user',
        content: [{ type: 'file', attachment }],
        source: { kind: 'user' },
      }),
    )
    expect(message?.parts).toMatchObject([
      { kind: 'FILE', fileName: 'a.pdf', data: null, url: attachment.attachmentId },
    ])
  })
})

describe('families', () => {
  const origin = { parentSession: id(1), origin: 'subagent', delegationDepth: 1, createdAt: START_MS + 60_000 }

  it.each([0, 4])('a child of generation %i is tied to the call that delegated to it', async (version) => {
    const home = new Home()
    const parent = new Log({ version }).starts().asks('Delegate')
    parent.calls('d1', 'subagent', '{"description":"Other thing"}').calls('d2', 'subagent', '{"description":"Notes"}')
    if (version === 4) parent.add('subagent/catalog', { version: 1, childId: id(2), mode: 'one-shot', label: 'Notes' })
    home.raw(parent, 1)
    const child = new Log({ n: 2, version, header: origin })
    child.add('subagent/descriptor', {
      version: 2,
      mode: 'one-shot',
      provider: 'spawn',
      label: 'Notes',
      persona: 'reader',
    })
    home.raw(child.asks('Read the notes.').says('Read.'), 2)
    const { items } = await home.sync()
    const call = partOf(home.of(1).parts.values(), 'TOOL_CALL', 1)
    expect(home.of(2).session).toMatchObject({
      kind: 'SUBAGENT',
      agent: 'dsh/reader',
      parentNativeId: id(1),
      relation: 'SPAWN',
      parentPair: call?.pair,
    })
    const told = items.flatMap((item) =>
      item.kind === 'subagent' ? [[item.sessionId, item.subagent.childNativeId, item.subagent.pair]] : [],
    )
    expect(new Set(told.map((row) => JSON.stringify(row)))).toEqual(
      new Set([JSON.stringify([id(1), id(2), call?.pair])]),
    )
    expect(call?.childNativeId).toBe(version === 4 ? id(2) : null)
    expect(home.texts(2)).toEqual(['Read the notes.', 'Read.'])
  })

  it.each([0, 1, 2, 3, 4])('a fork of generation %i inherits what it copied', async (version) => {
    const copied = conversation({ version })
    const seed: Row = version < 2 ? { seedLength: copied.seq } : { isSeeded: true }
    const log = new Log({ n: 2, version, copied: copied.rows, header: { parentSession: id(1), ...seed } })
    log.add('session/end-seed', { inherited: true }).starts(2).asks('On').says('Yes', {}, 2)
    const { session, inOrder } = await read(log, 2)
    const last = inOrder.findLast(({ isInherited }) => isInherited)?.nativeId
    expect(session).toMatchObject({
      kind: 'MAIN',
      relation: 'FORK',
      parentNativeId: id(1),
      parentMessageNativeId: last,
    })
    expect(inOrder.filter(({ isInherited }) => !isInherited).map(({ role }) => role)).toEqual(['USER', 'ASSISTANT'])
    expect(
      inOrder
        .filter(({ isInherited, usage }) => isInherited && usage !== null)
        .every(({ copy }) => copy?.origin === id(1)),
    ).toBe(true)
  })

  it('a fork of a fork inherits up to its own mark, also when it is read in pieces', async () => {
    const log = new Log({ n: 3, header: { parentSession: id(2), isSeeded: true } }).asks('First')
    log.add('session/end-seed', { inherited: true }).asks('Second').says('Second answer')
    const home = new Home()
    const path = home.raw(log, 3)
    await home.sync()
    const inherited = () => home.of(3).inOrder.map(({ isInherited }) => isInherited)
    expect(inherited()).toEqual([true, false, false])
    home.append(path, log.add('session/end-seed', { inherited: true }).asks('Third').lines.slice(-2).join(''))
    await home.sync()
    expect(inherited()).toEqual([true, true, true, false])
    const whole = await read(log, 3)
    expect(whole.inOrder).toEqual(home.of(3).inOrder)
  })

  it('a descriptor that a child copied from its parent is not its own', async () => {
    const copied = new Log().add('subagent/descriptor', {
      version: 2,
      mode: 'one-shot',
      label: 'Old',
      persona: 'old',
    }).rows
    const log = new Log({ n: 2, version: 0, copied, header: { ...origin, seedLength: 1 } })
    const { session } = await read(
      log.add('subagent/descriptor', { version: 2, mode: 'one-shot', label: 'New', persona: 'new' }),
      2,
    )
    expect(session?.agent).toBe('dsh/new')
  })

  it('usage is what the harness states, in buckets that add up to its total', async () => {
    const { inOrder } = await read(new Log().says('Hi'))
    const usage = inOrder[0]?.usage
    const total =
      (usage?.inputTokens ?? 0) +
      (usage?.outputTokens ?? 0) +
      (usage?.reasoningTokens ?? 0) +
      (usage?.cacheReadTokens ?? 0)
    expect(total).toBe(USAGE.inputTokens + USAGE.outputTokens + USAGE.cacheReadTokens)
  })
})
