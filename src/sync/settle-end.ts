import type { StoreWriter } from '../db/write/index.ts'
import type { StoredSession } from '../db/write/session-writer.ts'
import { nextShift } from '../model/activity.ts'

/** Brings up to date how a session ends, which its newest rows tell, and when its source last changed. */
export function settleEnd(writer: StoreWriter, row: StoredSession, sourceChangedAt: number, now: number): void {
  const end = writer.ends.read(row.id, row.revertedFromKey)
  row.ending = end?.ending ?? 'NONE'
  row.endedAt = end?.endedAt ?? row.createdAt
  // A clock that goes wrong elsewhere must not make a session live for years.
  row.changedAt = Math.max(row.changedAt, Math.min(now, Math.max(row.updatedAt, Math.trunc(sourceChangedAt))))
  row.shiftsAt = nextShift(row, now)
}
