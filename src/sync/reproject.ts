import type { Item } from '../adapters/contract.ts'
import { addressKey } from '../db/archive/address.ts'
import { ArchiveReader } from '../db/archive/read.ts'
import type { ArchivedRecord, OutdatedSession, StoredStream } from '../db/write/projection.ts'
import { Commit } from './commit.ts'
import type { RowItem, UnitPlace } from './commit-context.ts'
import type { SyncDeps } from './deps.ts'
import { settleEnd } from './settle-end.ts'
import type { StoredSource } from './source.ts'

/** Records that one step maps, in one transaction. */
const RECORDS_A_STEP = 200

/** Native ids that mapping has made so far in a session. */
interface Seen {
  hasSession: boolean
  readonly messages: Set<string>
  readonly parts: Set<string>
}

/**
 * Maps sessions anew that an adapter of a lower revision had mapped, from their archived records alone (design §4.9), in steps. A session
 * gets its new revision with the last of them, so that one that was cut off is simply done again.
 */
export class Reprojection {
  private readonly deps: SyncDeps
  private readonly archive: ArchiveReader
  private readonly steps: Generator<void>

  constructor(deps: SyncDeps, sources: readonly StoredSource[]) {
    this.deps = deps
    this.archive = new ArchiveReader(deps.writer.store)
    this.steps = this.all(sources)
  }

  /** One step; false when every session is of its adapter's revision. */
  step(): boolean {
    return this.steps.next().done !== true
  }

  private *all(sources: readonly StoredSource[]): Generator<void> {
    for (const source of sources) {
      for (;;) {
        const session = this.deps.writer.projection.outdated(source.id, source.adapter.revision)
        if (session === undefined) break
        yield* this.project(source, session)
      }
    }
  }

  private *project(source: StoredSource, session: OutdatedSession): Generator<void> {
    const { writer, onCommit } = this.deps
    const seen = nothingSeen()
    for (const stream of writer.projection.streams(session.id)) yield* this.projectStream(source, session, stream, seen)
    writer.transaction(() => {
      this.dropUnseen(session, seen)
      writer.projection.setRevision(session.id, source.adapter.revision)
    })
    onCommit()
    yield
  }

  /** Takes out what mapping no longer makes, and says so in the feed. */
  private dropUnseen(session: OutdatedSession, seen: Seen): void {
    const { writer, journal, now } = this.deps
    const { parts, messages } = writer.projection.unseen(session.id, seen)
    if (parts.length + messages.length === 0) return
    for (const { id } of parts) writer.projection.dropPart(id)
    for (const { id } of messages) {
      const old = writer.message(id)
      writer.projection.dropMessage(id)
      if (old !== undefined) writer.usage.remove(old)
    }
    writer.sessions.recount(session.id)
    const stored = writer.sessions.get(session.id)
    if (stored !== undefined) {
      const settled = { ...stored }
      settleEnd(writer, settled, 0, now())
      writer.sessions.save(settled, stored)
    }
    journal.announce(session.id, 'session/updated', now())
  }

  private *projectStream(
    source: StoredSource,
    session: OutdatedSession,
    stream: StoredStream,
    seen: Seen,
  ): Generator<void> {
    const { writer, journal, origin, now, onCommit } = this.deps
    const { adapter } = source
    const place: UnitPlace = {
      adapter,
      origin,
      sourceId: source.id,
      rootId: stream.rootId,
      unitId: stream.unitId,
      unitKey: stream.unitKey,
      path: stream.path,
      changedAt: session.createdAt,
      isKnown: false,
      isBulk: false,
      isReprojection: true,
      generation: stream.generation,
      rebuilding: new Set(),
    }
    const mapper = adapter.map(session.nativeId, stream.unitKey)
    const here = nothingSeen()
    let after: ArchivedRecord | null = null
    for (;;) {
      const records: ArchivedRecord[] = writer.projection.records(stream, after, RECORDS_A_STEP)
      const bodies = this.archive.bytesNow(records.map(({ no }) => ({ streamId: stream.id, no })))
      const items: Item[] = []
      for (const { no, key, type } of records) {
        const json = parse(bodies.get(addressKey({ streamId: stream.id, no })))
        if (json !== undefined) items.push(...mapper.push({ ref: key ?? no, type, json }))
      }
      after = records.at(-1) ?? null
      const isLast = records.length < RECORDS_A_STEP
      if (isLast) items.push(...mapper.end())
      const rows = items
        .filter((item): item is RowItem => 'sessionId' in item)
        .filter((item) => isOwn(item, seen, here))
      writer.transaction(() => new Commit(writer, journal, place, now()).apply(rows))
      onCommit()
      yield
      if (isLast) break
    }
    // Only now: within one stream, a later record may tell more of the same message.
    for (const id of here.messages) seen.messages.add(id)
    for (const id of here.parts) seen.parts.add(id)
    seen.hasSession ||= here.hasSession
  }
}

const nothingSeen = (): Seen => ({ hasSession: false, messages: new Set(), parts: new Set() })

/** Notes a row as made by this stream; false when a stream that counts more has made it already. */
function isOwn(item: RowItem, earlier: Seen, here: Seen): boolean {
  switch (item.kind) {
    case 'session':
      here.hasSession = true
      return !earlier.hasSession
    case 'message':
      here.messages.add(item.message.nativeId)
      return !earlier.messages.has(item.message.nativeId)
    case 'part':
      here.parts.add(item.part.nativeId)
      return !earlier.parts.has(item.part.nativeId)
    default:
      return true
  }
}

/** Undefined for a record that is no JSON, as when it was first read: nothing is mapped from it. */
function parse(bytes: Buffer | undefined): unknown {
  if (bytes === undefined) return undefined
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
