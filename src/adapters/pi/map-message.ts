import { asObject, asString, type JsonObject, stringAt } from '../../model/json.ts'
import { orderByPosition } from '../../model/order.ts'
import type { MessageRow, PartRow } from '../../model/rows.ts'
import type { Instant } from '../../model/time.ts'
import { blocksOf } from './blocks.ts'
import type { Calls } from './calls.ts'
import type { Entry } from './line.ts'
import { assistantParts, commandParts, harnessParts, PartList, resultParts, userParts } from './map-parts.ts'
import type { SessionFacts } from './map-session.ts'
import { answered } from './tool.ts'
import { usageOf } from './usage.ts'
import { skillOf } from './user-text.ts'

export interface MappedMessage {
  readonly message: MessageRow
  /** Its parts but for calls that are held back, and a call of an earlier message that it tells the result of. */
  readonly parts: readonly PartRow[]
  readonly oddFields: readonly string[]
}

/** Entries that carry the summary of what came before them. */
const SUMMARIES: ReadonlySet<string> = new Set(['compaction', 'branch_summary'])
const SUMMARY_OF_ROLE: Readonly<Record<string, string>> = {
  compactionSummary: 'compaction',
  branchSummary: 'branch_summary',
}

export const isMessage = ({ type, body }: Entry): boolean =>
  SUMMARIES.has(type) || (type === 'message' && asObject(body['message']) !== null)

/** The message that an entry is, at `position` in its file, below the message `parentId`. */
export function mapMessage(
  entry: Entry,
  nativeId: string,
  position: number,
  parentId: string | null,
  session: SessionFacts,
  calls: Calls,
): MappedMessage {
  const body = entry.type === 'message' ? (asObject(entry.body['message']) ?? {}) : entry.body
  const role = entry.type === 'message' ? (asString(body['role']) ?? '') : ''
  const list = new PartList(nativeId, position)
  const before: PartRow[] = []
  if (role === 'user') userParts(list, body)
  else if (role === 'assistant') assistantParts(list, body, (callId) => `${nativeId}/${callId ?? list.rows.length}`)
  else if (role === 'bashExecution') commandParts(list, body)
  else if (role === 'toolResult') before.push(...answer(list, body, calls))
  else harnessParts(list, body)
  const parts = list.rows.flatMap((part): readonly PartRow[] =>
    part.kind === 'TOOL_CALL' && part.callId !== null ? calls.add(part.callId, part) : [part],
  )

  const isAssistant = role === 'assistant'
  const time = timeOf(entry, session)
  const isInherited =
    session.parentId !== null && session.createdAt !== null && entry.time !== null && entry.time < session.createdAt
  const { usage, oddFields } = usageOf(isAssistant ? body['usage'] : null)
  const stopReason = isAssistant ? stringAt(body, 'stopReason') : null
  const error = isAssistant ? stringAt(body, 'errorMessage') : null
  const message: MessageRow = {
    nativeId,
    orderKey: orderByPosition(0, position),
    role: ROLES[role] ?? 'SYSTEM',
    time,
    parentNativeId: parentId,
    model: isAssistant ? stringAt(body, 'model') : null,
    provider: isAssistant ? stringAt(body, 'provider') : null,
    isMeta: false,
    isSidechain: false,
    isOnActivePath: true,
    isInherited,
    copy: isAssistant && entry.id !== null ? copyOf(entry.id, body, isInherited ? session.parentId : null) : null,
    agentId: null,
    stopReason,
    error: error === null ? null : { code: null, message: error, isRetryable: null },
    usage,
    isResponse: isAssistant && (usage !== null || (stopReason !== 'error' && stopReason !== 'aborted')),
    turnDurationMs: null,
    cwd: null,
    skill: role === 'user' ? skillOf(asString(blocksOf(body)[0]?.['text']) ?? '') : null,
    compaction: SUMMARIES.has(entry.type) ? entry.type : (SUMMARY_OF_ROLE[role] ?? null),
    records: [position],
    partIds: list.rows.map((part) => part.nativeId),
  }
  return { message, parts: [...before, ...parts], oddFields }
}

const ROLES: Readonly<Record<string, MessageRow['role']>> = { user: 'USER', assistant: 'ASSISTANT', toolResult: 'TOOL' }

function timeOf(entry: Entry, session: SessionFacts): Instant {
  if (entry.time !== null) return { ms: entry.time, origin: 'RECORDED' }
  return { ms: session.createdAt ?? 0, origin: 'SESSION_START' }
}

/** Entry ids are short: only with the response's own id, or its time, do they tell a copy. */
const copyOf = (id: string, message: JsonObject, origin: string | null): MessageRow['copy'] => ({
  key: `${id}/${stringAt(message, 'responseId') ?? String(message['timestamp'])}`,
  rule: 'shared-id',
  origin,
})

/** Makes the result's parts; returns the call, updated, if this is its first result. */
function answer(list: PartList, message: JsonObject, calls: Calls): readonly PartRow[] {
  const callId = stringAt(message, 'toolCallId') ?? ''
  const call = calls.answer(callId)
  resultParts(list, message, call?.pair ?? callId, call?.row === null || call === null ? null : pathOf(call.row.params))
  return call === null || call.row === null ? [] : [answered(call.row, message)]
}

const pathOf = (params: unknown): string | null => stringAt(params, 'path') ?? stringAt(params, 'file_path')
