import { createHash } from 'node:crypto'
import type { JsonObject } from '../../model/json.ts'
import type { FileTouchRow, MessageRow, SessionRow, ToolCallRow } from '../../model/rows.ts'
import type { ResponseUsage } from '../../model/usage.ts'

/** A user item whose author isn't settled: the event that says that the person wrote it may still come. */
export interface OpenPrompt {
  readonly payload: JsonObject
  readonly message: MessageRow
}

/** An event that says what the model said, whose item may still come. */
export interface HeardText {
  readonly text: string
  readonly payload: JsonObject
  readonly message: MessageRow
}

/** A call whose result may still come. */
export interface OpenCall {
  readonly callId: string
  readonly pair: string
  readonly name: string | null
  /** Null once it has a result: then only a second result is still possible. */
  row: ToolCallRow | null
  readonly isScript: boolean
  commands: string[]
  files: FileTouchRow[]
  hasFailed: boolean
  exitCode: number | null
}

/** What the mapper must know of earlier lines; nothing in it grows with their number. Plain JSON. */
export interface State {
  version: 1
  /** Ids of `session_meta` lines: the thread's own, then those that it was copied from. */
  metas: string[]
  isSubagent: boolean
  hasParent: boolean
  isRetracted: boolean
  /** What is known of the session so far. */
  session: SessionRow | null
  hasPrompt: boolean
  hasProject: boolean
  createdAt: number | null
  /** Ordinal at which a sub-agent's own part starts. */
  ownFrom: number | null
  isInPrefix: boolean
  lastTime: number | null
  turnId: string | null
  model: string | null
  provider: string | null
  cwd: string | null
  /** Short hashes of the latest native ids and call ids, newest last. */
  ids: string[]
  calls: OpenCall[]
  prompts: OpenPrompt[]
  /** Hashes of what the person said since the model last spoke; with its message where no item of it was seen. */
  said: { hash: string; message: MessageRow | null }[]
  heard: HeardText[]
  /** Hashes of the model's items in this turn, so that an event behind its item is known. */
  answered: string[]
  hasEvents: boolean
  /** The usage that waits is shown on the last message until its own comes. */
  isLent: boolean
  hasItems: boolean
  /** Last message of the model, in this turn or before. */
  last: MessageRow | null
  isLastOfTurn: boolean
  /** The last one is of a response that wasn't counted yet. */
  isUncounted: boolean
  prompt: MessageRow | null
  pending: { usage: ResponseUsage; key: string | null } | null
  total: number | null
  hasUsageRecords: boolean
  responses: number
  turnResponses: number
  promptHash: string
}

export const emptyState = (): State => ({
  version: 1,
  metas: [],
  isSubagent: false,
  hasParent: false,
  isRetracted: false,
  session: null,
  hasPrompt: false,
  hasProject: false,
  createdAt: null,
  ownFrom: null,
  isInPrefix: false,
  lastTime: null,
  turnId: null,
  model: null,
  provider: null,
  cwd: null,
  ids: [],
  calls: [],
  prompts: [],
  said: [],
  heard: [],
  answered: [],
  hasEvents: false,
  isLent: false,
  hasItems: false,
  last: null,
  isLastOfTurn: false,
  isUncounted: false,
  prompt: null,
  pending: null,
  total: null,
  hasUsageRecords: false,
  responses: 0,
  turnResponses: 0,
  promptHash: '',
})

export const shortHash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 10)

/** Keeps the newest `most` of a list. */
export function keepNewest(list: unknown[], most: number): void {
  if (list.length > most) list.splice(0, list.length - most)
}
