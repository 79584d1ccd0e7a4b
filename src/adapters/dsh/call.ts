import { toolCategory } from '../../model/category.ts'
import type { FileChangeKind } from '../../model/enums.ts'
import { asString, type JsonObject, stringAt } from '../../model/json.ts'
import { type FileTouchRow, resultText, type ToolCallRow } from '../../model/rows.ts'
import { clip } from '../../model/text.ts'
import { paramsOf } from './message.ts'

const SUMMARY_CHARS = 200
/** The argument that says most about a call, by preference. */
const TELLING_ARGUMENTS = ['command', 'file_path', 'path', 'pattern', 'query', 'url', 'description', 'prompt', 'name']

export type CallDetails = Omit<
  ToolCallRow,
  'nativeId' | 'messageId' | 'ordinal' | 'provenance' | 'citation' | 'isSplitOff' | 'pair' | 'kind'
>

/** A call as the model made it, before any result. */
export function callDetails(block: JsonObject): CallDetails {
  const name = asString(block['name'])
  const category = toolCategory(name)
  const params = paramsOf(block)
  return {
    callId: stringAt(block, 'id'),
    name,
    category,
    status: 'RUNNING',
    summary: summaryOf(params),
    command: category === 'SHELL' ? stringAt(params, 'command') : null,
    mcpServer: /^mcp__(.+?)__/.exec(name ?? '')?.[1] ?? null,
    files: [],
    params,
    isProviderExecuted: false,
    startedAt: null,
    endedAt: null,
    childNativeId: null,
  }
}

function summaryOf(params: unknown): string | null {
  const found = TELLING_ARGUMENTS.map((name) => stringAt(params, name)).find((text) => text !== null)
  const line = (found ?? (typeof params === 'string' ? params : null))
    ?.split(/\r?\n/)
    .find((text) => text.trim() !== '')
  return line === undefined ? null : clip(line.trim(), SUMMARY_CHARS)
}

/** The call again, now that its result is known. */
export const answered = (call: ToolCallRow, isFailure: boolean | null, time: number): ToolCallRow => ({
  ...call,
  status: isFailure === true ? 'FAILED' : 'SUCCEEDED',
  files: isFailure === true ? [] : touchedFiles(call),
  endedAt: time,
})

/** A command's exit code stands at the end of its output, when it isn't 0; the harness takes that for no failure of the tool. */
export function exitCodeOf(call: Pick<ToolCallRow, 'category'> | null, content: unknown): number | null {
  if (call?.category !== 'SHELL') return null
  const code = /(?:^|\n)\[exit code: (-?\d{1,10})\]\s*$/.exec(resultText(content))?.[1]
  return code === undefined ? null : Number(code)
}

const KINDS: Readonly<Record<string, FileChangeKind>> = {
  read: 'READ',
  read_image: 'READ',
  edit: 'UPDATE',
  str_replace_editor: 'UPDATE',
  write: 'UPDATE',
}

export const pathOf = (call: Pick<ToolCallRow, 'params'>): string | null =>
  stringAt(call.params, 'file_path') ?? stringAt(call.params, 'path')

function touchedFiles(call: ToolCallRow): readonly FileTouchRow[] {
  const kind = KINDS[call.name ?? '']
  const path = pathOf(call)
  if (kind === undefined || path === null) return []
  return [{ path, kind, movedTo: null, diff: null, diffPlace: null, additions: null, deletions: null }]
}
