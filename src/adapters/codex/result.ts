import { asNumber, asObject, asString, at, isObject, type JsonObject } from '../../model/json.ts'
import { resultText } from '../../model/rows.ts'

/** What a tool said of how it went. */
export interface Outcome {
  readonly isFailure: boolean
  readonly exitCode: number | null
  readonly durationMs: number | null
}

/** The value of a result: the text inside the JSON text that shells and patches answer with, else what stands there. */
export function resultOf(payload: JsonObject): unknown {
  const output = payload['output'] ?? payload['tools'] ?? payload['execution'] ?? null
  const wrapped = wrappedOutput(output)
  return wrapped === null ? output : wrapped['output']
}

/** `{"output": …, "metadata": {"exit_code": …}}`, as JSON text. */
function wrappedOutput(output: unknown): JsonObject | null {
  if (typeof output !== 'string' || !output.startsWith('{"output":')) return null
  try {
    const value: unknown = JSON.parse(output)
    return isObject(value) && typeof value['output'] === 'string' && isObject(value['metadata']) ? value : null
  } catch {
    return null
  }
}

const FAILED =
  /^(Wall time: [\d.]+ seconds\naborted by user|unsupported call\b|unsupported custom tool call\b|failed to parse function arguments|apply_patch verification failed|aborted\b|err: |error: |execution error|exec_command failed|Script failed|tool call error|write_stdin failed|collab \w+ failed)/i

export function outcomeOf(payload: JsonObject, tool: string | null): Outcome {
  const output = payload['output']
  const wrapped = wrappedOutput(output)
  const seconds = asNumber(at(wrapped, 'metadata', 'duration_seconds'))
  const text = resultText(output)
  const head = text.slice(0, 400)
  const stated = /^(?:Process exited with code|Exit code:?) (-?\d+)/m.exec(head.split(/^Output:/m)[0] ?? '')
  const exitCode = wholeNumber(at(wrapped, 'metadata', 'exit_code')) ?? wholeNumber(stated?.[1])
  const success = asObject(output)?.['success'] ?? payload['success']
  const wall = /^Wall time:? ([\d.]+) seconds/m.exec(head)?.[1]
  return {
    isFailure:
      success === false ||
      (exitCode !== null && exitCode !== 0) ||
      FAILED.test(head) ||
      (tool?.startsWith('mcp__') === true && isMcpFailure(text)),
    exitCode,
    durationMs: toMs(seconds ?? asNumber(wall)),
  }
}

/**
 * The flag of an MCP server's failure reaches the model only with the whole result. Versions before 0.142 hand on the content alone: then
 * one short block that speaks of a failure is taken for one.
 */
function isMcpFailure(text: string): boolean {
  if (/^\{.*"isError":\s*true\s*\}$/s.test(text.trim())) return true
  if (text.length > 400 || !text.startsWith('[')) return false
  try {
    const blocks: unknown = JSON.parse(text)
    return (
      Array.isArray(blocks) && blocks.length === 1 && /\b(error|failed|failure|exception)\b/i.test(resultText(blocks))
    )
  } catch {
    return false
  }
}

const toMs = (seconds: number | null): number | null => (seconds === null ? null : Math.round(seconds * 1000))

function wholeNumber(value: unknown): number | null {
  const number = asNumber(value)
  return number !== null && Number.isSafeInteger(number) ? number : null
}

/** Thread that a `spawn_agent` call made, where its result says so. */
export function spawnedThread(payload: JsonObject): string | null {
  const text = asString(payload['output'])
  if (text === null || !text.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(text)
    return asString(at(value, 'agent_id')) ?? asString(at(value, 'thread_id'))
  } catch {
    return null
  }
}
