import type { ToolCallStatus } from '../../model/enums.ts'
import { asArray, at, stringAt } from '../../model/json.ts'
import { resultText, type ToolCallRow } from '../../model/rows.ts'
import type { PartSink } from './blocks.ts'
import { resultOf } from './content.ts'
import { fileOf, filesIn } from './file-block.ts'
import { agentSession } from './ids.ts'
import type { Line } from './line.ts'
import { blockPlace } from './place.ts'
import { exitCodeOf } from './tool.ts'
import { touchedFiles, touchedPath } from './touched-files.ts'

/** Adds a result, and behind it the files that came with it. */
export function addResult(sink: PartSink, line: Line, block: unknown, n: number, call: ToolCallRow | null): void {
  const base = sink.base(line, blockPlace('result', n), 'CONVERSATIONAL')
  const result = resultOf(line.json, block)
  const callId = stringAt(block, 'tool_use_id')
  const isFailure = isFailed(block)
  sink.parts.push({
    ...base,
    kind: 'TOOL_RESULT',
    callId,
    pair: callId ?? base.nativeId,
    name: call?.name ?? null,
    isFailure,
    exitCode: isFailure ? exitCodeOf(resultText(result)) : null,
    filePath: touchedPath(call?.params, outcomeOf(line)),
    result,
  })
  const blocks = asArray(at(block, 'content'))
  for (const inner of filesIn(blocks)) {
    const file = fileOf(blocks[inner])
    sink.parts.push({ ...sink.base(line, `file:${n}.${inner}`, 'CONVERSATIONAL'), kind: 'FILE', ...file })
  }
}

/** The call, now that its result is in. `rootId` is the session that its sub-agents are children of. */
export function answered(call: ToolCallRow, line: Line, block: unknown, rootId: string): ToolCallRow {
  const outcome = outcomeOf(line)
  const agentId = stringAt(outcome, 'agentId')
  const status = statusOf(block, outcome)
  return {
    ...call,
    status,
    files: status === 'FAILED' ? [] : touchedFiles(call.name, call.params, outcome),
    endedAt: line.timeMs,
    childNativeId: agentId === null ? null : agentSession(rootId, `agent-${agentId}`),
  }
}

/** The record's own account of a result, other than what the model was told. */
export const outcomeOf = (line: Line): unknown => line.json['toolUseResult']

const isFailed = (block: unknown): boolean =>
  at(block, 'is_error') === true || stringAt(block, 'content', 'type')?.endsWith('_error') === true

function statusOf(block: unknown, outcome: unknown): ToolCallStatus {
  if (isFailed(block)) return 'FAILED'
  return at(outcome, 'interrupted') === true ? 'INTERRUPTED' : 'SUCCEEDED'
}
