import { toolCategory } from '../../model/category.ts'
import type { FileChangeKind } from '../../model/enums.ts'
import { asBoolean, asCount, asString, at, type JsonObject, stringAt } from '../../model/json.ts'
import { type FileTouchRow, resultText, type ToolCallRow } from '../../model/rows.ts'
import { clip } from '../../model/text.ts'
import { parseTime } from '../../model/time.ts'
import { countLines, unifiedDiff } from './diff.ts'

const SUMMARY_CHARS = 200
/** The argument that says most about a call, by preference. */
const TELLING_ARGUMENTS = [
  'command',
  'path',
  'file_path',
  'pattern',
  'query',
  'url',
  'task',
  'description',
  'prompt',
  'name',
]

export type CallDetails = Omit<
  ToolCallRow,
  'nativeId' | 'messageId' | 'ordinal' | 'provenance' | 'citation' | 'isSplitOff' | 'pair' | 'kind'
>

/** A call as its block tells it, before any result. */
export function callOf(block: JsonObject): CallDetails {
  const name = asString(block['name'])
  const category = toolCategory(name)
  const params = argumentsOf(block)
  return {
    callId: stringAt(block, 'id'),
    name,
    category,
    status: 'RUNNING',
    summary: summaryOf(params),
    command: category === 'SHELL' ? stringAt(params, 'command') : null,
    mcpServer: null,
    files: [],
    params,
    isProviderExecuted: false,
    startedAt: null,
    endedAt: null,
    childNativeId: null,
  }
}

export const argumentsOf = (block: JsonObject): unknown => block['arguments'] ?? null

function summaryOf(params: unknown): string | null {
  const text = TELLING_ARGUMENTS.map((name) => stringAt(params, name)).find((found) => found !== null)
  const line = text?.split(/\r?\n/).find((candidate) => candidate.trim() !== '')
  return line === undefined ? null : clip(line.trim(), SUMMARY_CHARS)
}

/** The call again, now that `message` tells its result. */
export function answered(call: ToolCallRow, message: JsonObject): ToolCallRow {
  const endedAt = parseTime(message['timestamp'])
  const took = asCount(message['durationMs'])
  return {
    ...call,
    status: isFailure(message) === true ? 'FAILED' : 'SUCCEEDED',
    files: isFailure(message) === true ? [] : touchedFiles(call, message),
    startedAt: endedAt === null || took === null ? null : endedAt - took,
    endedAt,
  }
}

export const isFailure = (message: JsonObject): boolean | null => asBoolean(message['isError'])

/** A command's exit code stands at the end of its output, and only when it isn't 0. */
export function exitCodeOf(message: JsonObject): number | null {
  if (toolCategory(asString(message['toolName'])) !== 'SHELL' || isFailure(message) !== true) return null
  const code = /(?:^|\n)Command exited with code (-?\d{1,10})\s*$/.exec(resultText(message['content']))?.[1]
  return code === undefined ? null : Number(code)
}

const KIND_OF_TOOL: Readonly<Record<string, FileChangeKind>> = { read: 'READ', edit: 'UPDATE', write: 'UPDATE' }

function touchedFiles(call: ToolCallRow, message: JsonObject): readonly FileTouchRow[] {
  const kind = KIND_OF_TOOL[call.name ?? '']
  const path = stringAt(call.params, 'path') ?? stringAt(call.params, 'file_path')
  if (kind === undefined || path === null) return []
  const diff = diffIn(message)
  const counts = diff === null ? { additions: null, deletions: null } : countLines(diff)
  return [{ path, kind, movedTo: null, diff, diffPlace: diff === null ? null : 'result/diff', ...counts }]
}

/** What a result tells of the change to its file. */
export function diffIn(message: JsonObject): string | null {
  const own = stringAt(message, 'details', 'diff')
  return stringAt(message, 'details', 'patch') ?? (own === null ? null : unifiedDiff(own))
}

/** Sub-agents whose runs a result tells; their transcripts are in no file of their own. */
export const runsIn = (message: JsonObject): unknown => at(message, 'details', 'results')
