import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { SESSION_ENDINGS } from '../model/activity.ts'
import {
  FILE_CHANGE_KINDS,
  MESSAGE_ROLES,
  PART_KINDS,
  PROBLEM_KINDS,
  PROVENANCES,
  ROOT_STATUSES,
  SESSION_KINDS,
  SESSION_RELATIONS,
  SYNC_STATUSES,
  SYNC_TRIGGERS,
  TIME_ORIGINS,
  TITLE_ORIGINS,
  TOOL_CALL_STATUSES,
  TOOL_CATEGORIES,
} from '../model/enums.ts'
import { STORE_EVENT_TYPES } from '../model/journal.ts'
import { bytes, code } from './columns.ts'

/** The store's tables (design §7). Times are integer milliseconds, money is integer nano-dollars, row ids are never shown. */

const flag = () => integer({ mode: 'boolean' })

/** Facts about the store itself, e.g. its id, which feed cursors name. */
export const meta = sqliteTable('meta', { key: text().primaryKey(), value: text().notNull() })

/** Strings that stand in many message rows: models, providers, working directories. */
export const names = sqliteTable('names', { id: integer().primaryKey(), value: text().notNull().unique() })

export const origins = sqliteTable('origins', {
  id: integer().primaryKey(),
  uid: text().notNull().unique(),
  name: text().notNull(),
  isLocal: flag().notNull(),
})

export const sources = sqliteTable('sources', {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
  title: text().notNull(),
  isEnabled: flag().notNull(),
  lastSyncedAt: integer(),
  /** Days after which the agent deletes its own sessions, where its settings say so. */
  retentionDays: integer(),
})

export interface StoredWarning {
  readonly code: string
  readonly message: string
}

export const roots = sqliteTable(
  'roots',
  {
    id: integer().primaryKey(),
    sourceId: integer()
      .notNull()
      .references(() => sources.id),
    originId: integer()
      .notNull()
      .references(() => origins.id),
    path: text().notNull(),
    status: code(ROOT_STATUSES)().notNull(),
    generations: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
    warnings: text({ mode: 'json' }).$type<readonly StoredWarning[]>().notNull(),
    /** Whether the last sync was told to read it. */
    isConfigured: flag().notNull(),
  },
  (table) => [uniqueIndex('roots_by_path').on(table.originId, table.sourceId, table.path)],
)

/** Units of work. Marks of discoveries are rows without session. */
export const units = sqliteTable(
  'units',
  {
    id: integer().primaryKey(),
    rootId: integer()
      .notNull()
      .references(() => roots.id),
    key: text().notNull(),
    /** How its files looked when it was last read to its end. */
    stamp: text(),
    sessionId: integer().references(() => sessions.id, { onDelete: 'cascade' }),
    isMissing: flag().notNull().default(false),
  },
  (table) => [
    uniqueIndex('units_by_key').on(table.rootId, table.key),
    index('units_by_session').on(table.sessionId).where(sql`${table.sessionId} is not null`),
  ],
)

/**
 * The cursor of each unit, opaque and byte for byte (design §4.3); apart from the units, which every look at a root reads, and packed like
 * a record, since it may say as much as a short session does.
 */
export const cursors = sqliteTable('cursors', {
  unitId: integer()
    .primaryKey()
    .references(() => units.id, { onDelete: 'cascade' }),
  codec: integer().notNull().default(0),
  data: bytes().notNull().default(sql`x''`),
})

export const projects = sqliteTable(
  'projects',
  {
    id: integer().primaryKey(),
    originId: integer()
      .notNull()
      .references(() => origins.id),
    /** As first recorded. */
    path: text().notNull(),
    /** Form in which paths are compared (`normalPath`). */
    pathKey: text().notNull(),
    repository: text(),
    isWorktree: flag().notNull(),
    lastActivityAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex('projects_by_path').on(table.originId, table.pathKey),
    index('projects_by_activity').on(table.lastActivityAt, table.id),
  ],
)

/** The sums that sessions, rollups and reports share. Unknown is null; `cacheWriteLong` is part of `cacheWrite`. */
const usageColumns = () => ({
  inputTokens: integer(),
  outputTokens: integer(),
  reasoningTokens: integer(),
  cacheReadTokens: integer(),
  cacheWriteTokens: integer(),
  cacheWriteLongTokens: integer(),
  costNanos: integer(),
})

export const sessions = sqliteTable(
  'sessions',
  {
    id: integer().primaryKey(),
    /** First 16 bytes of the SHA-256 of (origin, source, native id): what GraphQL ids are made from. */
    uid: bytes().notNull(),
    originId: integer()
      .notNull()
      .references(() => origins.id),
    sourceId: integer()
      .notNull()
      .references(() => sources.id),
    nativeId: text().notNull(),
    rootId: integer().references(() => roots.id),
    sourcePath: text(),
    kind: code(SESSION_KINDS)().notNull(),
    agent: text().notNull(),
    title: text(),
    titleOrigin: code(TITLE_ORIGINS)(),
    projectId: integer().references(() => projects.id),
    gitBranch: text(),
    clientVersion: text(),
    shareUrl: text(),
    /** The parent that the record names, else the one that copied messages point at; null while that is not stored. */
    parentId: integer(),
    parentNativeId: text(),
    relation: code(SESSION_RELATIONS)(),
    /** `pair` of the parent's tool call that spawned it. */
    parentPair: text(),
    parentMessageNativeId: text(),
    createdAt: integer().notNull(),
    createdAtOrigin: code(TIME_ORIGINS)().notNull(),
    /** Time of its newest message, else its creation. */
    updatedAt: integer().notNull(),
    /** Latest `updatedAt` among it and its descendants. */
    lastActivityAt: integer().notNull(),
    /** How it ends, which tells with the age of its last change what its agent does (src/model/activity.ts). */
    ending: code(SESSION_ENDINGS)().notNull().default(sql`0`),
    endedAt: integer().notNull().default(0),
    changedAt: integer().notNull().default(0),
    /** When what its agent does changes by time passing alone; null: never. */
    shiftsAt: integer(),
    archivedAt: integer(),
    isSourceMissing: flag().notNull().default(false),
    /** Native id, and order key once known, of the message from which on the session was reverted. */
    revertedFrom: text(),
    revertedFromKey: text(),
    messageCount: integer().notNull().default(0),
    inheritedMessageCount: integer().notNull().default(0),
    /** Messages of the person: each opens a turn. */
    promptCount: integer().notNull().default(0),
    toolCallCount: integer().notNull().default(0),
    failedToolCallCount: integer().notNull().default(0),
    /** Models that answered in it, in order of first use. */
    models: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
    /** Number of parts by kind, in the order of PART_KINDS. */
    partCounts: text({ mode: 'json' }).$type<readonly number[]>().notNull(),
    /** Sums for ordering; null when unknown. */
    totalTokens: integer(),
    costNanos: integer(),
    recordStreamId: integer(),
    recordNo: integer(),
    /** Revision of the adapter that mapped it (design §4.9). */
    revision: integer().notNull(),
    epoch: text().notNull(),
    /** Seq that its next journal event gets. */
    nextSeq: integer().notNull().default(0),
    isStarred: flag().notNull().default(false),
    note: text(),
  },
  (table) => [
    uniqueIndex('sessions_by_uid').on(table.uid),
    index('sessions_by_native').on(table.nativeId),
    index('sessions_by_parent').on(table.parentId).where(sql`${table.parentId} is not null`),
    index('sessions_by_parent_native').on(table.parentNativeId).where(sql`${table.parentNativeId} is not null`),
    index('sessions_by_project').on(table.projectId, table.updatedAt, table.id),
    index('sessions_by_updated').on(table.updatedAt, table.id),
    index('sessions_by_created').on(table.createdAt, table.id),
    index('sessions_by_activity').on(table.lastActivityAt, table.id),
    index('sessions_by_change').on(table.changedAt, table.ending),
    index('sessions_by_shift').on(table.shiftsAt).where(sql`${table.shiftsAt} is not null`),
    index('sessions_by_messages').on(table.messageCount, table.id),
    index('sessions_by_tokens').on(table.totalTokens, table.id),
    index('sessions_by_cost').on(table.costNanos, table.id),
    index('sessions_by_title').on(table.title, table.id),
  ],
)

export const tags = sqliteTable(
  'tags',
  {
    sessionId: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    tag: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.tag] }), index('tags_by_tag').on(table.tag)],
)

/** Sessions that a person erased, by uid: they are never taken in again (design §3.7). */
export const erased = sqliteTable('erased', { uid: bytes().primaryKey(), erasedAt: integer().notNull() })

export interface StoredMessageError {
  readonly code: string | null
  readonly message: string
  readonly isRetryable: boolean | null
}

export const messages = sqliteTable(
  'messages',
  {
    id: integer().primaryKey(),
    sessionId: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    nativeId: text().notNull(),
    orderKey: text().notNull(),
    role: code(MESSAGE_ROLES)().notNull(),
    time: integer().notNull(),
    timeOrigin: code(TIME_ORIGINS)().notNull(),
    parentNativeId: text(),
    modelId: integer(),
    providerId: integer(),
    isMeta: flag().notNull(),
    isSidechain: flag().notNull(),
    isOnActivePath: flag().notNull(),
    /** Its source no longer has it (design §3.7). */
    isRemoved: flag().notNull().default(false),
    isInherited: flag().notNull(),
    /** Equal for a message and its copies. */
    copyKey: integer(),
    /** The same key in another session is a copy by itself; without that, only inherited messages are copies. */
    isSharedId: flag().notNull().default(false),
    /** Native id of the session that it says it was copied from. */
    copyOrigin: text(),
    /** Its usage counts at another stored message, which it is a copy of (design §3.9). */
    isBilledElsewhere: flag().notNull().default(false),
    agentId: text(),
    stopReason: text(),
    error: text({ mode: 'json' }).$type<StoredMessageError>(),
    isResponse: flag().notNull(),
    /** A response that gave no message: it is billed, and no list or count holds it. */
    isBilledOnly: flag().notNull().default(false),
    hasUsage: flag().notNull(),
    ...usageColumns(),
    turnDurationMs: integer(),
    cwdId: integer(),
    skill: text(),
    compaction: text(),
    /** Null for what was split off another message. */
    streamId: integer(),
    recordNo: integer(),
    /** Further records that it was read from, in the same stream. */
    moreRecords: text({ mode: 'json' }).$type<readonly number[]>(),
    /** Whether any part of it is CONVERSATIONAL. */
    isConversational: flag().notNull().default(false),
  },
  (table) => [
    uniqueIndex('messages_by_native').on(table.sessionId, table.nativeId),
    index('messages_in_order').on(table.sessionId, table.orderKey),
    index('messages_by_copy').on(table.copyKey).where(sql`${table.copyKey} is not null`),
    index('messages_prompts')
      .on(table.sessionId, table.orderKey)
      .where(sql`${table.role} = 1 and ${table.isConversational} = 1 and ${table.isMeta} = 0`),
    index('messages_compacted').on(table.sessionId).where(sql`${table.compaction} is not null`),
  ],
)

/** Details of a part that no statement filters by; its shape is `PartDetail` in part-detail.ts. */
export const parts = sqliteTable(
  'parts',
  {
    id: integer().primaryKey(),
    sessionId: integer().notNull(),
    messageId: integer()
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    nativeId: text().notNull(),
    ordinal: integer().notNull(),
    kind: code(PART_KINDS)().notNull(),
    provenance: code(PROVENANCES)().notNull(),
    isSplitOff: flag().notNull(),
    isRemoved: flag().notNull().default(false),
    streamId: integer(),
    recordNo: integer(),
    place: text().notNull(),
    /** At most 1 KiB of its text, or of its JSON where it has no text (design §7.3). */
    preview: text(),
    /** Code points of the whole text; UTF-8 bytes of the whole JSON for params, result and data. */
    textLength: integer(),
    jsonBytes: integer(),
    isWhole: flag().notNull(),
    /** Tool calls and results. */
    pair: text(),
    name: text(),
    category: code(TOOL_CATEGORIES)(),
    status: code(TOOL_CALL_STATUSES)(),
    blob: bytes(),
    detail: text(),
  },
  (table) => [
    uniqueIndex('parts_by_native').on(table.sessionId, table.nativeId),
    index('parts_in_order').on(table.messageId, table.ordinal),
    index('parts_by_pair').on(table.sessionId, table.pair).where(sql`${table.pair} is not null`),
    index('parts_calls').on(table.sessionId, table.messageId, table.ordinal).where(sql`${table.category} is not null`),
    index('parts_running').on(table.sessionId).where(sql`${table.status} = 0`),
    index('parts_by_blob').on(table.blob).where(sql`${table.blob} is not null`),
  ],
)

/** Files that tool calls read or changed. */
export const touches = sqliteTable(
  'touches',
  {
    partId: integer()
      .notNull()
      .references(() => parts.id, { onDelete: 'cascade' }),
    ordinal: integer().notNull(),
    sessionId: integer().notNull(),
    path: text().notNull(),
    pathKey: text().notNull(),
    kind: code(FILE_CHANGE_KINDS)().notNull(),
    movedTo: text(),
    additions: integer(),
    deletions: integer(),
    /** Where in the part's record the diff stands; null when the source tells none. */
    diffPlace: text(),
  },
  (table) => [
    primaryKey({ columns: [table.partId, table.ordinal] }),
    index('touches_by_path').on(table.pathKey, table.sessionId),
    index('touches_by_session').on(table.sessionId),
  ],
)

export const summaries = sqliteTable(
  'summaries',
  {
    id: integer().primaryKey(),
    sessionId: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    nativeId: text().notNull(),
    kind: text().notNull(),
    time: integer(),
    /** Null when unreadable, or when the message that carries it has the text. */
    content: text(),
    messageId: integer().references(() => messages.id, { onDelete: 'cascade' }),
  },
  (table) => [uniqueIndex('summaries_by_native').on(table.sessionId, table.nativeId)],
)

/** Turn durations whose message has not come yet. */
export const turnDurations = sqliteTable(
  'turn_durations',
  {
    sessionId: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    messageNativeId: text().notNull(),
    durationMs: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.messageNativeId] })],
)

/** Titles from side files for the session that has a message or part, which may not have come yet. */
export const messageTitles = sqliteTable(
  'message_titles',
  {
    sourceId: integer().notNull(),
    /** Native id of the message or part. */
    messageNativeId: text().notNull(),
    title: text().notNull(),
    /** The unit that told it. */
    unitKey: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.messageNativeId] })],
)

export const subagents = sqliteTable(
  'subagents',
  {
    id: integer().primaryKey(),
    sessionId: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    agentId: text().notNull(),
    agentType: text(),
    description: text(),
    durationMs: integer(),
    totalTokens: integer(),
    pair: text(),
    childNativeId: text(),
  },
  (table) => [uniqueIndex('subagents_by_agent').on(table.sessionId, table.agentId)],
)

export const workflows = sqliteTable(
  'workflows',
  {
    id: integer().primaryKey(),
    sessionId: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    runId: text().notNull(),
    taskId: text(),
    pair: text(),
    name: text(),
    status: text(),
    time: integer(),
    durationMs: integer(),
    totalTokens: integer(),
    script: text(),
    result: text({ mode: 'json' }),
  },
  (table) => [uniqueIndex('workflows_by_run').on(table.sessionId, table.runId)],
)

export const workflowAgents = sqliteTable(
  'workflow_agents',
  {
    id: integer().primaryKey(),
    workflowId: integer()
      .notNull()
      .references(() => workflows.id, { onDelete: 'cascade' }),
    agentId: text().notNull(),
    agentType: text(),
    description: text(),
    phase: text(),
    label: text(),
    model: text(),
    state: text(),
    durationMs: integer(),
    tokens: integer(),
    toolCalls: integer(),
    childNativeId: text(),
  },
  (table) => [uniqueIndex('workflow_agents_by_agent').on(table.workflowId, table.agentId)],
)

// ── Archive (design §7.3) ──

/** One stream of records for each (session, unit, generation). */
export const streams = sqliteTable(
  'streams',
  {
    id: integer().primaryKey(),
    sessionId: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    unitId: integer()
      .notNull()
      .references(() => units.id),
    generation: integer().notNull(),
    /** The file, directory or database that its records' locations name. */
    path: text().notNull(),
    /** Records are named by keys and replaced in place, not by position and only appended. */
    isKeyed: flag().notNull(),
    /** Records in it; the next one gets this number. */
    recordCount: integer().notNull().default(0),
    /** Records below this number are sealed in blocks. */
    sealedCount: integer().notNull().default(0),
    /** Bytes in the open tail. */
    tailBytes: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex('streams_by_unit').on(table.sessionId, table.unitId, table.generation),
    index('streams_by_session').on(table.sessionId),
    index('streams_to_seal').on(table.id).where(sql`${table.tailBytes} > 0`),
  ],
)

export const records = sqliteTable(
  'records',
  {
    streamId: integer().notNull(),
    no: integer().notNull(),
    typeId: integer().notNull(),
    byteLength: integer().notNull(),
    /** Physical line, where it isn't `no` + 1. */
    line: integer(),
    /** Key of a record that is replaced in place, and a digest that tells whether a new version differs. */
    key: text(),
    digest: integer(),
    /** Whether a message or part was read from it. */
    isMapped: flag().notNull(),
    /** Spans that were taken out into blobs: for each its offset (varint) and SHA-256. */
    blobs: bytes(),
  },
  (table) => [
    primaryKey({ columns: [table.streamId, table.no] }),
    uniqueIndex('records_by_key').on(table.streamId, table.key).where(sql`${table.key} is not null`),
  ],
)

/** Sealed records: `count` of one stream from `firstNo` on. */
export const blocks = sqliteTable(
  'blocks',
  {
    /** Never used twice, so that a cached block can't be mistaken for the one that replaced it. */
    id: integer().primaryKey({ autoIncrement: true }),
    streamId: integer().notNull(),
    firstNo: integer().notNull(),
    count: integer().notNull(),
    codec: integer().notNull(),
    data: bytes().notNull(),
  },
  (table) => [
    uniqueIndex('blocks_in_stream').on(table.streamId, table.firstNo),
    // Compressed fast, to be compressed densely when there is time (codec.ts).
    index('blocks_fast').on(table.streamId, table.firstNo).where(sql`${table.codec} = 1`),
  ],
)

/** Records that are not sealed yet, and newer versions of sealed ones. */
export const tail = sqliteTable(
  'tail',
  { streamId: integer().notNull(), no: integer().notNull(), data: bytes().notNull() },
  (table) => [primaryKey({ columns: [table.streamId, table.no] })],
)

/** Binary data, once (design §3.13). */
export const blobs = sqliteTable('blobs', {
  sha256: bytes().primaryKey(),
  mediaType: text().notNull(),
  byteLength: integer().notNull(),
  width: integer(),
  height: integer(),
  data: bytes().notNull(),
})

/** Which sessions cite a blob, so that erasing one keeps what others need. */
export const blobUses = sqliteTable(
  'blob_uses',
  {
    sha256: bytes().notNull(),
    sessionId: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sha256, table.sessionId] }),
    index('blob_uses_by_session').on(table.sessionId),
  ],
)

// ── Journal (design §6) ──

/** Journals of all sessions, in commit order: `position` is the feed's. `seq` is dense in its session; -1 stands in the feed only. */
export const journal = sqliteTable(
  'journal',
  {
    position: integer().primaryKey({ autoIncrement: true }),
    sessionId: integer().notNull(),
    seq: integer().notNull(),
    type: code(STORE_EVENT_TYPES)().notNull(),
    time: integer().notNull(),
    messageId: integer(),
    partId: integer(),
    data: text(),
  },
  (table) => [uniqueIndex('journal_by_seq').on(table.sessionId, table.seq).where(sql`${table.seq} >= 0`)],
)

// ── Usage (design §7.5) ──

/** Sums by quarter of an hour UTC, session, model and price tier. */
export const usageQuarters = sqliteTable(
  'usage_quarters',
  {
    quarter: integer().notNull(),
    sessionId: integer()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    modelId: integer().notNull(),
    tier: integer().notNull(),
    /** Copies that are billed elsewhere, kept apart. */
    isInherited: flag().notNull(),
    ...usageColumns(),
    responses: integer().notNull(),
    responsesWithoutUsage: integer().notNull(),
    /** Responses with tokens but without recorded cost. */
    responsesWithoutCost: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.quarter, table.sessionId, table.modelId, table.tier, table.isInherited] }),
    index('usage_by_session').on(table.sessionId),
  ],
)

// ── Sync (design §5) ──

export const syncRuns = sqliteTable('sync_runs', {
  id: integer().primaryKey({ autoIncrement: true }),
  status: code(SYNC_STATUSES)().notNull(),
  trigger: code(SYNC_TRIGGERS)().notNull(),
  startedAt: integer().notNull(),
  endedAt: integer(),
  /** Sources asked for; null for every enabled one. */
  sources: text({ mode: 'json' }).$type<readonly string[]>(),
  verify: flag().notNull(),
  progress: text({ mode: 'json' }).$type<StoredProgress>().notNull(),
})

/** Counters of a run; the GraphQL type SyncProgress says what each means. */
export interface StoredProgress {
  readonly currentSource: string | null
  readonly sessionsTotal: number
  readonly sessionsDone: number
  readonly sessionsFresh: number
  readonly sessionsEmpty: number
  readonly sessionsUnsupported: number
  readonly sessionsSuperseded: number
  readonly messagesInserted: number
  readonly messagesUpdated: number
  readonly partsInserted: number
  readonly partsUpdated: number
  readonly bytesRead: number
  readonly bytesTotal: number | null
  readonly problemCount: number
  readonly lastAdvancedAt: number
}

export const problems = sqliteTable(
  'problems',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    sourceId: integer()
      .notNull()
      .references(() => sources.id),
    kind: code(PROBLEM_KINDS)().notNull(),
    location: text().notNull(),
    message: text().notNull(),
    /** Unit whose next clean reading resolves it; null for a discovery's own. */
    unitKey: text(),
    rootId: integer(),
    sessionId: integer(),
    runId: integer().notNull(),
    count: integer().notNull(),
    firstSeenAt: integer().notNull(),
    lastSeenAt: integer().notNull(),
    resolvedAt: integer(),
  },
  (table) => [
    uniqueIndex('problems_by_place').on(table.sourceId, table.kind, table.location),
    index('problems_by_run').on(table.runId),
    index('problems_by_unit').on(table.rootId, table.unitKey),
    index('problems_by_seen').on(table.lastSeenAt, table.id),
  ],
)

/** Which problems a run saw, for `SyncRun.problems`. */
export const runProblems = sqliteTable(
  'run_problems',
  { runId: integer().notNull(), problemId: integer().notNull() },
  (table) => [primaryKey({ columns: [table.runId, table.problemId] })],
)
