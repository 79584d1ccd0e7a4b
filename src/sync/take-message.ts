import type { StoredMessage } from '../db/write/message-writer.ts'
import type { MessageRow } from '../model/rows.ts'
import type { CommitContext } from './commit-context.ts'
import type { LookAhead } from './look-ahead.ts'
import { countMessage, isPrompt, type OpenSession } from './open-session.ts'
import { applyWaiting } from './waiting.ts'

const MESSAGE_EVENTS = { USER: 'user/message', ASSISTANT: 'assistant/message', SYSTEM: 'system/message' } as const

/** Takes in a message: new, changed, or the same as before. */
export function takeMessage(context: CommitContext, open: OpenSession, message: MessageRow, ahead: LookAhead): void {
  const recordNos: number[] = []
  for (const ref of message.records) {
    const no = context.numberOf(open, ref)
    if (no !== null) recordNos.push(no)
  }
  const values = context.writer.messages.values(message, {
    sessionId: open.row.id,
    streamId: context.stream(open, true).id,
    recordNos,
    source: context.place.adapter.name,
    isConversational: ahead.conversational.has(message.nativeId),
  })
  const { change, row, old } = context.writer.messages.put(values, context.place.isReprojection)
  if (row.isBilledOnly) {
    if (change !== 'same') bill(context, open, row, old)
    return
  }
  open.messages.set(message.nativeId, row)
  if (message.partIds !== null && change !== 'new') context.partLists.set(row.id, { open, partIds: message.partIds })
  const isRetold = change !== 'new' && context.place.rebuilding.has(open.row.nativeId)
  if (isRetold && row.role !== 'TOOL') context.event(open, MESSAGE_EVENTS[row.role], row.time, row.id, null)
  if (change === 'same') return
  if (change === 'new') {
    applyWaiting(context, open, row)
    open.newMessages.add(row.id)
    context.tally.messagesInserted += 1
    if (row.role !== 'TOOL') context.event(open, MESSAGE_EVENTS[row.role], row.time, row.id, null)
  } else {
    context.tally.messagesUpdated += 1
    if (!isRetold) context.event(open, 'message/updated', context.now, row.id, null)
  }
  countMessage(open.row, row, old)
  bill(context, open, row, old)
  if (message.model !== null && row.role === 'ASSISTANT' && !open.row.models.includes(message.model))
    open.hasNewModel = true
  if (old !== null && old.time > row.time && old.time === open.row.updatedAt)
    open.row.updatedAt = context.writer.sessions.latestMessageTime(open.row.id) ?? row.time
  else open.row.updatedAt = open.row.messageCount === 1 ? row.time : Math.max(open.row.updatedAt, row.time)
  if (row.compaction !== null) takeCompaction(context, open, row, row.compaction)
  if (isPrompt(row) && !(old !== null && isPrompt(old))) interruptCalls(context, open, row)
}

/** Accounts for a response, wherever a copy of it stands. */
function bill(context: CommitContext, open: OpenSession, row: StoredMessage, old: StoredMessage | null): void {
  context.writer.usage.apply(old, row)
  if (row.hasUsage || old?.hasUsage) open.hasUsageChange = true
  if (row.copyKey !== null) context.copyKeys.add(row.copyKey)
}

function takeCompaction(context: CommitContext, open: OpenSession, row: StoredMessage, kind: string): void {
  const summary = { nativeId: row.nativeId, kind, timeMs: row.time, content: null, messageId: row.nativeId }
  if (context.writer.summaries.put(open.row.id, summary, row.id))
    context.event(open, 'compaction/summary', row.time, row.id, null)
}

/** Calls that still ran when the person went on were interrupted. */
function interruptCalls(context: CommitContext, open: OpenSession, prompt: StoredMessage): void {
  for (const partId of context.writer.parts.interruptBefore(open.row.id, prompt.orderKey))
    context.event(open, 'part/updated', context.now, null, partId)
}

/** A message turns out to hold words of the person or the model. */
export function becomeConversational(context: CommitContext, open: OpenSession, message: StoredMessage): void {
  const now = { ...message, isConversational: true }
  context.writer.messages.markConversational(message, true)
  open.messages.set(message.nativeId, now)
  countMessage(open.row, now, message)
  if (isPrompt(now)) interruptCalls(context, open, now)
}
