import type { StoreWriter } from '../db/write/index.ts'
import type { StoredSession } from '../db/write/session-writer.ts'
import type { Problem } from '../model/record.ts'
import type { OpenSession } from './open-session.ts'

/**
 * Ties sessions that a commit touched to their parents and waiting children, in whichever order they come, and lets activity be seen
 * up the tree. Rings are cut where they close, and reported (design §4.12).
 */
export function linkSessions(
  writer: StoreWriter,
  touched: readonly OpenSession[],
  report: (problem: Problem) => void,
): void {
  for (const { row, stored } of touched) {
    if (row.parentNativeId !== null && row.parentId === null) {
      const parentId = writer.sessions.sibling(row, row.parentNativeId)
      if (parentId !== null) link(writer, row, parentId, report)
    }
    if (stored === null) {
      for (const id of writer.sessions.orphansOf(row)) {
        const orphan = writer.sessions.get(id)
        if (orphan !== undefined) link(writer, orphan, row.id, report)
      }
    }
    const parentId = writer.sessions.get(row.id)?.parentId ?? null
    if (stored !== null && stored.createdAt !== row.createdAt) writer.sessions.settleActivity(parentId)
    writer.sessions.raiseActivity(parentId, writer.sessions.activityOf(row.id))
  }
}

function link(writer: StoreWriter, child: StoredSession, parentId: number, report: (problem: Problem) => void): void {
  if (writer.sessions.closesRing(child.id, parentId)) {
    const message = `Session ${child.nativeId} names a parent that descends from it; the link was left out.`
    report({ kind: 'SCHEMA', location: child.sourcePath ?? child.nativeId, message, sessionId: child.nativeId })
    return
  }
  writer.sessions.setParent(child.id, parentId)
  writer.sessions.raiseActivity(parentId, writer.sessions.activityOf(child.id))
}

/** Settles where copied responses are billed; returns row ids of sessions for which that changed something. */
export function settleCopies(writer: StoreWriter, copyKeys: ReadonlySet<number>): ReadonlySet<number> {
  const changed = new Set<number>()
  for (const key of writer.copies.open(copyKeys)) {
    const { settled, origins } = writer.copies.settle(key)
    for (const { messageId, sessionId, was } of settled) {
      const now = writer.message(messageId)
      if (now !== undefined) {
        writer.usage.apply({ ...now, ...was }, now)
        writer.sessions.addInherited(sessionId, Number(now.isInherited) - Number(was.isInherited))
      }
      changed.add(sessionId)
    }
    for (const { sessionId, originSessionId } of origins) {
      if (adopt(writer, sessionId, originSessionId)) changed.add(sessionId)
    }
  }
  for (const id of changed) writer.saveTotals(id)
  return changed
}

/** Makes a session of copies the child of the one it was copied from, where its own record names no parent. */
function adopt(writer: StoreWriter, sessionId: number, originSessionId: number): boolean {
  const session = writer.sessions.get(sessionId)
  if (session === undefined || session.parentNativeId !== null || session.parentId === originSessionId) return false
  if (writer.sessions.closesRing(sessionId, originSessionId)) return false
  writer.sessions.adopt(sessionId, originSessionId, session.relation ?? 'FORK')
  writer.sessions.raiseActivity(originSessionId, session.lastActivityAt)
  return true
}
