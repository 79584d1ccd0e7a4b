import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { content } from '../../../src/adapters/opencode/content.ts'
import { createOpencode } from '../../../src/adapters/opencode/index.ts'
import type { PartRow, ToolCallRow } from '../../../src/model/rows.ts'
import { Reader, tempDir } from '../read-all.ts'
import { assistant, type Fields, idAt, OpencodeDatabase, T0, textPart, toolPart, user } from './store.ts'

async function read(fill: (db: OpencodeDatabase) => void) {
  const dir = tempDir()
  const db = new OpencodeDatabase(join(dir, 'opencode.db'))
  fill(db)
  const reader = new Reader(createOpencode(), dir)
  const { problems } = await reader.sync()
  return { db, reader, problems }
}

/** One assistant message with one part. */
async function readPart(part: Fields, message: Fields = assistant(T0 + 10)) {
  const { reader, problems } = await read((db) =>
    db.session('ses_a').message('ses_a', 'msg_1', message).part('ses_a', 'msg_1', 'prt_1', part),
  )
  const session = reader.session('ses_a')
  return { session, problems, part: session.parts.get('prt_1'), result: session.parts.get('prt_1/result') }
}

const callOf = (part: PartRow | undefined): ToolCallRow => {
  if (part?.kind !== 'TOOL_CALL') throw new Error(`no call but ${part?.kind}`)
  return part
}

describe('a session row', () => {
  it('gives what it says', async () => {
    const { reader } = await read((db) =>
      db.session('ses_a', {
        share_url: 'https://opncd.ai/s/x',
        revert: '{"messageID":"msg_9"}',
        time_archived: T0 + 7,
      }),
    )
    expect(reader.session('ses_a').session).toEqual({
      kind: 'MAIN',
      agent: 'opencode',
      title: { text: 'A session', origin: 'SOURCE' },
      projectPath: '/home/ann/shop',
      repository: '/home/ann/shop',
      gitBranch: null,
      clientVersion: '1.18.33',
      shareUrl: 'https://opncd.ai/s/x',
      parentNativeId: null,
      relation: null,
      parentPair: null,
      parentMessageNativeId: null,
      createdAt: { ms: T0, origin: 'RECORDED' },
      archivedAt: T0 + 7,
      revertedFrom: 'msg_9',
      sourcePath: `${reader.root}/opencode.db`,
      record: 'a/session/ses_a',
    })
  })

  it('knows that it is neither archived nor reverted', async () => {
    const { reader } = await read((db) => db.session('ses_a'))
    expect(reader.session('ses_a').session).toMatchObject({ archivedAt: false, revertedFrom: false })
  })

  it('names no repository outside of one', async () => {
    const { reader } = await read((db) => {
      db.insert('project', { id: 'global', worktree: '/', time_created: T0, time_updated: T0, sandboxes: '[]' })
      db.session('ses_a', { project_id: 'global' })
    })
    expect(reader.session('ses_a').session?.repository).toBeNull()
  })

  it.each([
    ['explore', 'opencode/explore'],
    [null, 'opencode/subagent'],
  ])('with a parent and agent %s is a child', async (agent, expected) => {
    const { reader } = await read((db) => db.session('ses_c', { parent_id: 'ses_p', agent }))
    expect(reader.session('ses_c').session).toMatchObject({
      kind: 'SUBAGENT',
      relation: 'SPAWN',
      agent: expected,
      parentNativeId: 'ses_p',
    })
  })
})

describe('a message', () => {
  it('takes its time from its own record, never from the column that a migration stamped', async () => {
    const { reader } = await read((db) => {
      db.session('ses_a').message('ses_a', 'msg_1', user(T0 + 5))
      db.set('message', 'msg_1', { time_created: Date.UTC(2040, 0, 1) })
    })
    expect(reader.session('ses_a').messages.get('msg_1')?.time).toEqual({ ms: T0 + 5, origin: 'RECORDED' })
  })

  it('without a time takes the start of its session, and says so', async () => {
    const { reader, problems } = await read((db) => {
      db.session('ses_a').message('ses_a', 'msg_1', { role: 'user' })
      db.message('ses_a', 'msg_2', { role: 'user', time: { created: 'soon' } })
    })
    const times = [...reader.session('ses_a').messages.values()].map(({ time }) => time)
    expect(times).toEqual(Array(2).fill({ ms: T0, origin: 'SESSION_START' }))
    expect(problems.map(({ kind, location }) => [kind, location.split('#')[1]])).toEqual([['SCHEMA', 'message/msg_2']])
  })

  it('of an unknown role is a SYSTEM message with an injected text', async () => {
    const { reader } = await read((db) => {
      db.session('ses_a').message('ses_a', 'msg_1', { role: 'synthetic', text: 'note', time: { created: T0 } })
      db.message('ses_a', 'msg_2', { role: 'shell', time: { created: T0 } })
      db.part('ses_a', 'msg_2', 'prt_2', toolPart('bash', {}))
    })
    const session = reader.session('ses_a')
    expect([...session.messages.values()].map(({ role }) => role)).toEqual(['SYSTEM', 'SYSTEM'])
    expect(session.partsOf('msg_1')).toMatchObject([{ kind: 'TEXT', provenance: 'INJECTED', text: 'note' }])
    expect(session.partsOf('msg_2')).toMatchObject([
      { kind: 'TEXT', text: 'shell' },
      { kind: 'DATA', dataType: 'tool' },
    ])
  })

  it('carries model, provider, stop reason, working directory and error', async () => {
    const error = { name: 'APIError', data: { message: 'too many', isRetryable: true, statusCode: 429 } }
    const { session } = await readPart(
      textPart(''),
      assistant(T0, { error, finish: undefined, tokens: undefined, cost: 0 }),
    )
    expect(session.messages.get('msg_1')).toMatchObject({
      role: 'ASSISTANT',
      model: 'acme-1',
      provider: 'acme',
      parentNativeId: 'msg_parent',
      cwd: '/home/ann/shop',
      stopReason: null,
      error: { code: 'APIError', message: 'too many', isRetryable: true },
      usage: null,
      isResponse: false,
      copy: null,
    })
  })

  it('with a summary of its own is the place of a compaction', async () => {
    const { reader } = await read((db) => {
      db.session('ses_a')
        .message('ses_a', 'msg_1', user(T0))
        .part('ses_a', 'msg_1', 'prt_1', { type: 'compaction', auto: true })
      db.message('ses_a', 'msg_2', assistant(T0 + 1, { summary: true }))
    })
    const session = reader.session('ses_a')
    expect([...session.messages.values()].map(({ compaction }) => compaction)).toEqual([null, 'compaction'])
    expect(session.parts.get('prt_1')).toMatchObject({ kind: 'DATA', dataType: 'compaction', provenance: 'INJECTED' })
  })

  it('that is older than its session was copied into it, and its key tells the origin', async () => {
    const { reader } = await read((db) => {
      db.session('ses_a')
        .message('ses_a', 'msg_1', assistant(T0 + 10))
        .message('ses_a', 'msg_2', assistant(T0 + 20))
      db.session('ses_fork', { time_created: T0 + 15 }).message('ses_fork', 'msg_c', assistant(T0 + 10))
      db.message('ses_fork', 'msg_own', assistant(T0 + 30))
    })
    const origin = reader.session('ses_a').messages
    const fork = reader.session('ses_fork').messages
    expect([fork.get('msg_c')?.isInherited, fork.get('msg_own')?.isInherited]).toEqual([true, false])
    expect([...origin.values()].some(({ isInherited }) => isInherited)).toBe(false)
    expect(fork.get('msg_c')?.copy?.key).toBe(origin.get('msg_1')?.copy?.key)
    expect(fork.get('msg_own')?.copy?.key).not.toBe(origin.get('msg_2')?.copy?.key)
  })
})

describe('usage', () => {
  const usage = async (tokens: unknown, cost: unknown = 0) => {
    const { session, problems } = await readPart(textPart(''), assistant(T0, { tokens, cost }))
    return { usage: session.messages.get('msg_1')?.usage, problems }
  }

  it('takes reasoning out of the output where the total shows that it is in there', async () => {
    const cache = { read: 200, write: 10 }
    const upTo12 = await usage({ total: 1260, input: 1000, output: 50, reasoning: 12, cache })
    expect(upTo12.usage).toMatchObject({
      inputTokens: 1000,
      outputTokens: 38,
      reasoningTokens: 12,
      cacheWriteTokens: 10,
    })
    const later = await usage({ total: 1272, input: 1000, output: 50, reasoning: 12, cache })
    expect(later.usage).toMatchObject({ outputTokens: 50 })
    const without = await usage({ input: 1000, output: 50, reasoning: 12, cache })
    expect(without.usage).toMatchObject({ outputTokens: 50, reasoningTokens: 12 })
  })

  it('counts zeros as none, and money in billionths', async () => {
    const zeros = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
    expect((await usage(zeros)).usage).toBeNull()
    expect((await usage(zeros, 0.00858)).usage).toMatchObject({ costNanos: 8_580_000, inputTokens: 0 })
  })

  it('does not know a cost of 0, which stands for models without a price', async () => {
    expect((await usage({ input: 10 }, 0)).usage).toMatchObject({ inputTokens: 10, costNanos: null })
  })

  it('does not know what is no count, and says so', async () => {
    const { usage: found, problems } = await usage({ input: 10, output: 1.5, reasoning: -1, cache: {} }, -2)
    expect(found).toMatchObject({ inputTokens: 10, outputTokens: null, reasoningTokens: null, costNanos: null })
    expect(problems).toMatchObject([
      { kind: 'SCHEMA', message: expect.stringContaining('tokens.output, tokens.reasoning, cost') },
    ])
  })
})

describe('a part', () => {
  it('of text is injected exactly when it is synthetic', async () => {
    expect((await readPart(textPart('x'))).part).toMatchObject({
      kind: 'TEXT',
      provenance: 'CONVERSATIONAL',
      text: 'x',
    })
    expect((await readPart(textPart('x', { synthetic: true }))).part).toMatchObject({ provenance: 'INJECTED' })
  })

  it('of reasoning has no text where it is redacted', async () => {
    const redacted = { type: 'reasoning', text: '', metadata: { anthropic: { redactedData: 'RU5D' } } }
    expect((await readPart(redacted)).part).toMatchObject({ kind: 'REASONING', text: null })
    expect((await readPart({ type: 'reasoning', text: '' })).part).toMatchObject({ kind: 'REASONING', text: '' })
  })

  it('of a file holds its bytes or its link', async () => {
    const inline = { type: 'file', mime: 'image/png', filename: 'a.png', url: 'data:image/png;base64,iVBORw==' }
    expect((await readPart(inline)).part).toMatchObject({
      kind: 'FILE',
      mediaType: 'image/png',
      fileName: 'a.png',
      data: Buffer.from('iVBORw==', 'base64'),
      url: null,
    })
    const linked = { type: 'file', mime: 'text/plain', filename: 'b.csv', url: 'file:///home/ann/b.csv' }
    expect((await readPart(linked)).part).toMatchObject({ data: null, url: 'file:///home/ann/b.csv' })
  })

  it.each([
    [{ type: 'step-start', snapshot: 'abc' }, 'Step started'],
    [{ type: 'step-finish', reason: 'stop', tokens: {} }, 'Step finished: stop'],
    [{ type: 'patch', hash: 'h', files: ['/a', '/b'] }, 'Files changed: /a, /b'],
    [{ type: 'snapshot', snapshot: 's' }, 'Snapshot of the working tree'],
    [{ type: 'subtask', description: 'look', agent: 'general' }, 'Subtask: look'],
    [{ type: 'agent', name: 'plan' }, 'Agent: plan'],
    [{ type: 'retry', attempt: 1, error: { name: 'APIError', data: { message: 'slow' } } }, 'Retry: slow'],
    [{ type: 'hologram', value: 1 }, null],
  ])('of type $0.type is data with all that it says', async (data, label) => {
    expect((await readPart(data)).part).toMatchObject({
      kind: 'DATA',
      dataType: data.type,
      provenance: 'INJECTED',
      label,
      data,
    })
  })
})

describe('a tool part', () => {
  it('is a call on its message and a result on a TOOL message directly behind it', async () => {
    const state = { input: { command: 'npm test' }, output: 'ok\n', time: { start: T0 + 20, end: T0 + 90 } }
    const { reader } = await read((db) => {
      db.session('ses_a')
        .message('ses_a', 'msg_1', assistant(T0 + 10))
        .message('ses_a', 'msg_2', user(T0 + 10))
      db.part('ses_a', 'msg_1', 'prt_1', toolPart('bash', { ...state, metadata: { exit: 0 } }, { callID: 'call_7' }))
    })
    const session = reader.session('ses_a')
    expect(session.inOrder.map(({ nativeId }) => nativeId)).toEqual(['msg_1', 'prt_1/result', 'msg_2'])
    expect(session.parts.get('prt_1')).toEqual({
      kind: 'TOOL_CALL',
      nativeId: 'prt_1',
      messageId: 'msg_1',
      ordinal: 0,
      provenance: 'CONVERSATIONAL',
      citation: { record: 'm/msg_1/prt_1', place: 'input' },
      isSplitOff: false,
      callId: 'call_7',
      pair: 'prt_1',
      name: 'bash',
      category: 'SHELL',
      status: 'SUCCEEDED',
      summary: 'npm test',
      command: 'npm test',
      mcpServer: null,
      files: [],
      params: { command: 'npm test' },
      isProviderExecuted: false,
      startedAt: T0 + 20,
      endedAt: T0 + 90,
      childNativeId: null,
    })
    expect(session.messages.get('prt_1/result')).toMatchObject({
      role: 'TOOL',
      time: { ms: T0 + 90, origin: 'RECORDED' },
      parentNativeId: 'msg_1',
      records: [],
      partIds: ['prt_1/result'],
    })
    expect(session.parts.get('prt_1/result')).toMatchObject({
      kind: 'TOOL_RESULT',
      messageId: 'prt_1/result',
      isSplitOff: true,
      pair: 'prt_1',
      result: 'ok\n',
      isFailure: false,
      exitCode: 0,
    })
  })

  it.each([
    ['an error', 'edit', { status: 'error', output: undefined, error: 'oldString not found' }, 'oldString not found'],
    ['an exit code', 'bash', { output: 'no', metadata: { exit: 3 } }, 'no'],
    ['the tool invalid', 'invalid', { input: { tool: 'x', error: 'y' }, output: 'bad arguments' }, 'bad arguments'],
  ])('failed by %s', async (_, tool, state, expected) => {
    const { part, result } = await readPart(toolPart(tool, state))
    expect(part).toMatchObject({ status: 'FAILED' })
    expect(result).toMatchObject({ isFailure: true, result: expected })
  })

  it('that still runs has no result', async () => {
    const { session, part } = await readPart(toolPart('bash', { status: 'running', output: undefined }))
    expect(part).toMatchObject({ status: 'RUNNING' })
    expect([...session.messages.keys()]).toEqual(['msg_1'])
  })

  it('without output results in the rest of its state', async () => {
    const { result } = await readPart(toolPart('x', { output: undefined, title: 't', metadata: { a: 1 } }))
    expect(result).toMatchObject({ result: { title: 't', metadata: { a: 1 } } })
  })

  it('puts attachments behind its result', async () => {
    const file = { type: 'file', mime: 'image/png', url: 'data:image/png;base64,iVBORw==' }
    const { session } = await readPart(toolPart('read', { attachments: [file, file] }))
    expect(session.partsOf('prt_1/result').map(({ nativeId, kind }) => [nativeId, kind])).toEqual([
      ['prt_1/result', 'TOOL_RESULT'],
      ['prt_1/result/0', 'FILE'],
      ['prt_1/result/1', 'FILE'],
    ])
  })

  it('finds the session that it spawned', async () => {
    const { part } = await readPart(
      toolPart('task', { input: { description: 'Look' }, metadata: { sessionId: 'ses_c' } }),
    )
    expect(part).toMatchObject({ category: 'AGENT', childNativeId: 'ses_c', summary: 'Look' })
  })

  it('names the files that it read or changed, with their diffs', async () => {
    const diff = '--- a\n+++ b\n-old\n+new\n+more\n'
    const files = async (tool: string, input: Fields, metadata: Fields) =>
      callOf((await readPart(toolPart(tool, { input, metadata }))).part).files.map(
        ({ path, kind, diff: d, additions, deletions }) => ({
          path,
          kind,
          hasDiff: d !== null,
          counts: [additions, deletions],
        }),
      )
    expect(await files('read', { filePath: '/a' }, {})).toEqual([
      { path: '/a', kind: 'READ', hasDiff: false, counts: [null, null] },
    ])
    expect(
      await files('edit', { filePath: '/a', oldString: 'x' }, { diff, filediff: { additions: 7, deletions: 5 } }),
    ).toEqual([{ path: '/a', kind: 'UPDATE', hasDiff: true, counts: [7, 5] }])
    expect(await files('edit', { filePath: '/a', oldString: 'x' }, { filediff: { patch: diff } })).toEqual([
      { path: '/a', kind: 'UPDATE', hasDiff: true, counts: [2, 1] },
    ])
    expect(await files('write', { filePath: '/a' }, { exists: false })).toMatchObject([{ kind: 'ADD' }])
    expect(await files('write', { filePath: '/a' }, { exists: true })).toMatchObject([{ kind: 'UPDATE' }])
    const patched = [
      { filePath: '/n', type: 'add', diff },
      { filePath: '/o', type: 'move', movePath: '/p' },
    ]
    expect(await files('apply_patch', {}, { files: patched })).toMatchObject([
      { path: '/n', kind: 'ADD', counts: [2, 1] },
      { path: '/o', kind: 'MOVE' },
    ])
    const patchText =
      '*** Begin Patch\n*** Add File: x\n+1\n+2\n*** Update File: y\n*** Move to: z\n-1\n*** Delete File: w\n*** End Patch'
    expect(await files('patch', { patchText }, {})).toMatchObject([
      { path: 'x', kind: 'ADD', counts: [2, null] },
      { path: 'y', kind: 'MOVE', counts: [null, 1] },
      { path: 'w', kind: 'DELETE' },
    ])
    expect(await files('grep', { pattern: 'x', path: '/a' }, {})).toEqual([])
  })

  it('touched nothing when it failed', async () => {
    const { part } = await readPart(toolPart('edit', { status: 'error', error: 'no', input: { filePath: '/a' } }))
    expect(callOf(part).files).toEqual([])
  })
})

describe('content', () => {
  it('gives at every cited place what the mapping took from there', async () => {
    const { reader } = await read((db) => {
      db.session('ses_a').message('ses_a', 'msg_1', assistant(T0)).message('ses_a', 'msg_2', { role: 'shell' })
      const metadata = { diff: '-a\n+b', filediff: { additions: 1, deletions: 1 } }
      const parts = [textPart('long'), { type: 'reasoning', text: 'hm' }, { type: 'patch', files: ['/x'] }]
      const edit = toolPart('edit', { input: { filePath: '/x', oldString: 'a' }, output: 'done', metadata })
      for (const [n, part] of [...parts, edit].entries()) db.part('ses_a', 'msg_1', idAt('prt', T0, n), part)
    })
    const session = reader.session('ses_a')
    const at = (part: PartRow, place: string): unknown => {
      const record = session.records.get(part.citation.record)
      return content(JSON.parse(String(Buffer.from(record?.bytes ?? []))), record?.type ?? '', place)
    }
    for (const part of session.parts.values()) {
      const value =
        part.kind === 'TEXT' || part.kind === 'REASONING'
          ? part.text
          : part.kind === 'DATA'
            ? part.data
            : part.kind === 'TOOL_CALL'
              ? part.params
              : part.kind === 'TOOL_RESULT'
                ? part.result
                : undefined
      expect(at(part, part.citation.place)).toEqual(value)
      if (part.kind !== 'TOOL_CALL') continue
      expect(part.files).toHaveLength(1)
      for (const file of part.files) expect(at(part, file.diffPlace ?? '')).toBe(file.diff)
    }
    expect(session.parts.size).toBe(6)
  })
})
