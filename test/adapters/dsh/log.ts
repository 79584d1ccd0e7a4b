import { createHash } from 'node:crypto'
import { zstdFrame } from '../zstd-frame.ts'

export type Row = { readonly [key: string]: unknown }

export const START_MS = Date.UTC(2026, 2, 1, 9)
/** Native id of session `n`. */
export const id = (n: number): string => `session-00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const MODEL = { kind: 'model', provider: 'deepseek-official', model: 'deepseek-v4-flash' }
export const USAGE = { inputTokens: 100, outputTokens: 50, cacheReadTokens: 1000, reasoningTokens: 20 }
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')

export interface LogOptions {
  readonly n?: number
  readonly version?: number
  readonly header?: Row
  /** Rows that a fork copied. */
  readonly copied?: readonly Row[]
}

/** A log as the harness writes it: each row one second behind the one before. */
export class Log {
  readonly header: Row
  readonly rows: Row[]
  readonly version: number
  #seq = 0

  constructor({ n = 1, version = 4, header = {}, copied = [] }: LogOptions = {}) {
    this.version = version
    this.header = {
      type: 'session',
      version,
      id: id(n),
      createdAt: START_MS,
      cwd: '/home/ada/app',
      delegationDepth: 0,
      ...(version < 2 ? {} : { isSeeded: false }),
      ...header,
    }
    this.rows = [...copied]
    this.#seq = copied.reduce((seq, row) => seq + membersOf(row), 0)
  }

  get name(): string {
    return this.version === 0 ? 'session.jsonl' : `session.v${this.version}.jsonl`
  }

  /** Seq that comes next. */
  get seq(): number {
    return this.#seq
  }

  add(type: string, data: unknown, more: Row = {}): this {
    this.rows.push({ type, seq: this.#seq, time: START_MS + 1000 * (this.#seq + 1), data, ...more })
    this.#seq += 1
    return this
  }

  message(type: string, data: unknown, more: Row = {}): this {
    return this.add(type, data, { ...more, surfaceOp: 'append' })
  }

  /** A packed run of chunks, of generations 0 and 1. */
  packed(type: string, data: Row & { readonly dt: readonly number[] }): this {
    this.rows.push({ type, seq0: this.#seq, time0: START_MS + 1000 * (this.#seq + 1), data })
    this.#seq += data.dt.length + 1
    return this
  }

  chunk(turn: number, step: number, chunk: Row): this {
    return this.add('assistant/chunk', { turn, step, chunk })
  }

  asks(text: string, messageId = `u${this.#seq}`, source: Row = { kind: 'user' }): this {
    return this.message('user/message', { id: messageId, role: 'user', content: [{ type: 'text', text }], source })
  }

  /** What the harness tells the model. */
  injects(text: string): this {
    return this.asks(
      text,
      `i${this.#seq}`,
      this.version < 4 ? { kind: 'plugin', plugin: '@deepseek-ai/dsh-system-prompt' } : { kind: 'runtime-context' },
    )
  }

  says(content: readonly Row[] | string, more: Row = {}, turn = 1, step = 1): this {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    const message = { id: `a${this.#seq}`, role: 'assistant', content: blocks, source: MODEL }
    const stream = this.version < 2 ? {} : { stream: [] }
    return this.message('assistant/message', { turn, step, message, usage: USAGE, ...stream, ...more })
  }

  calls(callId: string, name: string, args: string, turn = 1): this {
    this.says([{ type: 'tool-call', id: callId, name, arguments: args }], {}, turn)
    return this.add('tool/call', { turn, step: 1, callId, name, arguments: args })
  }

  answers(callId: string, content: readonly Row[] | string, isError = false, turn = 1): this {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    const own = { id: `t${this.#seq}`, source: { kind: 'tool', callId } }
    const error = isError ? { error: { name: 'ToolArgsError', code: 'INVALID_ARGS' } } : {}
    const flat = { ...own, role: 'tool', toolCallId: callId, content: blocks, isError }
    const block = { type: 'tool-result', toolCallId: callId, content: blocks, isError }
    const message = this.version < 4 ? { ...own, role: 'user', content: [block] } : flat
    return this.message('tool/result', { turn, step: 1, message, ...error })
  }

  starts(turn = 1): this {
    return this.add('turn/start', { turn }).add('step/start', { turn, step: 1 })
  }

  ends(turn = 1, reason: Row = { kind: 'completed' }): this {
    return this.add('step/end', { turn, step: 1 }).add('turn/end', { turn, reason })
  }

  /** A compaction of the events from `start` to `end`. */
  compacts(text: string, start: number, end: number): this {
    const compactionId = `k${this.#seq}`
    const range = this.version < 3 ? { start, end } : { startSeq: start, endSeq: end }
    const source =
      this.version < 4 ? { kind: 'plugin', plugin: 'compact', compactionId } : { kind: 'compact-checkpoint' }
    this.add('compaction/start', { compactionId, turn: 1 })
    this.add('compaction/summary', {
      compactionId,
      summary: [{ type: 'text', text }],
      shadowedSeqs: [start, end],
      usage: USAGE,
      ...MODEL,
    })
    this.add(
      'user/message',
      {
        id: `c${this.#seq}`,
        role: 'user',
        content: [
          { type: 'text', text: `<compacted-summary>` },
          { type: 'text', text },
          { type: 'text', text: '</compacted-summary>' },
        ],
        source,
      },
      { surfaceOp: { op: 'replace', ...range }, sourceEventSeqs: [[start, end], this.#seq - 2, this.#seq - 1] },
    )
    return this.add('compaction/end', { compactionId, turn: 1 })
  }

  titled(title: string, kind: string): this {
    return this.add('session/title', { title, messageSeqs: [], source: { kind } })
  }

  get lines(): readonly string[] {
    return [this.header, ...this.rows].map((row) => `${JSON.stringify(row)}\n`)
  }

  get text(): string {
    return this.lines.join('')
  }

  /** Frames as the harness writes them: the header in one of its own, then batches of `rows` lines. */
  frames(rows = 3): readonly Buffer[] {
    const [header = '', ...lines] = this.lines
    const frames = [zstdFrame(Buffer.from(header))]
    for (let from = 0; from < lines.length; from += rows)
      frames.push(zstdFrame(Buffer.from(lines.slice(from, from + rows).join(''))))
    return frames
  }
}

const membersOf = (row: Row): number => {
  const data = row['data']
  return row['seq0'] !== undefined &&
    typeof data === 'object' &&
    data !== null &&
    'dt' in data &&
    Array.isArray(data.dt)
    ? data.dt.length + 1
    : 1
}

/** A conversation with everything that most logs hold. */
export const conversation = (options: LogOptions = {}): Log => {
  const log = new Log(options)
  log.starts()
  if (log.version >= 3) {
    const source =
      log.version < 4 ? { kind: 'plugin', plugin: '@deepseek-ai/dsh-system-prompt' } : { kind: 'system-prompt' }
    const system = (content: readonly Row[], n: number) => ({
      turn: 1,
      step: 1,
      message: { id: `s${n}`, role: 'system', content, source },
    })
    log.message('system/message', system([], 1))
    const at = log.seq - 1
    log.add('system/message', system([{ type: 'text', text: 'You help Ada.' }], 2), {
      surfaceOp: { op: 'replace', startSeq: at, endSeq: at },
      sourceEventSeqs: [at],
    })
  }
  const first = log.seq
  log
    .asks('Where is the port?', 'm-user')
    .injects('The workspace may be written.')
    .titled('Where is the port?', 'fallback')
  log.add('request/context', { provider: MODEL.provider, model: MODEL.model, contextWindow: 128000 })
  if (log.version < 2) {
    log.chunk(1, 1, { type: 'block-start', index: 0, blockType: 'text' })
    log.packed('text-chunks', { turn: 1, step: 1, index: 0, dt: [5, -3], texts: ['A half', ' of an', ' answer'] })
    log.chunk(1, 1, { type: 'usage', usage: { inputTokens: 7, outputTokens: 3 } })
    log.chunk(1, 1, { type: 'finish', reason: { kind: 'error', failure: { message: 'lost', code: 'TRANSPORT' } } })
  } else {
    const stream = [
      { type: 'text-chunks', time0: START_MS, index: 0, dt: [5, -3], texts: ['A half', ' of an', ' answer'] },
      { type: 'chunk', time: START_MS, chunk: { type: 'usage', usage: { inputTokens: 7, outputTokens: 3 } } },
    ]
    log.add('assistant/attempt', { turn: 1, step: 1, stream })
  }
  log.add('llm/retry', { retryId: 'r', turn: 1, step: 1, provider: MODEL.provider, retry: 1 })
  log.add('llm/retry-started', { retryId: 'r', turn: 1, step: 1, retry: 1 })
  log.says([
    { type: 'reasoning', text: 'Look first.' },
    { type: 'text', text: 'I look.' },
    { type: 'tool-call', id: 'c1', name: 'bash', arguments: '{"command":"cat nope.toml"}' },
    { type: 'tool-call', id: 'c2', name: 'read', arguments: '{"file_path":"app.toml"' },
    { type: 'tool-call', id: 'c3', name: 'read_image', arguments: '{"file_path":"/home/ada/app/dot.png"}' },
  ])
  log.add('tool/call', { turn: 1, step: 1, callId: 'c1', name: 'bash', arguments: '{"command":"cat nope.toml"}' })
  log.answers('c1', '[stderr]\ncat: nope.toml: No such file\n[exit code: 1]')
  log.add('tool/call', { turn: 1, step: 1, callId: 'c2', name: 'read', arguments: '{"file_path":"app.toml"' })
  log.answers('c2', 'Error: invalid arguments', true)
  log.add('tool/call', {
    turn: 1,
    step: 1,
    callId: 'c3',
    name: 'read_image',
    arguments: '{"file_path":"/home/ada/app/dot.png"}',
  })
  const attachment = {
    attachmentId: `sha256:${sha256(PIXEL)}`,
    mediaType: 'image/png',
    bytes: PIXEL.length,
    width: 1,
    height: 1,
    name: 'dot.png',
  }
  log.answers('c3', [
    { type: 'text', text: 'A picture.' },
    { type: 'image', attachment },
  ])
  log.compacts('The port was asked for.', first, first + 1)
  log.says('It is 8080.').ends()
  return log.titled('The port', 'provider')
}
