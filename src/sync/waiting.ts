import type { StoredMessage } from '../db/write/message-writer.ts'
import type { CommitContext } from './commit-context.ts'
import { mergeTitle, type OpenSession } from './open-session.ts'

/** What waited for a message is applied when it comes. */
export function applyWaiting(context: CommitContext, open: OpenSession, row: StoredMessage): void {
  const durationMs = open.durations.get(row.nativeId)
  if (durationMs !== undefined) {
    context.writer.messages.setTurnDuration(row, durationMs)
    context.writer.waiting.dropDuration(open.row.id, row.nativeId)
    open.messages.set(row.nativeId, { ...row, turnDurationMs: durationMs })
  }
  if (context.titles().has(row.nativeId)) takeWaitingTitle(context, open)
}

/** Sets how long a message's turn took, or lets that wait for the message. */
export function takeTurnDuration(
  context: CommitContext,
  open: OpenSession,
  messageId: string,
  durationMs: number,
): void {
  const message = context.findMessage(open, messageId)
  if (message === undefined) {
    context.writer.waiting.addDuration(open.row.id, messageId, durationMs)
    open.durations.set(messageId, durationMs)
    return
  }
  if (message.turnDurationMs === durationMs) return
  context.writer.messages.setTurnDuration(message, durationMs)
  open.messages.set(messageId, { ...message, turnDurationMs: durationMs })
  if (!open.newMessages.has(message.id)) context.event(open, 'message/updated', context.now, message.id, null)
}

/** Gives a session the title that side files have for the latest of its messages that they have one for. */
export function takeWaitingTitle(context: CommitContext, open: OpenSession): void {
  const title = context.writer.waiting.titleOf(context.place.sourceId, open.row.id)
  if (title !== null) mergeTitle(open.row, { text: title, origin: 'SIDE_FILE' })
}
