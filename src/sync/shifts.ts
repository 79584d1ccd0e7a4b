import { nextShift } from '../model/activity.ts'
import type { SyncDeps } from './deps.ts'

/** Sessions that are told of in one transaction. */
const AT_ONCE = 100

/**
 * Tells of sessions whose agent does something else by time passing alone: nobody else would. Returns whether there may be more of them
 * already.
 */
export function tellShifts({ writer, journal, now, onCommit }: SyncDeps): boolean {
  const at = now()
  const due = writer.sessions.shifting(at, AT_ONCE)
  if (due.length === 0) return false
  writer.transaction(() => {
    for (const session of due) {
      writer.sessions.setShift(session.id, nextShift(session, at))
      journal.announce(session.id, 'session/updated', at)
    }
  })
  onCommit()
  return due.length === AT_ONCE
}
