/** Rollouts as the real versions write them, line by line. */
const START = Date.UTC(2026, 2, 1, 9, 0, 0)
export const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export type Line = Readonly<Record<string, unknown>>

/** A UUID of version 7 that says `seconds` after the start. */
export const id = (seconds: number): string => {
  const hex = (START + seconds * 1000).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(seconds).padStart(12, '0')}`
}
export const iso = (seconds: number): string => new Date(START + seconds * 1000).toISOString()

/** Lines of one file, a second apart; from `ordinal` on numbered as since 0.171. */
export class Rollout {
  readonly lines: Line[] = []
  #clock: number
  #ordinal: number | null

  constructor(start: number, ordinal: number | null = null) {
    this.#clock = start
    this.#ordinal = ordinal
  }

  add(type: string, payload: Line): this {
    const ordinal = this.#ordinal === null ? {} : { ordinal: this.#ordinal++ }
    this.lines.push({ timestamp: iso(this.#clock++), ...ordinal, type, payload })
    return this
  }
  item = (payload: Line): this => this.add('response_item', payload)
  event = (type: string, more: Line = {}): this => this.add('event_msg', { type, ...more })
  completed = (item: Line): this => this.event('item_completed', { item })
  text = (role: string, text: string, more: Line = {}): this =>
    this.item({
      type: 'message',
      role,
      content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
      ...more,
    })
  /** As up to 0.142: each is told twice. */
  asks = (text: string): this => this.text('user', text).event('user_message', { message: text, images: [] })
  says = (text: string): this => this.event('agent_message', { message: text }).text('assistant', text)
  /** As since 0.171. */
  asked = (text: string, n: string): this =>
    this.text('user', text, { id: `msg_u${n}` }).completed({
      type: 'UserMessage',
      id: `u${n}`,
      content: [{ type: 'text', text }],
    })
  said = (text: string, n: string): this =>
    this.completed({ type: 'AgentMessage', id: `msg_a${n}`, content: [{ type: 'Text', text }] }).text(
      'assistant',
      text,
      { id: `msg_a${n}` },
    )
  count = (total: number, last: number): this =>
    this.event('token_count', { info: { total_token_usage: tokens(total), last_token_usage: tokens(last) } })
  billed = (n: string, input: number): this =>
    this.add('token_usage_record', { response_id: `resp_${n}`, usage: tokens(input) })
}

export const tokens = (input: number): Line => ({
  input_tokens: input,
  cached_input_tokens: Math.floor(input / 2),
  output_tokens: 10,
  reasoning_output_tokens: 4,
  total_tokens: input + 10,
})
export const meta = (seconds: number, version: string, more: Line = {}): Line => ({
  id: id(seconds),
  timestamp: iso(seconds),
  cwd: '/home/ada/app',
  originator: 'codex_exec',
  cli_version: version,
  source: 'exec',
  model_provider: 'openai',
  git: { branch: 'main' },
  ...more,
})
export const CONTEXT = '<environment_context>\n  <cwd>/home/ada/app</cwd>\n</environment_context>'

export const linesText = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

/** Where a thread that started then lies below its home. */
export const pathOf = (seconds: number, suffix = ''): string =>
  `sessions/2026/03/01/rollout-2026-03-01T09-00-00-${id(seconds)}${suffix}.jsonl`
