import { describe, expect, it } from 'vitest'
import type { PartRow } from '../../../src/model/rows.ts'
import { assistant, calls, Home, line, lines, main, result, SESSION, says, user } from './home.ts'

async function read(...of: readonly Record<string, unknown>[]) {
  const home = new Home()
  home.write(main(), lines(...of))
  const { problems, items } = await home.sync()
  expect(problems).toEqual([])
  return { home, items, session: home.session() }
}
const call = (parts: Iterable<PartRow>) => [...parts].flatMap((part) => (part.kind === 'TOOL_CALL' ? [part] : []))

describe('usage', () => {
  it('ccusage#901, ccusage#938: of the lines of one response the largest output counts, input once', async () => {
    const { session } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', [says('a')], {}, { output_tokens: 9 }),
      assistant('a2', 'a1', 'm1', [says('b')], {}, { output_tokens: 9 }),
      assistant('a3', 'a2', 'm1', [says('c')], {}, { output_tokens: 159 }),
    )
    const billed = session.inOrder.filter(({ usage }) => usage !== null)
    expect(billed.map(({ usage }) => [usage?.inputTokens, usage?.outputTokens])).toEqual([[10, 159]])
    expect(session.texts).toEqual(['go', 'a', 'b', 'c'])
  })

  it('history-viewer#283, ccstatusline#549: equal copies of a usage and of a stop reason are one response', async () => {
    const stop = {
      message: {
        id: 'm1',
        role: 'assistant',
        model: 'x',
        content: [says('a')],
        stop_reason: 'tool_use',
        usage: { input_tokens: 3, output_tokens: 4 },
      },
    }
    const { session } = await read(
      user('u1', null, 'go'),
      ...['a1', 'a2', 'a3'].map((id, n) => line('assistant', id, n === 0 ? 'u1' : `a${n}`, stop)),
    )
    expect(session.inOrder.filter(({ isResponse }) => isResponse).length).toBe(1)
  })

  it('lines of one response with results between them are one message, at the place of its first line', async () => {
    const { session } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', [calls('c1', 'Read', { file_path: '/f' })]),
      result('r1', 'a1', 'c1', 'text'),
      assistant('a2', 'a1', 'm1', [calls('c2', 'Read', { file_path: '/g' })]),
      result('r2', 'a2', 'c2', 'text'),
    )
    expect(session.inOrder.map(({ role, nativeId }) => `${role} ${nativeId}`)).toEqual([
      'USER u1',
      'ASSISTANT a1',
      'TOOL r1',
      'TOOL r2',
    ])
    expect(session.offPath.size).toBe(0)
  })

  it('checkyouragent#41: copied history says whose it is, and counts by its message ids', async () => {
    const copied = { sessionId: SESSION, requestSessionId: 'origin' }
    const { session } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', [says('a')], copied),
      assistant('a2', 'a1', 'm2', [says('b')]),
    )
    expect(session.inOrder.map(({ isInherited, copy }) => [isInherited, copy?.key, copy?.rule, copy?.origin])).toEqual([
      [false, 'u1', 'shared-id', null],
      [true, 'm1', 'shared-id', 'origin'],
      [false, 'm2', 'shared-id', null],
    ])
  })

  it('synthetic responses and errors are the harness’s words, and no model is billed', async () => {
    const synthetic = {
      message: {
        id: 'm1',
        role: 'assistant',
        model: '<synthetic>',
        content: [says('API Error: 500')],
        stop_reason: 'stop_sequence',
        usage: { input_tokens: 0, output_tokens: 0 },
      },
    }
    const { session } = await read(
      user('u1', null, 'go'),
      line('assistant', 'a1', 'u1', { ...synthetic, isApiErrorMessage: true, error: 'server_error' }),
    )
    const message = session.inOrder[1]
    expect([
      message?.model,
      message?.usage,
      message?.isResponse,
      message?.error?.code,
      message?.error?.message,
    ]).toEqual([null, null, false, 'server_error', 'API Error: 500'])
    expect(session.partsOf('a1').map(({ provenance }) => provenance)).toEqual(['INJECTED'])
  })
})

describe('what is whose', () => {
  it.each([
    ['<command-name>/cost</command-name>', 'INJECTED'],
    ['<local-command-stdout>x</local-command-stdout>', 'INJECTED'],
    ['<bash-input>ls</bash-input>', 'INJECTED'],
    ['<task-notification>done</task-notification>', 'INJECTED'],
    ['[Request interrupted by user for tool use]', 'INJECTED'],
    ['What does <command-name> mean?', 'CONVERSATIONAL'],
  ])('%s is %s', async (text, provenance) => {
    const { session } = await read(user('u1', null, text))
    expect(session.partsOf('u1').map((part) => part.provenance)).toEqual([provenance])
  })

  it('a text that mixes both is split at the exact boundary', async () => {
    const text = 'before <system-reminder>r</system-reminder>\nafter'
    const { session } = await read(user('u1', null, [says(text)]))
    const parts = session.partsOf('u1')
    expect(parts.map((part) => [part.provenance, part.kind === 'TEXT' ? part.text : null])).toEqual([
      ['CONVERSATIONAL', 'before '],
      ['INJECTED', '<system-reminder>r</system-reminder>\n'],
      ['CONVERSATIONAL', 'after'],
    ])
  })

  it('a record of results and text is a USER message and a TOOL message directly behind it', async () => {
    const mixed = [{ type: 'tool_result', tool_use_id: 'c1', content: 'out' }, says('and this')]
    const { session } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', [calls('c1', 'Bash')]),
      user('u2', 'a1', mixed),
      assistant('a2', 'u2', 'm2', [says('ok')]),
    )
    expect(session.inOrder.map(({ role, nativeId, records }) => [role, nativeId, records.length])).toEqual([
      ['USER', 'u1', 1],
      ['ASSISTANT', 'a1', 1],
      ['USER', 'u2', 1],
      ['TOOL', 'u2/results', 0],
      ['ASSISTANT', 'a2', 1],
    ])
    expect(session.partsOf('u2/results').map(({ isSplitOff }) => isSplitOff)).toEqual([true])
  })

  it('the summary of a compaction stands on the harness’s message that carries it', async () => {
    const { session } = await read(
      line('system', 'b1', null, { subtype: 'compact_boundary' }),
      user('u1', 'b1', 'This session is being continued', { isCompactSummary: true }),
    )
    expect(session.inOrder.map(({ compaction, role }) => [role, compaction])).toEqual([['USER', 'compact']])
  })
})

describe('sessions', () => {
  it('deja-vu#28, #1533: the project is the first working directory of the lines, whatever the folder is called', async () => {
    const { session } = await read(
      user('u1', null, 'go', { cwd: '/w/My_Projects/a.b' }),
      user('u2', 'u1', 'cd', { cwd: '/elsewhere' }),
    )
    expect(session.session?.projectPath).toBe('/w/My_Projects/a.b')
  })

  it('claude-code#35800: what the SDK of a program started is automation', async () => {
    const kindOf = async (entrypoint: string) =>
      (await read(user('u1', null, 'go', { entrypoint }))).session.session?.kind
    expect([await kindOf('sdk-py'), await kindOf('sdk-cli'), await kindOf('cli')]).toEqual([
      'AUTOMATION',
      'MAIN',
      'MAIN',
    ])
  })

  it('deja-vu#1533: a child whose lines carry its parent’s id is a session of its own', async () => {
    const home = new Home()
    home.write(main(), lines(user('u1', null, 'parent')))
    home.write(
      `${SESSION}/subagents/agent-a1.jsonl`,
      lines(user('s1', null, 'child', { isSidechain: true, agentId: 'a1' })),
    )
    await home.sync()
    expect([home.session().texts, home.session(`${SESSION}/agent-a1`).texts]).toEqual([['parent'], ['child']])
  })

  it('without a title of its own a session is called by its first prompt', async () => {
    const { session } = await read(
      user('u1', null, '<command-name>/x</command-name>'),
      user('u2', 'u1', '\n Fix it \nplease'),
    )
    expect(session.session?.title).toEqual({ text: 'Fix it', origin: 'DERIVED' })
  })

  it('a summary at a line of its own file is the source’s title, before or after that line', async () => {
    const summary = { type: 'summary', summary: 'Own', leafUuid: 'a1' }
    const turn = [user('u1', null, 'go'), assistant('a1', 'u1', 'm1', [says('x')])]
    for (const of of [
      [summary, ...turn],
      [...turn, summary],
    ])
      expect((await read(...of)).session.session?.title).toEqual({ text: 'Own', origin: 'SOURCE' })
  })

  it('an away summary is a summary', async () => {
    const { session } = await read(
      user('u1', null, 'go'),
      line('system', 's1', 'u1', { subtype: 'away_summary', content: 'Meanwhile' }),
    )
    expect([...session.summaries.values()]).toMatchObject([
      { kind: 'away_summary', content: 'Meanwhile', messageId: 'u1' },
    ])
  })
})

describe('tools', () => {
  it('a failed command has its exit code, a refused one none', async () => {
    const failed = (id: string, callId: string, text: string) =>
      user(id, 'a1', [{ type: 'tool_result', tool_use_id: callId, content: text, is_error: true }], {
        toolUseResult: `Error: ${text}`,
      })
    const { session } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', [calls('c1', 'Bash'), calls('c2', 'Bash')]),
      failed('r1', 'c1', 'Exit code 3\nno'),
      failed('r2', 'c2', 'Denied'),
    )
    expect(
      [...session.parts.values()].flatMap((part) =>
        part.kind === 'TOOL_RESULT' ? [[part.exitCode, part.isFailure, part.name]] : [],
      ),
    ).toEqual([
      [3, true, 'Bash'],
      [null, true, 'Bash'],
    ])
    expect(call(session.parts.values()).map(({ status }) => status)).toEqual(['FAILED', 'FAILED'])
  })

  it('a made file and a changed one have their diffs in the record of the result', async () => {
    const patch = [{ oldStart: 3, oldLines: 1, newStart: 3, newLines: 2, lines: ['--a', '+b', '++c'] }]
    const { session } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', [
        calls('c1', 'Write', { file_path: '/f' }),
        calls('c2', 'Edit', { file_path: '/g' }),
      ]),
      result('r1', 'a1', 'c1', 'ok', {
        toolUseResult: { type: 'create', filePath: '/f', content: 'x\ny', structuredPatch: [] },
      }),
      result('r2', 'a1', 'c2', 'ok', { toolUseResult: { filePath: '/g', structuredPatch: patch } }),
    )
    const files = call(session.parts.values()).flatMap((part) => part.files)
    expect(files.map(({ kind, additions, deletions, diffPlace }) => [kind, additions, deletions, diffPlace])).toEqual([
      ['ADD', 2, 0, 'result/diff'],
      ['UPDATE', 2, 1, 'result/diff'],
    ])
    expect(files.map(({ diff }) => diff)).toEqual([
      '--- /dev/null\n+++ /f\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n',
      '--- /g\n+++ /g\n@@ -3,1 +3,2 @@\n--a\n+b\n++c\n',
    ])
  })

  it('rewound turns leave the active path, results of parallel calls never do', async () => {
    const { session } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', [calls('c1', 'Read')]),
      assistant('a2', 'a1', 'm1', [calls('c2', 'Read')]),
      result('r1', 'a1', 'c1', 'x'),
      result('r2', 'a2', 'c2', 'y'),
      assistant('a3', 'r2', 'm2', [says('both')]),
      user('u2', 'a3', 'left'),
      assistant('a4', 'u2', 'm3', [says('left')]),
      user('u3', 'a3', 'other'),
      user('u4', 'a1', '[Request interrupted by user]'),
    )
    expect([...session.offPath].sort()).toEqual(['a3', 'a4', 'u2', 'u3'])
  })

  it('what the provider ran by itself has its result in a TOOL message', async () => {
    const blocks = [
      { type: 'server_tool_use', id: 'w1', name: 'web_search', input: { query: 'weather' } },
      { type: 'web_search_tool_result', tool_use_id: 'w1', content: [{ type: 'web_search_result', url: 'https://x' }] },
    ]
    const { session } = await read(user('u1', null, 'go'), assistant('a1', 'u1', 'm1', blocks))
    expect(session.inOrder.map(({ role }) => role)).toEqual(['USER', 'ASSISTANT', 'TOOL'])
    expect(
      call(session.parts.values()).map(({ status, isProviderExecuted, category }) => [
        status,
        isProviderExecuted,
        category,
      ]),
    ).toEqual([['SUCCEEDED', true, 'WEB']])
  })
})
