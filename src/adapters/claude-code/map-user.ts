import { orderBehind } from '../../model/order.ts'
import type { MessageRow, PartRow } from '../../model/rows.ts'
import { addUserBlock, PartSink } from './blocks.ts'
import { contentOf, isResultBlock, type Line } from './line.ts'
import { isHarness } from './provenance.ts'
import { addResult } from './results.ts'
import type { State } from './state.ts'

export interface MappedMessage {
  readonly message: MessageRow
  readonly parts: readonly PartRow[]
}

/** Whether a user record holds results of tools and nothing else: then it is the TOOL message itself (design §3.4). */
export const holdsOnlyResults = (line: Line): boolean => {
  const content = contentOf(line.json)
  return typeof content !== 'string' && content.length > 0 && content.every(isResultBlock)
}

/** The messages of a user record: its own, and the TOOL message that is split off when it holds results beside other things. */
export function mapUser(line: Line, row: MessageRow, state: State): readonly MappedMessage[] {
  const content = contentOf(line.json)
  if (holdsOnlyResults(line)) {
    const sink = new PartSink(row.nativeId)
    addResults(sink, line, state)
    return [finished(row, sink)]
  }
  const isInjected = isHarness(line.json)
  const sink = new PartSink(row.nativeId)
  if (typeof content === 'string') addUserBlock(sink, line, content, null, isInjected)
  else
    for (const [n, block] of content.entries())
      if (!isResultBlock(block)) addUserBlock(sink, line, block, n, isInjected)
  const compaction = line.json['isCompactSummary'] === true ? 'compact' : null
  return [finished({ ...row, compaction }, sink), ...splitResults(line, row, '', state)]
}

/** The TOOL message with the results that stand among other blocks of a line; cites no record (design §3.4). */
export function splitResults(line: Line, row: MessageRow, place: string, state: State): readonly MappedMessage[] {
  const content = contentOf(line.json)
  if (typeof content === 'string' || !content.some(isResultBlock)) return []
  const nativeId = `${row.nativeId}/results${place}`
  const sink = new PartSink(nativeId, { isSplitOff: true })
  addResults(sink, line, state)
  const tool: MessageRow = {
    ...row,
    nativeId,
    orderKey: orderBehind(row.orderKey, `r${place}`),
    role: 'TOOL',
    parentNativeId: row.nativeId,
    model: null,
    copy: null,
    stopReason: null,
    error: null,
    usage: null,
    isResponse: false,
    skill: null,
    compaction: null,
    records: [],
  }
  return [finished(tool, sink)]
}

function addResults(sink: PartSink, line: Line, state: State): void {
  const content = contentOf(line.json)
  if (typeof content === 'string') return
  for (const [n, block] of content.entries())
    if (isResultBlock(block)) addResult(sink, line, block, n, state.callOf(block))
}

const finished = (row: MessageRow, sink: PartSink): MappedMessage => ({
  message: { ...row, partIds: sink.parts.map(({ nativeId }) => nativeId) },
  parts: sink.parts,
})
