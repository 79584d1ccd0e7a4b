import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../lib/random.ts'

export interface TranscriptShape {
  readonly sessions: number
  readonly projects: number
  /** Prompts in a session; each brings an answer in three lines, a tool result, a last answer and telemetry. */
  readonly turns: number
  /** Characters of a text; one tool result in ten is twenty times as long. */
  readonly textChars: number
}

const START = Date.UTC(2026, 9, 1)

/** A `.claude` directory of transcripts as version 2 writes them, the same for the same shape; kept where it was made. */
export function claudeTranscripts(directory: string, shape: TranscriptShape): void {
  if (existsSync(directory)) return
  const partial = `${directory}.partial`
  rmSync(partial, { recursive: true, force: true })
  const random = new Random(2)
  for (let s = 0; s < shape.sessions; s++) {
    const project = `-home-dev-project${s % shape.projects}`
    mkdirSync(join(partial, 'projects', project), { recursive: true })
    const id = uuid(s, 0)
    const lines = transcript(id, `/home/dev/project${s % shape.projects}`, START + s * 60_000, shape, random)
    writeFileSync(join(partial, 'projects', project, `${id}.jsonl`), `${[...lines].join('\n')}\n`)
  }
  renameSync(partial, directory)
}

/** A `.claude` directory with one transcript of so many bytes, written as it is made: it is in memory at no time. Returns its size. */
export function hugeTranscript(directory: string, bytes: number): number {
  const project = join(directory, 'projects', '-home-dev-huge')
  mkdirSync(project, { recursive: true })
  const id = uuid(0, 0)
  const file = openSync(join(project, `${id}.jsonl`), 'w')
  let size = 0
  const shape = { sessions: 1, projects: 1, turns: Number.POSITIVE_INFINITY, textChars: 900 }
  let chunk: string[] = []
  for (const line of transcript(id, '/home/dev/huge', START, shape, new Random(3))) {
    chunk.push(`${line}\n`)
    if (chunk.length < LINES_A_WRITE) continue
    size += writeSync(file, chunk.join(''))
    chunk = []
    if (size >= bytes) break
  }
  closeSync(file)
  return size
}

const LINES_A_WRITE = 1000

const uuid = (session: number, line: number): string =>
  `${session.toString(16).padStart(8, '0')}-0000-4000-8000-${line.toString(16).padStart(12, '0')}`

/** The lines of one transcript, turn by turn. */
function* transcript(
  sessionId: string,
  cwd: string,
  begin: number,
  shape: TranscriptShape,
  random: Random,
): Generator<string> {
  let lines: string[] = []
  let before = 0
  const session = Number.parseInt(sessionId.slice(0, 8), 16)
  let parentUuid: string | null = null
  let now = begin
  const add = (type: string, rest: object) => {
    now += 900
    const id = uuid(session, before + lines.length + 1)
    const envelope = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId,
      version: '2.1.332',
      gitBranch: 'main',
    }
    lines.push(JSON.stringify({ ...envelope, type, ...rest, uuid: id, timestamp: new Date(now).toISOString() }))
    parentUuid = id
  }
  const usage = (output: number) => ({
    input_tokens: 4,
    cache_creation_input_tokens: random.below(3000),
    cache_read_input_tokens: random.below(90_000),
    output_tokens: output,
    service_tier: 'standard',
  })
  const answer = (id: string, block: object, stop: string, output: number) =>
    add('assistant', {
      message: {
        model: 'claude-opus-4-5',
        id,
        type: 'message',
        role: 'assistant',
        content: [block],
        stop_reason: stop,
        stop_sequence: null,
        usage: usage(output),
      },
      requestId: `req_${id}`,
    })
  for (let turn = 0; turn < shape.turns; turn++) {
    add('user', { message: { role: 'user', content: random.text(shape.textChars / 4) } })
    const [id, call] = [`msg_${session}_${turn}`, `toolu_${session}_${turn}`]
    answer(
      id,
      { type: 'thinking', thinking: random.text(shape.textChars / 2), signature: 'c2lnbmF0dXJl'.repeat(20) },
      'tool_use',
      20,
    )
    answer(id, { type: 'text', text: random.text(shape.textChars) }, 'tool_use', 120)
    answer(
      id,
      {
        type: 'tool_use',
        id: call,
        name: 'Bash',
        input: { command: `grep -rn ${random.text(20)} src`, description: random.text(30) },
      },
      'tool_use',
      180,
    )
    const output = random.text(shape.textChars * (turn % 10 === 9 ? 20 : 2))
    add('user', {
      message: {
        role: 'user',
        content: [{ tool_use_id: call, type: 'tool_result', content: output, is_error: false }],
      },
      toolUseResult: { stdout: output, stderr: '', interrupted: false, isImage: false },
    })
    answer(`${id}_end`, { type: 'text', text: random.text(shape.textChars) }, 'end_turn', 90)
    lines.push(JSON.stringify({ type: 'last-prompt', lastPrompt: random.text(40), leafUuid: parentUuid, sessionId }))
    lines.push(
      JSON.stringify({ type: 'cost-state', sessionId, totalCostUSD: turn / 10, startTime: begin, modelUsage: {} }),
    )
    yield* lines
    before += lines.length
    lines = []
  }
}
