import { hash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { MessageRow } from '../../model/rows.ts'
import { repair } from '../../model/text.ts'
import { NO_TOKENS } from '../../model/usage.ts'
import type { NameWriter } from '../names.ts'
import type { Store } from '../open.ts'
import { messages } from '../schema.ts'
import { TableWriter, UNSTORED } from './table-writer.ts'

export type StoredMessage = typeof messages.$inferSelect

export type Written<T> =
  | { readonly change: 'new'; readonly row: T; readonly old: null }
  | { readonly change: 'updated' | 'same'; readonly row: T; readonly old: T }

/** Read from another record than before, it says the same: that is no news to anybody. */
export const isCitation = (column: string): boolean => CITATION_COLUMNS.has(column)
const CITATION_COLUMNS = new Set(['streamId', 'recordNo', 'moreRecords'])

export class MessageWriter {
  private readonly table
  private readonly names: NameWriter
  private readonly byNative
  private readonly setConversational
  private readonly setRemoved
  private readonly nativeIds
  private readonly paths
  private readonly setOnPath
  private readonly setDuration
  private readonly older

  constructor(store: Store, names: NameWriter) {
    this.table = new TableWriter(store, messages)
    this.names = names
    this.byNative = store.orm
      .select()
      .from(messages)
      .where(
        and(eq(messages.sessionId, sql.placeholder('sessionId')), eq(messages.nativeId, sql.placeholder('nativeId'))),
      )
      .prepare()
    this.setConversational = store.sqlite.prepare<[number, number]>(
      'update messages set is_conversational = ? where id = ?',
    )
    this.paths = store.sqlite.prepare<[number], { id: number; nativeId: string; isOn: number }>(
      'select id, native_id as nativeId, is_on_active_path as isOn from messages where session_id = ?',
    )
    this.setOnPath = store.sqlite.prepare<[number, number]>('update messages set is_on_active_path = ? where id = ?')
    this.setDuration = store.sqlite.prepare<[number, number]>('update messages set turn_duration_ms = ? where id = ?')
    this.older = store.sqlite.prepare<[number, number, number], { id: number }>(`
      update messages set is_removed = 1 where session_id = ? and is_removed = 0 and is_billed_only = 0
        and stream_id in (select id from streams where session_id = messages.session_id and unit_id = ? and generation < ?)
      returning id`)
    this.setRemoved = store.sqlite.prepare<[number, number]>('update messages set is_removed = ? where id = ?')
    this.nativeIds = store.sqlite.prepare<
      [number, string],
      { id: number; nativeId: string; isRemoved: number; isSplit: number }
    >(`
      select id, native_id as nativeId, is_removed as isRemoved, stream_id is null as isSplit
      from messages where session_id = ? and order_key >= ? and is_billed_only = 0 order by order_key`)
  }

  find(sessionId: number, nativeId: string): StoredMessage | undefined {
    return this.byNative.get({ sessionId, nativeId })
  }

  /**
   * Inserts the message (`values` then has its id), or brings the stored one up to date. What only the store knows of it stays; with `keepRemoved` also that
   * its source has dropped it.
   */
  put(values: StoredMessage, keepRemoved: boolean): Written<StoredMessage> {
    // A message that is mapped anew is there; what a source tells is mostly new.
    const id = keepRemoved ? null : this.table.insert(values)
    if (id !== null) {
      values.id = id
      return { change: 'new', row: values, old: null }
    }
    const old = this.find(values.sessionId, values.nativeId)
    if (old === undefined && keepRemoved) return this.put(values, false)
    if (old === undefined) throw new Error(`Message ${values.nativeId} is neither new nor stored.`)
    const row: StoredMessage = {
      ...values,
      id: old.id,
      isBilledElsewhere: old.isBilledElsewhere,
      // Whether ids that sessions share are copies, and what was left behind, is decided elsewhere.
      isInherited: values.isSharedId ? old.isInherited || values.isInherited : values.isInherited,
      isOnActivePath: old.isOnActivePath,
      turnDurationMs: values.turnDurationMs ?? old.turnDurationMs,
      isRemoved: keepRemoved && old.isRemoved,
      isConversational: values.isConversational || old.isConversational,
    }
    const differences = this.table.differences(row, old)
    if (differences.length === 0) return { change: 'same', row: old, old }
    this.table.update(old.id, row)
    return { change: differences.every(isCitation) ? 'same' : 'updated', row, old }
  }

  markConversational(message: StoredMessage, isConversational: boolean): void {
    this.setConversational.run(isConversational ? 1 : 0, message.id)
  }

  /**
   * Marks which messages the source no longer has, split-off ones with the message before them. Returns the changed ones.
   * The source's own list names no split-off messages.
   */
  markRemoved(sessionId: number, present: ReadonlySet<string>): { id: number; isRemoved: boolean }[] {
    const changed: { id: number; isRemoved: boolean }[] = []
    let isGone = false
    for (const row of this.nativeIds.all(sessionId, '')) {
      if (row.isSplit === 0) isGone = !present.has(row.nativeId)
      if (isGone === (row.isRemoved === 1)) continue
      this.setRemoved.run(isGone ? 1 : 0, row.id)
      changed.push({ id: row.id, isRemoved: isGone })
    }
    return changed
  }

  /** Puts exactly these messages off the active path; returns those for which that is news. */
  setOffPath(sessionId: number, offPath: ReadonlySet<string>): number[] {
    const changed = this.paths.all(sessionId).filter((row) => (row.isOn === 1) === offPath.has(row.nativeId))
    for (const { id, isOn } of changed) this.setOnPath.run(isOn === 1 ? 0 : 1, id)
    return changed.map(({ id }) => id)
  }

  setTurnDuration(message: StoredMessage, durationMs: number): void {
    this.setDuration.run(durationMs, message.id)
  }

  /** Messages that stand in older generations of a unit only: its source no longer has them. */
  removeOlder(sessionId: number, unitId: number, generation: number): number[] {
    return this.older.all(sessionId, unitId, generation).map(({ id }) => id)
  }

  /** The stored form of a message as its adapter read it, without an id yet. */
  values(
    message: MessageRow,
    place: {
      sessionId: number
      streamId: number
      recordNos: readonly number[]
      source: string
      isConversational: boolean
    },
  ): StoredMessage {
    const [recordNo, ...moreRecords] = place.recordNos
    const usage = message.usage ?? NO_USAGE
    // Every field by name: a spread among them would cost more than all the rest.
    return {
      id: UNSTORED,
      sessionId: place.sessionId,
      nativeId: message.nativeId,
      orderKey: message.orderKey,
      role: message.role,
      time: message.time.ms,
      timeOrigin: message.time.origin,
      parentNativeId: message.parentNativeId,
      modelId: this.names.id(message.model),
      providerId: this.names.id(message.provider),
      isMeta: message.isMeta,
      isSidechain: message.isSidechain,
      isOnActivePath: message.isOnActivePath,
      isRemoved: false,
      isInherited: message.isInherited,
      copyKey: message.copy === null ? null : copyKeyOf(place.source, message.copy.key),
      isSharedId: message.copy?.rule === 'shared-id',
      copyOrigin: message.copy?.origin ?? null,
      isBilledElsewhere: false,
      agentId: message.agentId,
      stopReason: message.stopReason,
      error: message.error === null ? null : { ...message.error, message: repair(message.error.message).text },
      isResponse: message.isResponse,
      isBilledOnly: message.isBilledOnly ?? false,
      hasUsage: message.usage !== null,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      reasoningTokens: usage.reasoningTokens,
      cacheReadTokens: usage.cacheReadTokens,
      cacheWriteTokens: usage.cacheWriteTokens,
      cacheWriteLongTokens: usage.cacheWriteLongTokens,
      costNanos: usage.costNanos,
      turnDurationMs: message.turnDurationMs,
      cwdId: this.names.id(message.cwd),
      skill: message.skill,
      compaction: message.compaction,
      streamId: recordNo === undefined ? null : place.streamId,
      recordNo: recordNo ?? null,
      moreRecords: moreRecords.length === 0 ? null : moreRecords,
      isConversational: place.isConversational,
    }
  }
}

const NO_USAGE = { ...NO_TOKENS, costNanos: null }

/** 48 bits, which SQLite keeps in six bytes; what collides is told apart by its tool calls. */
function copyKeyOf(source: string, copyKey: string): number {
  return Number.parseInt(hash('sha256', `${source}\0${copyKey}`, 'hex').slice(0, 12), 16)
}
