import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { cached } from '../lib/cache.ts'
import { Random } from '../lib/random.ts'

export interface TranscriptShape {
  readonly sessions: number
  readonly projects: number
  /** Prompts in a session; each brings an answer in three lines, a tool result, a last answer, and telemetry. */
  readonly turns: number
  /** Characters of a text; one tool result in ten is twenty times as long. */
  readonly textChars: number
  /** Whether what version 2.1.332 notes of its requests stands among the messages, which older ones don't. */
  readonly hasTelemetry: boolean
}

const START = Date.UTC(2026, 9, 1)

/** Attachments that open a session, with the size of each. */
const AT_START = [
  ['environment', 2000],
  ['model', 700],
  ['deferred_tools_delta', 1200],
  ['agent_listing_delta', 3700],
  ['skill_listing', 13_500],
  ['session_context', 1200],
  ['date', 400],
  ['remote_session_change', 1100],
  ['prompt_snapshot', 7300],
  ['prompt_snapshot', 57_000],
] as const

/** Sixty long transcripts, telemetry included: 138 MB. Kept where they were made. */
export function transcripts(): string {
  const directory = cached('claude-transcripts')
  claudeTranscripts(directory, { sessions: 60, projects: 6, turns: 100, textChars: 900, hasTelemetry: true })
  return directory
}

/** Ten thousand transcripts of a few lines each. Kept where they were made. */
export function smallTranscripts(): string {
  const directory = cached('claude-10000')
  claudeTranscripts(directory, { sessions: 10_000, projects: 50, turns: 1, textChars: 200, hasTelemetry: false })
  return directory
}

/**
 * A `.claude` directory of transcripts as version 2.1.332 writes them, telemetry included, with the kinds of records and the sizes that its
 * real transcripts have (two thirds of their records are no messages); the same for the same shape; kept where it was made.
 */
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
  const shape = { sessions: 1, projects: 1, turns: Number.POSITIVE_INFINITY, textChars: 900, hasTelemetry: true }
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
  const note = (type: string, rest: object) => lines.push(JSON.stringify({ type, sessionId, ...rest }))
  const bare = (type: string, rest: object) => {
    if (shape.hasTelemetry) note(type, rest)
  }
  /** What the client notes of a request: its parameters, and what it sent that was new. */
  const request = (id: string, content: unknown) => {
    bare('atis-latch', { atis: '' })
    bare('api-request-blob', { hash: id, message: { role: 'user', content } })
    bare('api-request', { id, version: '2.1.332', querySource: 'sdk', shapeHash: id, params: random.text(1100) })
  }
  for (const [type, chars] of shape.hasTelemetry ? AT_START : [])
    add('attachment', { attachment: { type, content: random.text(chars) } })
  bare('api-request-shape', { version: '2.1.332', shape: { system: [{ type: 'text', text: random.text(38_000) }] } })
  for (let turn = 0; turn < shape.turns; turn++) {
    const prompt = random.text(shape.textChars / 4)
    bare('queue-operation', { operation: 'enqueue', content: prompt })
    bare('queue-operation', { operation: 'dequeue' })
    add('user', { message: { role: 'user', content: prompt } })
    const [id, call] = [`msg_${session}_${turn}`, `toolu_${session}_${turn}`]
    request(id, prompt)
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
    request(`${id}_end`, [{ type: 'tool_result', tool_use_id: call, content: output }])
    answer(`${id}_end`, { type: 'text', text: random.text(shape.textChars) }, 'end_turn', 90)
    bare('tools-used', { tools: ['Bash'] })
    note('last-prompt', { lastPrompt: prompt, leafUuid: parentUuid })
    note('cost-state', { totalCostUSD: turn / 10, startTime: begin, modelUsage: random.text(400) })
    yield* lines
    before += lines.length
    lines = []
  }
}
