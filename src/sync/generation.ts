import { newEpoch, type StoredSession } from '../db/write/session-writer.ts'
import type { CommitContext } from './commit-context.ts'
import type { OpenSession } from './open-session.ts'
import { settleEnd } from './settle-end.ts'

/** A unit was rewritten: what follows goes to a stream and a journal of its own. */
export function beginGeneration(context: CommitContext, open: OpenSession): void {
  if (open.stored === null) return
  const { unitId, path } = context.place
  const generation = context.writer.archive.generation(open.row.id, unitId) + 1
  open.stream = context.writer.archive.stream(open.row.id, unitId, generation, path, false)
  open.row.epoch = newEpoch()
  open.row.nextSeq = 0
  context.journal.reset(open.row.id)
  context.journal.announce(open.row.id, 'session/reset', context.now)
}

/** The unit was read to its end as a new generation: messages that only older ones have are gone at their source. */
export function endGeneration(context: CommitContext, row: StoredSession): void {
  const owner = { id: row.id, nextSeq: row.nextSeq }
  const generation = context.writer.archive.generation(row.id, context.place.unitId)
  for (const id of context.writer.messages.removeOlder(row.id, context.place.unitId, generation))
    context.journal.append(owner, 'message/removed', context.now, { messageId: id, partId: null })
  const settled = { ...row, nextSeq: owner.nextSeq }
  settleEnd(context.writer, settled, 0, context.now)
  context.writer.sessions.save(settled, row)
}
