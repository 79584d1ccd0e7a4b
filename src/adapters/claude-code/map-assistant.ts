import { asBoolean, asString, at, stringAt } from '../../model/json.ts'
import type { MessageError, MessageRow, PartRow, ToolCallRow } from '../../model/rows.ts'
import { addAssistantBlock, PartSink } from './blocks.ts'
import { errorOf } from './content.ts'
import type { Draft } from './draft.ts'
import { contentOf, isResultBlock, type Line } from './line.ts'
import { copyOf } from './message-row.ts'
import { usageOf } from './usage.ts'

export interface MappedLine {
  readonly draft: Draft
  readonly parts: readonly PartRow[]
  readonly calls: readonly ToolCallRow[]
  readonly oddFields: readonly string[]
}

/** What the client writes as a response when there was none: its own words, no model's. */
const isSynthetic = (line: Line): boolean => stringAt(line.json, 'message', 'model') === '<synthetic>'
const isError = (line: Line): boolean => line.json['isApiErrorMessage'] === true

/** A response, or the next line of one: its parts are added, and the usage with the largest output counts (design §3.10). */
export function mapAssistant(line: Line, row: MessageRow, known: Draft | undefined): MappedLine {
  const before = known?.message.partIds ?? []
  const sink = new PartSink(known?.message.nativeId ?? row.nativeId, { lineId: row.nativeId, before: before.length })
  const provenance = isSynthetic(line) || isError(line) ? 'INJECTED' : 'CONVERSATIONAL'
  const content = contentOf(line.json)
  const calls: ToolCallRow[] = []
  const blocks = typeof content === 'string' ? [[null, content] as const] : [...content.entries()]
  for (const [n, block] of blocks) {
    if (isResultBlock(block)) continue
    const call = addAssistantBlock(sink, line, block, n, provenance)
    if (call !== null) calls.push(call)
  }
  const { usage, output, oddFields } = usageOf(line.json)
  const stopReason = stringAt(line.json, 'message', 'stop_reason')
  const base: MessageRow = known?.message ?? {
    ...row,
    model: isSynthetic(line) ? null : stringAt(line.json, 'message', 'model'),
    copy: copyOf(stringAt(line.json, 'message', 'id') ?? line.uuid, line.json),
  }
  const isLarger = usage !== null && (known === undefined || known.message.usage === null || output > known.output)
  const message: MessageRow = {
    ...base,
    records: known === undefined ? base.records : [...base.records, line.ref],
    stopReason: stopReason ?? base.stopReason,
    error: isError(line) ? errorRow(line) : base.error,
    usage: isLarger ? usage : base.usage,
    isResponse: base.isResponse || (!isSynthetic(line) && (usage !== null || stopReason !== null)),
    partIds: [...before, ...sink.parts.map(({ nativeId }) => nativeId)],
  }
  const draft = { message, output: isLarger ? output : (known?.output ?? 0) }
  return { draft, parts: sink.parts, calls, oddFields }
}

function errorRow(line: Line): MessageError {
  const status = at(line.json, 'apiErrorStatus')
  const code = stringAt(line.json, 'error') ?? stringAt(line.json, 'apiErrorType')
  return {
    code: code ?? (typeof status === 'number' ? String(status) : asString(status)),
    message: asString(errorOf(line.json)) || 'unknown error',
    isRetryable: asBoolean(at(line.json, 'isRetryable')),
  }
}
