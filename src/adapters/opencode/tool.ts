import type { ToolCallStatus } from '../../model/enums.ts'
import { asArray, asNumber, asObject, asString, at, isObject, type JsonObject, stringAt } from '../../model/json.ts'
import { clip } from '../../model/text.ts'

/** What mapping and `content` both take out of a tool part, so that they agree. */
export const stateOf = (part: JsonObject): JsonObject => asObject(part['state']) ?? {}
export const inputOf = (part: JsonObject): unknown => stateOf(part)['input'] ?? null
export const isEnded = (part: JsonObject): boolean =>
  ['completed', 'error'].includes(asString(stateOf(part)['status']) ?? '')
export const exitCodeOf = (part: JsonObject): number | null => {
  const code = asNumber(at(stateOf(part), 'metadata', 'exit'))
  return code !== null && Number.isInteger(code) ? code : null
}

/** A call of an unknown tool is kept under the name `invalid`, and a failed command as completed: status alone doesn't tell. */
export function isFailed(part: JsonObject): boolean {
  return stateOf(part)['status'] === 'error' || part['tool'] === 'invalid' || (exitCodeOf(part) ?? 0) !== 0
}

export function statusOf(part: JsonObject): ToolCallStatus {
  const status = asString(stateOf(part)['status'])
  if (status === 'running' || status === 'pending') return 'RUNNING'
  if (status !== 'completed' && status !== 'error') return 'UNKNOWN'
  return isFailed(part) ? 'FAILED' : 'SUCCEEDED'
}

const NOT_RESULT: ReadonlySet<string> = new Set(['status', 'input', 'time', 'attachments'])

/** What the tool answered: its output, else its error, else what its state holds beside that. */
export function resultOf(part: JsonObject): unknown {
  const state = stateOf(part)
  return (
    state['output'] ??
    state['error'] ??
    Object.fromEntries(Object.entries(state).filter(([name]) => !NOT_RESULT.has(name)))
  )
}

export const attachmentsOf = (part: JsonObject): readonly JsonObject[] =>
  asArray(stateOf(part)['attachments']).filter(isObject)

const SUMMARY_CHARS = 200
/** The field of a tool's input that says most about a call, by preference. */
const TELLING_FIELDS = ['command', 'filePath', 'path', 'pattern', 'query', 'url', 'description', 'prompt', 'name']

/** One line for people. */
export function summaryOf(part: JsonObject): string | null {
  const input = inputOf(part)
  const telling = TELLING_FIELDS.map((field) => stringAt(input, field)).find((text) => text !== null)
  const todos = asArray(at(input, 'todos'))
  const text =
    telling ??
    (todos.length > 0 ? `${todos.length} todos` : null) ??
    stringAt(stateOf(part), 'title') ??
    (part['tool'] === 'invalid' ? stringAt(input, 'tool') : null)
  const line = text?.split(/\r?\n/).find((candidate) => candidate.trim() !== '')
  return line === undefined ? null : clip(line.trim(), SUMMARY_CHARS)
}
