import type {
  FileChangeKind,
  MessageRole,
  Provenance,
  SessionKind,
  SessionRelation,
  TitleOrigin,
  ToolCallStatus,
  ToolCategory,
} from './enums.ts'
import type { Citation, RecordRef } from './record.ts'
import { safeStringify } from './text.ts'
import type { Instant } from './time.ts'
import type { ResponseUsage } from './usage.ts'

/**
 * The canonical rows, as an adapter reads them from records: Session ⊃ Message ⊃ Part (design §3). Ids are the source's own, unique
 * inside their session. Texts are whole here; the store keeps a preview and the citation.
 */

/** What one contributor knows of a session. Null says nothing and never overwrites a value (design §4.4). */
export interface SessionRow {
  readonly kind: SessionKind | null
  /** `source` or `source/kind`. */
  readonly agent: string | null
  readonly title: { readonly text: string; readonly origin: TitleOrigin } | null
  /** Working directory, as recorded. */
  readonly projectPath: string | null
  /** Root of the repository, where the record names it. */
  readonly repository: string | null
  readonly gitBranch: string | null
  readonly clientVersion: string | null
  readonly shareUrl: string | null
  readonly parentNativeId: string | null
  readonly relation: SessionRelation | null
  /** `pair` of the parent's tool call that spawned it. */
  readonly parentPair: string | null
  /** Message in the parent at which this session was cut from it. */
  readonly parentMessageNativeId: string | null
  readonly createdAt: Instant | null
  /** False: known not to be archived. */
  readonly archivedAt: number | false | null
  /** That message and all after it are off the active path (design §3.15). False: known to be none. */
  readonly revertedFrom: string | false | null
  /** File, directory or database. */
  readonly sourcePath: string | null
  /** The source's own session record. */
  readonly record: RecordRef | null
}

/** A contribution that says nothing. */
export const UNKNOWN_SESSION: SessionRow = {
  kind: null,
  agent: null,
  title: null,
  projectPath: null,
  repository: null,
  gitBranch: null,
  clientVersion: null,
  shareUrl: null,
  parentNativeId: null,
  relation: null,
  parentPair: null,
  parentMessageNativeId: null,
  createdAt: null,
  archivedAt: null,
  revertedFrom: null,
  sourcePath: null,
  record: null,
}

export interface MessageError {
  readonly code: string | null
  readonly message: string
  readonly isRetryable: boolean | null
}

/** How copies of a message are told (design §3.9). */
export interface CopyTrace {
  /** Equal for a message and its copies, within one source. */
  readonly key: string
  /**
   * `evidence`: only messages with `isInherited` are copies, and only where their tool calls are the same too. `shared-id`: the same key
   * in another session is a copy by itself; the original is in the session that a copy's `origin` names, else it is the earliest.
   */
  readonly rule: 'evidence' | 'shared-id'
  /** Native id of the session that it was copied from, where the record says. */
  readonly origin: string | null
}

export interface MessageRow {
  readonly nativeId: string
  readonly orderKey: string
  readonly role: MessageRole
  readonly time: Instant
  readonly parentNativeId: string | null
  readonly model: string | null
  readonly provider: string | null
  readonly isMeta: boolean
  readonly isSidechain: boolean
  /** As far as known when it is first read; an `off-path` item decides later. */
  readonly isOnActivePath: boolean
  /** Known from its own records to be copied by a fork, resume or restore (design §3.9). */
  readonly isInherited: boolean
  /** What tells its copies in other sessions; null when it can have none. */
  readonly copy: CopyTrace | null
  readonly agentId: string | null
  readonly stopReason: string | null
  readonly error: MessageError | null
  /** Null when the source recorded none. */
  readonly usage: ResponseUsage | null
  /** Whether this message is a billed response of a model. */
  readonly isResponse: boolean
  /** A response that gave no message, as one that was lost on its way and asked for again: it is billed, and shown nowhere. */
  readonly isBilledOnly?: boolean
  readonly turnDurationMs: number | null
  readonly cwd: string | null
  readonly skill: string | null
  /** Set on the message that carries a compaction's summary, to its kind, e.g. `compaction` (design §3.15). */
  readonly compaction: string | null
  /** Empty for what was split off another message. */
  readonly records: readonly RecordRef[]
  /** Every part that the source has of it now, in order; null when the adapter can't tell. */
  readonly partIds: readonly string[] | null
}

interface PartBase {
  readonly nativeId: string
  /** Native id of its message. */
  readonly messageId: string
  readonly ordinal: number
  readonly provenance: Provenance
  readonly citation: Citation
  /** Split off another part: it cites no record, so that restore can fuse it again (design §3.4). */
  readonly isSplitOff: boolean
}

export interface FileTouchRow {
  readonly path: string
  readonly kind: FileChangeKind
  readonly movedTo: string | null
  /** Unified diff. */
  readonly diff: string | null
  /** Place of the diff in the part's record; behind `result/`: in the record of the call's result. */
  readonly diffPlace: string | null
  readonly additions: number | null
  readonly deletions: number | null
}

export type TextRow = PartBase & { readonly kind: 'TEXT' | 'REASONING'; readonly text: string | null }
export type FileRow = PartBase & {
  readonly kind: 'FILE'
  readonly mediaType: string | null
  readonly fileName: string | null
  /** Inline bytes, or those of the file that the record names by its hash, where it is there; else null. */
  readonly data: Uint8Array | null
  /** The recorded link, when it isn't inline data. */
  readonly url: string | null
  /** Hash of the bytes, where the record names them by it: mapped anew without them, the store still has them. */
  readonly sha256?: string
}
export type ToolCallRow = PartBase & {
  readonly kind: 'TOOL_CALL'
  readonly callId: string | null
  /** Equal on a call and its results, unique in the session. */
  readonly pair: string
  readonly name: string | null
  readonly category: ToolCategory
  readonly status: ToolCallStatus
  readonly summary: string | null
  readonly command: string | null
  readonly mcpServer: string | null
  readonly files: readonly FileTouchRow[]
  readonly params: unknown
  readonly isProviderExecuted: boolean
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** Native id of the session that it spawned. */
  readonly childNativeId: string | null
}
export type ToolResultRow = PartBase & {
  readonly kind: 'TOOL_RESULT'
  readonly callId: string | null
  readonly pair: string
  readonly name: string | null
  readonly isFailure: boolean | null
  readonly exitCode: number | null
  readonly filePath: string | null
  readonly result: unknown
}
export type ApprovalRequestRow = PartBase & {
  readonly kind: 'TOOL_APPROVAL_REQUEST'
  readonly approvalId: string
  readonly toolCallId: string | null
}
export type ApprovalResponseRow = PartBase & {
  readonly kind: 'TOOL_APPROVAL_RESPONSE'
  readonly approvalId: string
  readonly isApproved: boolean
  readonly reason: string | null
}
export type DataRow = PartBase & {
  readonly kind: 'DATA'
  readonly dataType: string
  readonly label: string | null
  readonly data: unknown
}
export type PartRow =
  | TextRow
  | FileRow
  | ToolCallRow
  | ToolResultRow
  | ApprovalRequestRow
  | ApprovalResponseRow
  | DataRow

/** A sub-agent of a session; its contributors are merged column by column, in any order (design §4.4). */
export interface SubagentRow {
  readonly agentId: string
  readonly agentType: string | null
  readonly description: string | null
  readonly durationMs: number | null
  readonly totalTokens: number | null
  /** `pair` of the tool call that spawned it. */
  readonly pair: string | null
  /** Native id of its transcript's session. */
  readonly childNativeId: string | null
}

/** A workflow run; merged like a sub-agent. */
export interface WorkflowRow {
  readonly runId: string
  readonly taskId: string | null
  readonly pair: string | null
  readonly name: string | null
  readonly status: string | null
  readonly timeMs: number | null
  readonly durationMs: number | null
  readonly totalTokens: number | null
  readonly script: string | null
  /** Any JSON; undefined says nothing. */
  readonly result: unknown
}

/** An agent of a workflow run; merged like a sub-agent, and may come before its run does. */
export interface WorkflowAgentRow {
  readonly runId: string
  readonly agentId: string
  readonly agentType: string | null
  readonly description: string | null
  readonly phase: string | null
  readonly label: string | null
  readonly model: string | null
  readonly state: string | null
  readonly durationMs: number | null
  readonly tokens: number | null
  readonly toolCalls: number | null
  readonly childNativeId: string | null
}

/** What a compaction or the source's own summary left, where it is no message of its own. */
export interface SummaryRow {
  readonly nativeId: string
  readonly kind: string
  readonly timeMs: number | null
  readonly content: string | null
  readonly messageId: string | null
}

/** Text of a tool's result for reading: its text blocks joined, else its JSON. */
export function resultText(result: unknown): string {
  if (typeof result === 'string') return result
  const blocks = Array.isArray(result) ? result : [result]
  const texts: string[] = []
  for (const block of blocks) {
    if (typeof block === 'string') texts.push(block)
    else if (typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string')
      texts.push(block.text)
  }
  return texts.length > 0
    ? texts.join('\n')
    : result === null || result === undefined
      ? ''
      : (safeStringify(result) ?? '')
}
