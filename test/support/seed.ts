import { openWriter, type Store } from '../../src/db/open.ts'
import * as tables from '../../src/db/schema.ts'
import { PART_KINDS } from '../../src/model/enums.ts'
import { sessionUid } from '../../src/model/ids.ts'

export const ORIGIN = { uid: 'origin-of-tests', name: 'test-host' }
export const SOURCE = 'opencode'

/** A time that many rows share. */
export const NOON = Date.UTC(2026, 4, 5, 12)

/** Rows put straight into a store, for tests that read. What a test doesn't say has a plain default. */
export class Seed {
  readonly store: Store
  readonly originId: number
  readonly sourceId: number
  readonly rootId: number
  private serial = 0

  constructor(file: string) {
    this.store = openWriter(file)
    const { orm } = this.store
    this.originId = idOf(
      orm
        .insert(tables.origins)
        .values({ ...ORIGIN, isLocal: true })
        .run(),
    )
    this.sourceId = this.source(SOURCE)
    this.rootId = idOf(
      orm
        .insert(tables.roots)
        .values({
          sourceId: this.sourceId,
          originId: this.originId,
          path: '/data/opencode',
          status: 'OK',
          generations: ['sqlite'],
          warnings: [],
          isConfigured: true,
        })
        .run(),
    )
  }

  source(name: string): number {
    return idOf(
      this.store.orm.insert(tables.sources).values({ name, title: name, isEnabled: true, lastSyncedAt: null }).run(),
    )
  }

  name(value: string): number {
    return idOf(this.store.orm.insert(tables.names).values({ value }).run())
  }

  project(path: string, values: Partial<typeof tables.projects.$inferInsert> = {}): number {
    return idOf(
      this.store.orm
        .insert(tables.projects)
        .values({
          originId: this.originId,
          path,
          pathKey: path,
          repository: null,
          isWorktree: false,
          lastActivityAt: NOON,
          ...values,
        })
        .run(),
    )
  }

  session(nativeId: string, values: Partial<typeof tables.sessions.$inferInsert> = {}): number {
    return idOf(
      this.store.orm
        .insert(tables.sessions)
        .values({
          uid: sessionUid({ origin: ORIGIN.uid, source: SOURCE, nativeId }),
          originId: this.originId,
          sourceId: this.sourceId,
          rootId: this.rootId,
          nativeId,
          kind: 'MAIN',
          agent: SOURCE,
          createdAt: NOON,
          createdAtOrigin: 'RECORDED',
          updatedAt: NOON,
          lastActivityAt: NOON,
          models: [],
          partCounts: PART_KINDS.map(() => 0),
          revision: 1,
          epoch: 'e',
          ...values,
        })
        .run(),
    )
  }

  message(sessionId: number, nativeId: string, values: Partial<typeof tables.messages.$inferInsert> = {}): number {
    return idOf(
      this.store.orm
        .insert(tables.messages)
        .values({
          sessionId,
          nativeId,
          orderKey: nativeId,
          role: 'USER',
          time: NOON,
          timeOrigin: 'RECORDED',
          isMeta: false,
          isSidechain: false,
          isOnActivePath: true,
          isInherited: false,
          isResponse: false,
          hasUsage: false,
          isConversational: true,
          ...values,
        })
        .run(),
    )
  }

  part(sessionId: number, messageId: number, values: Partial<typeof tables.parts.$inferInsert> = {}): number {
    this.serial += 1
    return idOf(
      this.store.orm
        .insert(tables.parts)
        .values({
          sessionId,
          messageId,
          nativeId: `part-${this.serial}`,
          ordinal: 0,
          kind: 'TEXT',
          provenance: 'CONVERSATIONAL',
          isSplitOff: false,
          place: '',
          isWhole: true,
          ...values,
        })
        .run(),
    )
  }

  text(sessionId: number, messageId: number, text: string, ordinal = 0): number {
    return this.part(sessionId, messageId, { ordinal, preview: text, textLength: [...text].length })
  }

  toolCall(sessionId: number, messageId: number, values: Partial<typeof tables.parts.$inferInsert> = {}): number {
    return this.part(sessionId, messageId, {
      kind: 'TOOL_CALL',
      name: 'bash',
      category: 'SHELL',
      status: 'SUCCEEDED',
      preview: '{}',
      jsonBytes: 2,
      ...values,
    })
  }

  /** A stream with records of one byte each, without bodies. */
  records(
    sessionId: number,
    key: string,
    types: readonly { readonly typeId: number; readonly isMapped: boolean }[],
  ): number {
    const { orm } = this.store
    const unitId = idOf(orm.insert(tables.units).values({ rootId: this.rootId, key, sessionId }).run())
    const streamId = idOf(
      orm
        .insert(tables.streams)
        .values({ sessionId, unitId, generation: 0, path: key, isKeyed: false, recordCount: types.length })
        .run(),
    )
    types.forEach(({ typeId, isMapped }, no) => {
      orm.insert(tables.records).values({ streamId, no, typeId, byteLength: 1, isMapped }).run()
    })
    return streamId
  }

  run(values: Partial<typeof tables.syncRuns.$inferInsert> = {}): number {
    return idOf(
      this.store.orm
        .insert(tables.syncRuns)
        .values({
          status: 'RUNNING',
          trigger: 'MANUAL',
          startedAt: NOON,
          sources: null,
          verify: false,
          progress: PROGRESS,
          ...values,
        })
        .run(),
    )
  }

  problem(location: string, values: Partial<typeof tables.problems.$inferInsert> = {}): number {
    return idOf(
      this.store.orm
        .insert(tables.problems)
        .values({
          sourceId: this.sourceId,
          kind: 'PARSE',
          location,
          message: 'Not valid JSON.',
          runId: 1,
          count: 1,
          firstSeenAt: NOON,
          lastSeenAt: NOON,
          ...values,
        })
        .run(),
    )
  }
}

export const PROGRESS: tables.StoredProgress = {
  currentSource: null,
  sessionsTotal: 0,
  sessionsDone: 0,
  sessionsFresh: 0,
  sessionsEmpty: 0,
  sessionsUnsupported: 0,
  sessionsSuperseded: 0,
  messagesInserted: 0,
  messagesUpdated: 0,
  partsInserted: 0,
  partsUpdated: 0,
  bytesRead: 0,
  bytesTotal: null,
  problemCount: 0,
  lastAdvancedAt: NOON,
}

const idOf = ({ lastInsertRowid }: { readonly lastInsertRowid: number | bigint }): number => Number(lastInsertRowid)
