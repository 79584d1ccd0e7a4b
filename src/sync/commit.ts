import type { Adapter, Item } from '../adapters/contract.ts'
import type { StoreWriter } from '../db/write/index.ts'
import type { StoredMessage } from '../db/write/message-writer.ts'
import { newEpoch, type StoredSession } from '../db/write/session-writer.ts'
import type { JournalWriter } from '../journal/append.ts'
import { sessionUid } from '../model/ids.ts'
import type { StoreEventType } from '../model/journal.ts'
import type { Problem, RecordRef } from '../model/record.ts'
import type { MessageRow, PartRow } from '../model/rows.ts'
import { linkSessions, settleCopies } from './lineage.ts'
import {
  countMessage,
  countPart,
  isNews,
  isPrompt,
  mergeSession,
  mergeTitle,
  type OpenSession,
  opened,
} from './open-session.ts'

/** What a unit is to the store. */
export interface UnitPlace {
  readonly adapter: Adapter
  readonly origin: { readonly id: number; readonly uid: string }
  readonly sourceId: number
  readonly rootId: number
  readonly unitId: number
  readonly unitKey: string
  readonly path: string
  /** Stand-in for the creation of a session that tells no time of its own, ms. */
  readonly changedAt: number
  /** First import of much: records are sealed at once. */
  readonly isBulk: boolean
  /** Rows are mapped anew from archived records: what the source dropped stays dropped. */
  readonly isReprojection: boolean
}

export interface Tally {
  messagesInserted: number
  messagesUpdated: number
  partsInserted: number
  partsUpdated: number
}

export const emptyTally = (): Tally => ({ messagesInserted: 0, messagesUpdated: 0, partsInserted: 0, partsUpdated: 0 })

/** Items that a commit takes in one by one, in the order in which the adapter gave them. */
type RowItem = Extract<Item, { sessionId: string }>

/**
 * One commit: the items of a unit between two checkpoints become archive, rows and journal. Runs inside the caller's transaction.
 * Everything is written by comparing, so that reading something again changes nothing.
 */
export class Commit {
  readonly tally = emptyTally()
  /** What went wrong with single rows; the caller stores them. */
  readonly problems: Problem[] = []
  private readonly writer: StoreWriter
  private readonly journal: JournalWriter
  private readonly place: UnitPlace
  private readonly now: number
  private readonly sessions = new Map<string, OpenSession | null>()
  private readonly copyKeys = new Set<number>()
  /** Titles that wait for messages, by message; read when the first message comes. */
  private titles: Map<string, string> | null = null
  private readonly toSettle = new Map<number, { open: OpenSession; partIds: readonly string[] }>()

  constructor(writer: StoreWriter, journal: JournalWriter, place: UnitPlace, now: number) {
    this.writer = writer
    this.journal = journal
    this.place = place
    this.now = now
  }

  /** Applies the items; returns row ids of the sessions that it touched. */
  apply(items: readonly RowItem[]): number[] {
    const ahead = lookAhead(items)
    for (const item of items) {
      if (item.kind === 'delete-session') {
        this.retract(item.sessionId)
        continue
      }
      if (item.kind === 'message-title') {
        this.messageTitle(item.messageId, item.title)
        continue
      }
      const open = this.open(item, ahead)
      if (open !== null) this.take(item, open, ahead)
    }
    for (const [messageId, { open, partIds }] of this.toSettle) {
      for (const partId of this.writer.parts.settle(messageId, partIds, this.place.isReprojection))
        this.event(open, 'part/removed', this.now, messageId, partId)
    }
    const touched = [...this.sessions.values()].filter((open) => open !== null)
    for (const open of touched) this.close(open)
    linkSessions(this.writer, touched, (problem) => this.problems.push({ ...problem, location: this.place.path }))
    for (const id of settleCopies(this.writer, this.copyKeys)) this.journal.announce(id, 'session/updated', this.now)
    return touched.map(({ row }) => row.id)
  }

  /** Row id of a session that this commit touched. */
  sessionId(nativeId: string): number | null {
    return this.sessions.get(nativeId)?.row.id ?? null
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
    const { adapter, origin, sourceId, rootId } = this.place
    const uid = this.uidOf(nativeId)
    const stored = this.writer.sessions.find(uid)
    if (stored !== undefined) return opened({ ...stored }, stored, this.writer.waiting.durations(stored.id))
    if (this.writer.sessions.isErased(uid)) return null
    const createdAt = ahead.firstTimes.get(nativeId) ?? this.place.changedAt
    const place = { uid, originId: origin.id, sourceId, rootId, nativeId }
    return opened(this.writer.sessions.create(place, adapter.name, createdAt, adapter.revision), null, new Map())
  }

  /** A session that this commit comes to by another way than an item of its own. */
  private openStored(stored: StoredSession): OpenSession {
    const known = this.sessions.get(stored.nativeId)
    if (known !== undefined && known !== null) return known
    const open = opened({ ...stored }, stored, this.writer.waiting.durations(stored.id))
    this.sessions.set(stored.nativeId, open)
    return open
  }

  private uidOf(nativeId: string): Buffer {
    const { adapter, origin } = this.place
    return sessionUid({ origin: origin.uid, source: adapter.name, nativeId })
  }

  private take(item: RowItem, open: OpenSession, ahead: LookAhead): void {
    switch (item.kind) {
      case 'record': {
        const stream = this.stream(open, typeof item.record.ref === 'string')
        const { no } = this.writer.archive.put(stream, item.record, ahead.cited.has(item.record.ref))
        open.recordNos.set(item.record.ref, no)
        return
      }
      case 'session': {
        mergeSession(open.row, item.session, (path) =>
          this.writer.projects.id(open.row.originId, path, item.session.repository, open.row.updatedAt),
        )
        if (item.session.record !== null) {
          open.row.recordNo = this.numberOf(open, item.session.record)
          open.row.recordStreamId = open.row.recordNo === null ? null : (open.stream?.id ?? null)
        }
        return
      }
      case 'message':
        this.message(open, item.message, ahead)
        return
      case 'part':
        this.part(open, item.part)
        return
      case 'summary': {
        const { messageId } = item.summary
        const on = messageId === null ? null : (this.findMessage(open, messageId)?.id ?? null)
        this.writer.summaries.put(open.row.id, item.summary, on)
        return
      }
      case 'present': {
        if (open.stored === null) return
        for (const { id, isRemoved } of this.writer.messages.markRemoved(open.row.id, item.messageIds))
          this.event(open, isRemoved ? 'message/removed' : 'message/updated', this.now, id, null)
        return
      }
      case 'subagent':
        this.writer.side.subagent(open.row.id, item.subagent)
        return
      case 'workflow':
        this.writer.side.workflow(open.row.id, item.workflow)
        return
      case 'workflow-agent':
        this.writer.side.workflowAgent(open.row.id, item.agent)
        return
      case 'turn-duration':
        this.turnDuration(open, item.messageId, item.durationMs)
        return
      case 'off-path':
        for (const id of this.writer.messages.setOffPath(open.row.id, item.messageIds))
          this.event(open, 'message/updated', this.now, id, null)
        return
      case 'new-generation':
        this.newGeneration(open)
        return
      case 'delete-session':
      case 'message-title':
        // Neither opens the session that it comes with.
        return
    }
  }

  /** Takes out what never was the person's session; an unknown one is left alone. An item for it that comes later makes it anew. */
  private retract(nativeId: string): void {
    const row = this.sessions.get(nativeId)?.row ?? this.writer.sessions.find(this.uidOf(nativeId))
    this.sessions.delete(nativeId)
    if (row === undefined) return
    for (const { id, copyKeys } of this.writer.eraser.delete([row.id])) {
      for (const key of copyKeys) this.copyKeys.add(key)
      this.journal.announce(id, 'session/erased', this.now, { uid: Buffer.from(row.uid).toString('hex') })
    }
  }

  private message(open: OpenSession, message: MessageRow, ahead: LookAhead): void {
    const recordNos = message.records.flatMap((ref) => this.numberOf(open, ref) ?? [])
    const values = this.writer.messages.values(message, {
      sessionId: open.row.id,
      streamId: this.stream(open, true).id,
      recordNos,
      source: this.place.adapter.name,
      isConversational: ahead.conversational.has(message.nativeId),
    })
    const { change, row, old } = this.writer.messages.put(values, this.place.isReprojection)
    open.messages.set(message.nativeId, row)
    if (message.partIds !== null && change !== 'new') this.toSettle.set(row.id, { open, partIds: message.partIds })
    if (change === 'same') return
    if (change === 'new') {
      this.arrive(open, row)
      open.newMessages.add(row.id)
      this.tally.messagesInserted += 1
      if (row.role !== 'TOOL') this.event(open, MESSAGE_EVENTS[row.role], row.time, row.id, null)
    } else {
      this.tally.messagesUpdated += 1
      this.event(open, 'message/updated', this.now, row.id, null)
    }
    countMessage(open.row, row, old)
    this.writer.usage.apply(old, row)
    if (row.hasUsage || old?.hasUsage) open.hasUsageChange = true
    if (row.copyKey !== null) this.copyKeys.add(row.copyKey)
    if (message.model !== null && row.role === 'ASSISTANT' && !open.row.models.includes(message.model))
      open.hasNewModel = true
    if (old !== null && old.time > row.time && old.time === open.row.updatedAt)
      open.row.updatedAt = this.writer.sessions.latestMessageTime(open.row.id) ?? row.time
    else open.row.updatedAt = open.row.messageCount === 1 ? row.time : Math.max(open.row.updatedAt, row.time)
    if (row.compaction !== null) this.compaction(open, row, row.compaction)
    if (isPrompt(row) && !(old !== null && isPrompt(old))) this.interrupt(open, row)
  }

  /** What waited for a message is applied when it comes. */
  private arrive(open: OpenSession, row: StoredMessage): void {
    const durationMs = open.durations.get(row.nativeId)
    if (durationMs !== undefined) {
      this.writer.messages.setTurnDuration(row, durationMs)
      this.writer.waiting.dropDuration(open.row.id, row.nativeId)
      open.messages.set(row.nativeId, { ...row, turnDurationMs: durationMs })
    }
    this.titles ??= this.writer.waiting.titles(this.place.sourceId)
    const title = this.titles.get(row.nativeId)
    if (title !== undefined) mergeTitle(open.row, { text: title, origin: 'SIDE_FILE' })
  }

  private turnDuration(open: OpenSession, messageId: string, durationMs: number): void {
    const message = this.findMessage(open, messageId)
    if (message === undefined) {
      this.writer.waiting.addDuration(open.row.id, messageId, durationMs)
      open.durations.set(messageId, durationMs)
      return
    }
    if (message.turnDurationMs === durationMs) return
    this.writer.messages.setTurnDuration(message, durationMs)
    open.messages.set(messageId, { ...message, turnDurationMs: durationMs })
    if (!open.newMessages.has(message.id)) this.event(open, 'message/updated', this.now, message.id, null)
  }

  /** A title for whichever session has the message, now or later. */
  private messageTitle(messageId: string, title: string): void {
    this.writer.waiting.addTitle(this.place.sourceId, messageId, title)
    this.titles?.set(messageId, title)
    for (const id of this.writer.waiting.sessionsWith(this.place.sourceId, messageId)) {
      const stored = this.writer.sessions.get(id)
      const open = stored === undefined ? null : this.openStored(stored)
      if (open !== null) mergeTitle(open.row, { text: title, origin: 'SIDE_FILE' })
    }
  }

  private newGeneration(open: OpenSession): void {
    if (open.stored === null) return
    const { unitId, path } = this.place
    const generation = this.writer.archive.generation(open.row.id, unitId) + 1
    open.stream = this.writer.archive.stream(open.row.id, unitId, generation, path, false)
    open.row.epoch = newEpoch()
    open.row.nextSeq = 0
    this.journal.reset(open.row.id)
    this.journal.announce(open.row.id, 'session/reset', this.now)
  }

  /** The unit was read to its end as a new generation: messages that only older ones have are gone at their source. */
  endGeneration(nativeId: string): void {
    const row = this.writer.sessions.find(this.uidOf(nativeId))
    if (row === undefined) return
    const owner = { id: row.id, nextSeq: row.nextSeq }
    const generation = this.writer.archive.generation(row.id, this.place.unitId)
    for (const id of this.writer.messages.removeOlder(row.id, this.place.unitId, generation))
      this.journal.append(owner, 'message/removed', this.now, { messageId: id, partId: null })
    this.writer.sessions.save({ ...row, nextSeq: owner.nextSeq }, row)
  }

  private compaction(open: OpenSession, row: StoredMessage, kind: string): void {
    const summary = { nativeId: row.nativeId, kind, timeMs: row.time, content: null, messageId: row.nativeId }
    if (this.writer.summaries.put(open.row.id, summary, row.id))
      this.event(open, 'compaction/summary', row.time, row.id, null)
  }

  /** Calls that still ran when the person went on were interrupted. */
  private interrupt(open: OpenSession, prompt: StoredMessage): void {
    for (const partId of this.writer.parts.interruptBefore(open.row.id, prompt.orderKey))
      this.event(open, 'part/updated', this.now, null, partId)
  }

  private part(open: OpenSession, part: PartRow): void {
    const message = this.findMessage(open, part.messageId)
    if (message === undefined) {
      const text = `Part ${part.nativeId} belongs to message ${part.messageId}, which is not there.`
      this.problem('SCHEMA', part.citation.record, text, open)
      return
    }
    const recordNo = this.numberOf(open, part.citation.record)
    const place = { sessionId: open.row.id, messageId: message.id, streamId: this.stream(open, true).id, recordNo }
    const { change, row, old, isRepaired } = this.writer.parts.put(part, place, this.place.isReprojection)
    if (change === 'same') return
    countPart(open.row, row, old)
    const isTool = row.kind === 'TOOL_CALL' || row.kind === 'TOOL_RESULT'
    if (change === 'new') {
      this.tally.partsInserted += 1
      if (isTool)
        this.event(open, row.kind === 'TOOL_CALL' ? 'tool/call' : 'tool/result', message.time, message.id, row.id)
      else if (!open.newMessages.has(message.id)) this.event(open, 'part/updated', this.now, message.id, row.id)
    } else {
      this.tally.partsUpdated += 1
      this.event(open, 'part/updated', this.now, message.id, row.id)
    }
    // A call of a copied response tells it apart from others.
    if (row.kind === 'TOOL_CALL' && message.copyKey !== null) this.copyKeys.add(message.copyKey)
    if (row.provenance === 'CONVERSATIONAL' && !message.isConversational) this.becomeConversational(open, message)
    if (isRepaired) this.problem('REPAIRED', part.citation.record, REPAIRED, open)
  }

  private becomeConversational(open: OpenSession, message: StoredMessage): void {
    const now = { ...message, isConversational: true }
    this.writer.messages.markConversational(message, true)
    open.messages.set(message.nativeId, now)
    countMessage(open.row, now, message)
    if (isPrompt(now)) this.interrupt(open, now)
  }

  private close(open: OpenSession): void {
    const { row, stored, stream } = open
    if (stream !== null) this.writer.archive.flush(stream, this.place.isBulk)
    if (row.messageCount === 0) row.updatedAt = row.createdAt
    row.lastActivityAt = Math.max(row.updatedAt, stored === null ? row.updatedAt : row.lastActivityAt)
    row.revertedFromKey = row.revertedFrom === null ? null : this.writer.sessions.orderKeyOf(row.id, row.revertedFrom)
    if (open.hasNewModel) row.models = this.writer.sessions.modelsOf(row.id)
    if (open.hasUsageChange) Object.assign(row, this.writer.sessions.totals(row.id))
    row.isSourceMissing = this.place.isReprojection && row.isSourceMissing
    if (isNews(row, stored)) this.journal.announce(row.id, 'session/updated', this.now)
    if (row.projectId !== null) this.writer.projects.touch(row.projectId, row.updatedAt)
    if (!this.place.isReprojection) this.writer.units.setSession(this.place.unitId, row.id)
    this.writer.sessions.save(row, stored)
  }

  private stream(open: OpenSession, isKeyed: boolean) {
    const { unitId, path } = this.place
    const { archive } = this.writer
    open.stream ??= archive.stream(open.row.id, unitId, archive.generation(open.row.id, unitId), path, isKeyed)
    return open.stream
  }

  private numberOf(open: OpenSession, ref: RecordRef): number | null {
    const put = open.recordNos.get(ref)
    if (put !== undefined) return put
    const stream = this.stream(open, typeof ref === 'string')
    const no = this.writer.archive.cite(stream, ref)
    if (no !== null) open.recordNos.set(ref, no)
    return no
  }

  private findMessage(open: OpenSession, nativeId: string): StoredMessage | undefined {
    const known = open.messages.get(nativeId) ?? this.writer.messages.find(open.row.id, nativeId)
    if (known !== undefined) open.messages.set(nativeId, known)
    return known
  }

  private event(
    open: OpenSession,
    type: StoreEventType,
    time: number,
    messageId: number | null,
    partId: number | null,
  ) {
    this.journal.append(open.row, type, time, { messageId, partId })
  }

  private problem(kind: Problem['kind'], ref: RecordRef, message: string, open: OpenSession): void {
    this.problems.push({ kind, location: locationOf(this.place, ref), message, sessionId: open.row.nativeId })
  }
}

const MESSAGE_EVENTS = { USER: 'user/message', ASSISTANT: 'assistant/message', SYSTEM: 'system/message' } as const
const REPAIRED = 'Text with lone surrogates or NUL was repaired with U+FFFD; the archive keeps it as it was.'

/** Where a record stands, for people. */
export function locationOf(
  place: Pick<UnitPlace, 'adapter' | 'path'>,
  ref: RecordRef,
  line: number | null = null,
): string {
  return typeof ref === 'number' ? `${place.path}:${line ?? ref + 1}` : place.adapter.locate(place.path, ref)
}

interface LookAhead {
  /** Records that rows of this commit cite. */
  readonly cited: ReadonlySet<RecordRef>
  /** Messages with a part that the person or the model wrote. */
  readonly conversational: ReadonlySet<string>
  /** The first time that is told of each session. */
  readonly firstTimes: ReadonlyMap<string, number>
}

function lookAhead(items: readonly RowItem[]): LookAhead {
  const cited = new Set<RecordRef>()
  const conversational = new Set<string>()
  const firstTimes = new Map<string, number>()
  for (const item of items) {
    if (item.kind === 'message') {
      for (const ref of item.message.records) cited.add(ref)
      if (!firstTimes.has(item.sessionId)) firstTimes.set(item.sessionId, item.message.time.ms)
    } else if (item.kind === 'part') {
      cited.add(item.part.citation.record)
      if (item.part.provenance === 'CONVERSATIONAL') conversational.add(item.part.messageId)
    } else if (item.kind === 'session') {
      if (item.session.record !== null) cited.add(item.session.record)
      if (item.session.createdAt !== null) firstTimes.set(item.sessionId, item.session.createdAt.ms)
    }
  }
  return { cited, conversational, firstTimes }
}
