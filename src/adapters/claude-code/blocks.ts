import { toolCategory } from '../../model/category.ts'
import type { Provenance } from '../../model/enums.ts'
import { asString, at, stringAt } from '../../model/json.ts'
import type { PartRow, ToolCallRow } from '../../model/rows.ts'
import { textOf } from './content.ts'
import { fileOf, isFileBlock } from './file-block.ts'
import { blockType, type Line } from './line.ts'
import { blockPlace } from './place.ts'
import { spansOf } from './provenance.ts'
import { mcpServerOf, summaryOf } from './tool.ts'

interface SinkOptions {
  /** Id of the line that the parts are on; left out where it is the message's. */
  readonly lineId?: string
  /** Parts of the message that stand on lines before. */
  readonly before?: number
  readonly isSplitOff?: boolean
}

/** Numbers the parts that one line gives to a message. */
export class PartSink {
  readonly parts: PartRow[] = []
  readonly #messageId: string
  readonly #lineId: string
  readonly #before: number
  readonly #isSplitOff: boolean

  constructor(messageId: string, { lineId = messageId, before = 0, isSplitOff = false }: SinkOptions = {}) {
    this.#messageId = messageId
    this.#lineId = lineId
    this.#before = before
    this.#isSplitOff = isSplitOff
  }

  base(line: Line, place: string, provenance: Provenance) {
    return {
      nativeId: partId(this.#lineId, this.parts.length),
      messageId: this.#messageId,
      ordinal: this.#before + this.parts.length,
      provenance,
      citation: { record: line.ref, place },
      isSplitOff: this.#isSplitOff,
    }
  }
}

/** Id of the `n`th part on a line: by the line, not the message, so that what names any line of a response finds it. */
export const partId = (lineId: string, n: number): string => `${lineId}:${String(n).padStart(4, '0')}`

/** Parts of a person's turn: texts in spans of one provenance, files, and what we don't know as data. */
export function addUserBlock(sink: PartSink, line: Line, block: unknown, n: number | null, isInjected: boolean): void {
  const text =
    n === null ? asString(block) : blockType(block) === 'text' || typeof block === 'string' ? textOf(block) : null
  if (text !== null) {
    const spans = spansOf(text, isInjected)
    for (const { from, to, provenance } of spans) {
      const place = spans.length === 1 ? blockPlace('text', n) : `${blockPlace('text', n)}:${from}-${to}`
      sink.parts.push({ ...sink.base(line, place, provenance), kind: 'TEXT', text: text.slice(from, to) })
    }
  } else addOther(sink, line, block, n, isInjected ? 'INJECTED' : 'CONVERSATIONAL')
}

/** Parts of a model's response. */
export function addAssistantBlock(
  sink: PartSink,
  line: Line,
  block: unknown,
  n: number | null,
  provenance: Provenance,
): ToolCallRow | null {
  const type = n === null || typeof block === 'string' ? 'text' : blockType(block)
  if (type === 'text') {
    sink.parts.push({ ...sink.base(line, blockPlace('text', n), provenance), kind: 'TEXT', text: textOf(block) })
  } else if (type === 'thinking' || type === 'redacted_thinking') {
    const text = stringAt(block, 'thinking')
    sink.parts.push({ ...sink.base(line, blockPlace('thinking', n), provenance), kind: 'REASONING', text })
  } else if (type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use') {
    const call = callOf(sink, line, block, n, type !== 'tool_use')
    sink.parts.push(call)
    return call
  } else addOther(sink, line, block, n, provenance)
  return null
}

function callOf(
  sink: PartSink,
  line: Line,
  block: unknown,
  n: number | null,
  isProviderExecuted: boolean,
): ToolCallRow {
  const base = sink.base(line, blockPlace('input', n), 'CONVERSATIONAL')
  const name = stringAt(block, 'name')
  const input = at(block, 'input') ?? null
  const callId = stringAt(block, 'id')
  const category = toolCategory(name)
  return {
    nativeId: base.nativeId,
    messageId: base.messageId,
    ordinal: base.ordinal,
    provenance: base.provenance,
    citation: base.citation,
    isSplitOff: base.isSplitOff,
    kind: 'TOOL_CALL',
    callId,
    pair: callId ?? base.nativeId,
    name,
    category,
    status: 'RUNNING',
    summary: summaryOf(input),
    command: category === 'SHELL' ? stringAt(input, 'command') : null,
    mcpServer: stringAt(block, 'server_name') ?? mcpServerOf(name),
    files: [],
    params: input,
    isProviderExecuted,
    startedAt: line.timeMs,
    endedAt: null,
    childNativeId: null,
  }
}

function addOther(sink: PartSink, line: Line, block: unknown, n: number | null, provenance: Provenance): void {
  if (isFileBlock(block)) {
    sink.parts.push({ ...sink.base(line, blockPlace('file', n), provenance), kind: 'FILE', ...fileOf(block) })
    return
  }
  sink.parts.push({
    ...sink.base(line, blockPlace('data', n), 'INJECTED'),
    kind: 'DATA',
    dataType: blockType(block),
    label: null,
    data: block ?? null,
  })
}
