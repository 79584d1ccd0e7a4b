import { toolCategory } from '../../model/category.ts'
import { asString, at, stringAt } from '../../model/json.ts'
import type { FileRow, PartRow, ToolCallRow, ToolResultRow } from '../../model/rows.ts'
import { parseTime } from '../../model/time.ts'
import { fileOf } from './file.ts'
import type { PartDraft } from './part-draft.ts'
import { attachmentsOf, exitCodeOf, inputOf, isFailed, resultOf, statusOf, summaryOf } from './tool.ts'
import { touchedFiles } from './touched-files.ts'

type Base = Pick<ToolCallRow, 'nativeId' | 'messageId' | 'ordinal' | 'provenance' | 'citation' | 'isSplitOff'>

/** The call that a tool part is; its result is `mapToolResult`'s. */
export function mapToolCall({ id, data }: PartDraft, base: Base): ToolCallRow {
  const name = asString(data['tool'])
  const category = toolCategory(name)
  return {
    ...base,
    kind: 'TOOL_CALL',
    callId: stringAt(data, 'callID'),
    pair: id,
    name,
    category,
    status: statusOf(data),
    summary: summaryOf(data),
    command: category === 'SHELL' ? stringAt(inputOf(data), 'command') : null,
    // opencode names the tools of an MCP server `<server>_<tool>`, which tells neither from its own tools.
    mcpServer: null,
    files: touchedFiles(data),
    params: inputOf(data),
    isProviderExecuted: at(data, 'metadata', 'providerExecuted') === true,
    startedAt: parseTime(at(data, 'state', 'time', 'start')),
    endedAt: parseTime(at(data, 'state', 'time', 'end')),
    childNativeId: stringAt(data, 'state', 'metadata', 'sessionId'),
  }
}

/** The parts of the TOOL message that is split off a tool part: the result, and behind it the files that came with it. */
export function mapToolResult({ ref, id, data }: PartDraft, messageId: string): readonly PartRow[] {
  const base = { messageId, provenance: 'CONVERSATIONAL', isSplitOff: true } as const
  const result: ToolResultRow = {
    ...base,
    kind: 'TOOL_RESULT',
    nativeId: messageId,
    ordinal: 0,
    citation: { record: ref, place: 'result' },
    callId: stringAt(data, 'callID'),
    pair: id,
    name: asString(data['tool']),
    isFailure: isFailed(data),
    exitCode: exitCodeOf(data),
    filePath: stringAt(inputOf(data), 'filePath'),
    result: resultOf(data),
  }
  const files = attachmentsOf(data).map(
    (file, n): FileRow => ({
      ...base,
      kind: 'FILE',
      nativeId: `${messageId}/${n}`,
      ordinal: n + 1,
      citation: { record: ref, place: `attachment:${n}` },
      ...fileOf(file),
    }),
  )
  return [result, ...files]
}
