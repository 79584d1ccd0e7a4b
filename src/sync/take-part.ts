import type { PartRow } from '../model/rows.ts'
import type { CommitContext } from './commit-context.ts'
import { countPart, type OpenSession } from './open-session.ts'
import { becomeConversational } from './take-message.ts'
import { takeWaitingTitle } from './waiting.ts'

const REPAIRED = 'Text with lone surrogates or NUL was repaired with U+FFFD; the archive keeps it as it was.'

/** Takes in a part of a message that is there already. */
export function takePart(context: CommitContext, open: OpenSession, part: PartRow): void {
  const message = context.findMessage(open, part.messageId)
  if (message === undefined) {
    const text = `Part ${part.nativeId} belongs to message ${part.messageId}, which is not there.`
    context.problem('SCHEMA', part.citation.record, text, open)
    return
  }
  const recordNo = context.numberOf(open, part.citation.record)
  const place = { sessionId: open.row.id, messageId: message.id, streamId: context.stream(open, true).id, recordNo }
  const { change, row, old, isRepaired } = context.writer.parts.put(part, place, context.place.isReprojection)
  const isTool = row.kind === 'TOOL_CALL' || row.kind === 'TOOL_RESULT'
  const toolEvent = row.kind === 'TOOL_CALL' ? 'tool/call' : 'tool/result'
  const isRetold = change !== 'new' && isTool && context.place.rebuilding.has(open.row.nativeId)
  // Seen at every reading, so that the problem stays open as long as the text is as it is.
  if (isRepaired && !context.place.isReprojection) context.problem('REPAIRED', part.citation.record, REPAIRED, open)
  if (isRetold) context.event(open, toolEvent, message.time, message.id, row.id)
  if (change === 'same') return
  context.changedParts.add(message.id)
  countPart(open, row, old)
  if (change === 'new') {
    context.tally.partsInserted += 1
    if (context.titles().has(row.nativeId)) takeWaitingTitle(context, open)
    if (isTool) context.event(open, toolEvent, message.time, message.id, row.id)
    else if (!open.newMessages.has(message.id)) context.event(open, 'part/updated', context.now, message.id, row.id)
  } else {
    context.tally.partsUpdated += 1
    if (!isRetold) context.event(open, 'part/updated', context.now, message.id, row.id)
  }
  // A call of a copied response tells it apart from others.
  if (row.kind === 'TOOL_CALL' && message.copyKey !== null) context.copyKeys.add(message.copyKey)
  if (row.provenance === 'CONVERSATIONAL' && !message.isConversational) becomeConversational(context, open, message)
}
