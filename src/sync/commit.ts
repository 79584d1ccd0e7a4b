import type { StoreWriter } from '../db/write/index.ts'
import type { StoredSession } from '../db/write/session-writer.ts'
import type { JournalWriter } from '../journal/append.ts'
import { sessionUid } from '../model/ids.ts'
import type { Problem } from '../model/record.ts'
import { CommitContext, type RowItem, type Tally, type UnitPlace } from './commit-context.ts'
import { beginGeneration, endGeneration } from './generation.ts'
import { linkSessions, settleCopies } from './lineage.ts'
import { type LookAhead, lookAhead } from './look-ahead.ts'
import { isNews, mergeSession, type OpenSession, opened } from './open-session.ts'
import { settleEnd } from './settle-end.ts'
import { takeMessage } from './take-message.ts'
import { takePart } from './take-part.ts'
import { takeTurnDuration, takeWaitingTitle } from './waiting.ts'

/** Items that concern the archive, which comes before rows that cite it. */
const ARCHIVE_KINDS: ReadonlySet<RowItem['kind']> = new Set(['record', 'new-generation', 'delete-session'])

/**
 * One commit: the items of a unit between two checkpoints become archive, rows and journal. Runs inside the caller's transaction.
 * Everything is written by comparing, so that reading something again changes nothing.
 */
export class Commit {
  private readonly context: CommitContext
  private readonly sessions = new Map<string, OpenSession | null>()

  constructor(writer: StoreWriter, journal: JournalWriter, place: UnitPlace, now: number) {
    this.context = new CommitContext(writer, journal, place, now)
  }

  get tally(): Tally {
    return this.context.tally
  }

  /** What went wrong with single rows; the caller stores them. */
  get problems(): readonly Problem[] {
    return this.context.problems
  }

  /** Applies the items; returns row ids of the sessions that it touched. */
  apply(all: readonly RowItem[]): number[] {
    const ahead = lookAhead(all)
    const { items } = ahead
    // Records first: the last form of a row may cite what stands behind its first.
    for (const item of items) if (ARCHIVE_KINDS.has(item.kind)) this.takeItem(item, ahead)
    for (const item of items) if (!ARCHIVE_KINDS.has(item.kind)) this.takeItem(item, ahead)
    for (const [messageId, { open, partIds }] of this.context.partLists) {
      // Mapped anew to the same parts, a message has them in the same places.
      if (this.context.place.isReprojection && !this.context.changedParts.has(messageId)) continue
      for (const partId of this.context.writer.parts.settle(messageId, partIds, this.context.place.isReprojection))
        this.context.event(open, 'part/removed', this.context.now, messageId, partId)
    }
    const touched = [...this.sessions.values()].filter((open) => open !== null)
    this.context.writer.usage.flush()
    for (const open of touched) this.close(open)
    linkSessions(this.context.writer, touched, (problem) =>
      this.context.problems.push({ ...problem, location: this.context.place.path }),
    )
    for (const id of settleCopies(this.context.writer, this.context.copyKeys))
      this.context.journal.announce(id, 'session/updated', this.context.now)
    return touched.map(({ row }) => row.id)
  }

  /** Row id of a session that this commit touched. */
  sessionId(nativeId: string): number | null {
    return this.sessions.get(nativeId)?.row.id ?? null
  }

  /** Whether a person erased this session: nothing of it is kept, problems included. */
  isErased(nativeId: string): boolean {
    return this.context.writer.sessions.isErased(this.uidOf(nativeId))
  }

  /** The unit was read to its end as a new generation: messages that only older ones have are gone at their source. */
  endGeneration(nativeId: string): void {
    const row = this.context.writer.sessions.find(this.uidOf(nativeId))
    if (row !== undefined) endGeneration(this.context, row)
  }

  private takeItem(item: RowItem, ahead: LookAhead): void {
    if (item.kind === 'delete-session') this.retract(item.sessionId)
    else if (item.kind === 'message-title') {
      this.waitingTitle(item.messageId, item.title)
      if (item.partId !== null) this.waitingTitle(item.partId, item.title)
    } else {
      const open = this.open(item, ahead)
      if (open !== null) this.take(item, open, ahead)
    }
  }

  /** The session of an item; null when a person erased it. */
  private open(item: RowItem, ahead: LookAhead): OpenSession | null {
    const known = this.sessions.get(item.sessionId)
    if (known !== undefined) return known
    const open = this.load(item.sessionId, ahead)
    this.sessions.set(item.sessionId, open)
    return open
  }

  private load(nativeId: string, ahead: LookAhead): OpenSession | null {
    const { adapter, origin, sourceId, rootId } = this.context.place
    const uid = this.uidOf(nativeId)
    const stored = this.context.writer.sessions.find(uid)
    if (stored !== undefined) return opened({ ...stored }, stored, this.context.writer.waiting.durations(stored.id))
    if (this.context.writer.sessions.isErased(uid)) return null
    const createdAt = ahead.firstTimes.get(nativeId) ?? this.context.place.changedAt
    const place = { uid, originId: origin.id, sourceId, rootId, nativeId }
    return opened(
      this.context.writer.sessions.create(place, adapter.name, createdAt, adapter.revision),
      null,
      new Map(),
    )
  }

  /** A session that this commit comes to by another way than an item of its own. */
  private openStored(stored: StoredSession): OpenSession {
    const known = this.sessions.get(stored.nativeId)
    if (known !== undefined && known !== null) return known
    const open = opened({ ...stored }, stored, this.context.writer.waiting.durations(stored.id))
    this.sessions.set(stored.nativeId, open)
    return open
  }

  private uidOf(nativeId: string): Buffer {
    const { adapter, origin } = this.context.place
    return sessionUid({ origin: origin.uid, source: adapter.name, nativeId })
  }

  private take(item: RowItem, open: OpenSession, ahead: LookAhead): void {
    switch (item.kind) {
      case 'record': {
        const stream = this.context.stream(open, typeof item.record.ref === 'string')
        const { no } = this.context.writer.archive.put(stream, item.record, ahead.cited.has(item.record.ref))
        open.recordNos.set(item.record.ref, no)
        return
      }
      case 'session': {
        mergeSession(open.row, item.session, (path) =>
          this.context.writer.projects.id(open.row.originId, path, item.session.repository, open.row.updatedAt),
        )
        if (item.session.record !== null) {
          open.row.recordNo = this.context.numberOf(open, item.session.record)
          open.row.recordStreamId = open.row.recordNo === null ? null : (open.stream?.id ?? null)
        }
        return
      }
      case 'message':
        takeMessage(this.context, open, item.message, ahead)
        return
      case 'part':
        takePart(this.context, open, item.part)
        return
      case 'summary': {
        const { messageId } = item.summary
        const on = messageId === null ? null : (this.context.findMessage(open, messageId)?.id ?? null)
        this.context.writer.summaries.put(open.row.id, item.summary, on)
        return
      }
      case 'present': {
        if (open.stored === null) return
        for (const { id, isRemoved } of this.context.writer.messages.markRemoved(open.row.id, item.messageIds))
          this.context.event(open, isRemoved ? 'message/removed' : 'message/updated', this.context.now, id, null)
        return
      }
      case 'subagent':
        this.context.writer.side.subagent(open.row.id, item.subagent)
        return
      case 'workflow':
        this.context.writer.side.workflow(open.row.id, item.workflow)
        return
      case 'workflow-agent':
        this.context.writer.side.workflowAgent(open.row.id, item.agent)
        return
      case 'turn-duration':
        takeTurnDuration(this.context, open, item.messageId, item.durationMs)
        return
      case 'off-path':
        for (const id of this.context.writer.messages.setOffPath(open.row.id, item.messageIds))
          this.context.event(open, 'message/updated', this.context.now, id, null)
        return
      case 'new-generation':
        beginGeneration(this.context, open)
        return
      case 'delete-session':
      case 'message-title':
        // Neither opens the session that it comes with.
        return
    }
  }

  /** Takes out what never was the person's session; an unknown one is left alone. An item for it that comes later makes it anew. */
  private retract(nativeId: string): void {
    const row = this.sessions.get(nativeId)?.row ?? this.context.writer.sessions.find(this.uidOf(nativeId))
    this.sessions.delete(nativeId)
    if (row === undefined) return
    for (const { id, copyKeys } of this.context.writer.eraser.delete([row.id])) {
      for (const key of copyKeys) this.context.copyKeys.add(key)
      this.context.journal.announce(id, 'session/erased', this.context.now, {
        uid: Buffer.from(row.uid).toString('hex'),
      })
    }
  }

  /** A title for whichever session has the message or part, now or later. */
  private waitingTitle(nativeId: string, title: string): void {
    const { writer, place } = this.context
    writer.waiting.addTitle(place.sourceId, nativeId, title, place.unitKey)
    this.context.titles().add(nativeId)
    for (const id of writer.waiting.sessionsWith(place.sourceId, nativeId)) {
      const stored = writer.sessions.get(id)
      if (stored !== undefined) takeWaitingTitle(this.context, this.openStored(stored))
    }
  }

  private close(open: OpenSession): void {
    const { row, stored, stream } = open
    row.partCounts = open.partCounts
    if (stream !== null) this.context.writer.archive.flush(stream, this.context.place.isBulk)
    if (row.messageCount === 0) row.updatedAt = row.createdAt
    // A stand-in for its creation may have been later than anything that really happened.
    const isTimeNew = stored === null || stored.createdAt !== row.createdAt
    const before = isTimeNew ? this.context.writer.sessions.childActivity(row.id) : row.lastActivityAt
    row.lastActivityAt = Math.max(row.updatedAt, before)
    row.revertedFromKey =
      row.revertedFrom === null ? null : this.context.writer.sessions.orderKeyOf(row.id, row.revertedFrom)
    if (open.hasNewModel) row.models = this.context.writer.sessions.modelsOf(row.id)
    if (open.hasUsageChange) Object.assign(row, this.context.writer.sessions.totals(row.id))
    // Read for the first time, a source tells by its messages alone how old they are: its files may have been copied here today.
    const isSeenChanging = this.context.place.isKnown && stored !== null && stream !== null
    const { writer, place, now } = this.context
    settleEnd(writer, row, isSeenChanging ? place.changedAt : 0, now)
    if (row.projectId !== null) this.context.writer.projects.touch(row.projectId, row.updatedAt)
    // A session that another's unit only tells something of is not found in that unit.
    if (stream !== null && !this.context.place.isReprojection) {
      row.isSourceMissing = false
      this.context.writer.units.setSession(this.context.place.unitId, row.id)
    }
    if (isNews(row, stored)) this.context.journal.announce(row.id, 'session/updated', this.context.now)
    this.context.writer.sessions.save(row, stored)
  }
}
