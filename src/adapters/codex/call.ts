import { toolCategory } from '../../model/category.ts'
import { asArray, asObject, asString, at, isObject, type JsonObject, stringAt } from '../../model/json.ts'
import type { FileTouchRow, ToolCallRow } from '../../model/rows.ts'
import { filesOfPatch, patchIn } from './patch.ts'

const CALLS = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'tool_search_call',
  'web_search_call',
  'image_generation_call',
  'mcp_call',
])
const OUTPUTS = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'tool_search_output',
  'local_shell_call_output',
])

export const isCall = (type: string | null): boolean => type !== null && CALLS.has(type)
export const isOutput = (type: string | null): boolean => type !== null && OUTPUTS.has(type)

/** What a call was given: JSON where the recorded text is some, else the text. */
export function paramsOf(payload: JsonObject): unknown {
  const type = asString(payload['type'])
  if (type === 'custom_tool_call') return payload['input'] ?? null
  if (type === 'image_generation_call') return { revised_prompt: payload['revised_prompt'] ?? null }
  const given = payload['arguments'] ?? payload['action'] ?? payload['input'] ?? null
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

/** The tools that a script of the JavaScript runtime calls. */
function toolsIn(script: string): readonly string[] {
  return [...new Set([...script.matchAll(/(?<![\w$.])tools\.([A-Za-z_$][\w$]*)\s*\(/g)].map(([, name = '']) => name))]
}

/** The tool that was really called: a script that calls one tool only is that tool. */
export function nameOf(payload: JsonObject): string {
  const type = asString(payload['type']) ?? ''
  const name = stringAt(payload, 'name') ?? stringAt(payload, 'tool') ?? type.replace(/_call$/, '')
  const script = name === 'exec' ? asString(payload['input']) : null
  const tools = script === null ? [] : toolsIn(script)
  if (tools.length === 1 && tools[0] !== undefined) return tools[0]
  const namespace = stringAt(payload, 'namespace')
  return namespace?.startsWith('mcp__') === true && !name.startsWith('mcp__') ? `${namespace}__${name}` : name
}

/** The files that the call's own record names. */
export function filesOf(payload: JsonObject): readonly FileTouchRow[] {
  const given = paramsOf(payload)
  const texts =
    typeof given === 'string'
      ? [given]
      : asArray(at(given, 'command')).concat(at(given, 'cmd'), at(given, 'input'), at(given, 'patch'))
  for (const text of texts) {
    const patch = typeof text === 'string' ? patchIn(text) : null
    if (patch !== null) return filesOfPatch(patch)
  }
  return []
}

/** The line that ran in a shell. */
export function commandOf(payload: JsonObject): string | null {
  const given = paramsOf(payload)
  if (typeof given === 'string') {
    const literal = /\bcmd"?\s*:\s*("(?:[^"\\\n]|\\.)*")/.exec(given)?.[1]
    if (literal === undefined) return null
    try {
      return asString(JSON.parse(literal))
    } catch {
      return null
    }
  }
  return lineOfArgv(at(given, 'command')) ?? stringAt(given, 'cmd') ?? stringAt(given, 'command')
}

/** `["bash", "-lc", "ls"]` is `ls`. */
export function lineOfArgv(argv: unknown): string | null {
  const words = asArray(argv).filter((word) => typeof word === 'string')
  if (words.length === 0) return null
  const isShell = words.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '')
  return isShell ? (words[2] ?? null) : words.join(' ')
}

type Base = Pick<ToolCallRow, 'nativeId' | 'messageId' | 'ordinal' | 'provenance' | 'citation' | 'isSplitOff'>

/** A call as it stands when it is written. `pair` ties it to its results. */
export function callRow(payload: JsonObject, base: Base, pair: string, time: number | null): ToolCallRow {
  const name = nameOf(payload)
  const category = toolCategory(name)
  const params = paramsOf(payload)
  const type = asString(payload['type'])
  const isOwn = type === 'web_search_call' || type === 'image_generation_call'
  const command = category === 'SHELL' ? commandOf(payload) : null
  const files = filesOf(payload)
  return {
    ...base,
    kind: 'TOOL_CALL',
    callId: stringAt(payload, 'call_id'),
    pair,
    name,
    category:
      name === 'exec' && type === 'custom_tool_call'
        ? 'SHELL'
        : files.length > 0 && category === 'SHELL'
          ? 'EDIT'
          : category,
    status: isOwn ? ownStatus(asString(payload['status'])) : 'RUNNING',
    summary: summaryOf(params, command, files),
    command,
    mcpServer: /^mcp__(.+?)__/.exec(name)?.[1] ?? null,
    files,
    params,
    isProviderExecuted: isOwn,
    startedAt: time,
    endedAt: null,
    childNativeId: null,
  }
}

/** Tools that the provider runs have no result of their own. */
const ownStatus = (status: string | null): ToolCallRow['status'] =>
  status === 'completed'
    ? 'SUCCEEDED'
    : status === 'failed'
      ? 'FAILED'
      : status === 'in_progress'
        ? 'RUNNING'
        : 'UNKNOWN'

const SUMMARY_KEYS = [
  'path',
  'file_path',
  'query',
  'pattern',
  'url',
  'task_name',
  'message',
  'explanation',
  'prompt',
  'cell_id',
]

export function summaryOf(params: unknown, command: string | null, files: readonly FileTouchRow[]): string | null {
  const given = asObject(params)
  const found =
    (files.length > 0 ? files.map(({ path }) => path).join(', ') : null) ??
    command ??
    SUMMARY_KEYS.map((key) => stringAt(given, key)).find((text) => text !== null) ??
    (typeof params === 'string' ? params : null)
  const line = found
    ?.split('\n')
    .find((text) => text.trim() !== '')
    ?.trim()
  return line === undefined ? null : line.length > 200 ? `${line.slice(0, 199).replace(/[\uD800-\uDBFF]$/, '')}…` : line
}

export const isScript = (payload: unknown): boolean =>
  isObject(payload) && payload['name'] === 'exec' && payload['type'] === 'custom_tool_call'
