import { asBoolean, asString, at, type JsonObject, stringAt } from '../../model/json.ts'
import { orderBehind } from '../../model/order.ts'
import type { RecordRef } from '../../model/record.ts'
import type { MessageError, MessageRow, PartRow } from '../../model/rows.ts'
import { type Instant, parseTime } from '../../model/time.ts'
import { roleText } from './content.ts'
import { mapPart } from './map-part.ts'
import { mapToolResult } from './map-tool.ts'
import { messageOrder, tieOf } from './order.ts'
import type { PartDraft } from './part-draft.ts'
import { isEnded } from './tool.ts'
import { usageOf } from './usage.ts'

/** A message with the parts that its source has of it. `data` is null when its own record is damaged. */
export interface MessageDraft {
  readonly ref: RecordRef | null
  readonly id: string
  readonly data: JsonObject | null
  readonly parts: PartDraft[]
}

/** What a message's rows take from its session. */
export interface SessionContext {
  readonly createdAt: number | null
  readonly projectId: string | null
}

export interface MessageRows {
  readonly message: MessageRow
  readonly parts: readonly PartRow[]
}

export interface MappedMessage {
  /** The message, then the TOOL messages that were split off it. */
  readonly rows: readonly MessageRows[]
  readonly problems: readonly { readonly ref: RecordRef; readonly message: string }[]
}

type Role = 'USER' | 'ASSISTANT' | 'SYSTEM'

export function mapMessage(draft: MessageDraft, session: SessionContext): MappedMessage {
  const problems: { ref: RecordRef; message: string }[] = []
  const data = draft.data ?? {}
  const role = roleOf(draft)
  const recorded = parseTime(at(data, 'time', 'created'))
  const time: Instant =
    recorded !== null ? { ms: recorded, origin: 'RECORDED' } : { ms: session.createdAt ?? 0, origin: 'SESSION_START' }
  if (recorded === null && draft.ref !== null && at(data, 'time', 'created') !== undefined)
    problems.push({ ref: draft.ref, message: 'Its time is none; the start of its session stands in for it.' })

  const { usage, oddFields } = usageOf(role === 'ASSISTANT' ? data : {})
  if (draft.ref !== null && oddFields.length > 0)
    problems.push({ ref: draft.ref, message: `These fields hold no counts: ${oddFields.join(', ')}.` })

  const inOrder = draft.parts
    .map((part) => ({ part, tie: tieOf(part.id, time.ms) }))
    .sort((a, b) => compare(a.tie, b.tie) || compare(a.part.id, b.part.id))
  const parts = inOrder.map(({ part }, n) => mapPart(part, draft.id, role, role === 'SYSTEM' ? n + 1 : n))
  if (role === 'SYSTEM' && draft.ref !== null) parts.unshift(rolePart(draft.id, draft.ref, data))

  const finish = stringAt(data, 'finish')
  const message: MessageRow = {
    ...PLAIN,
    nativeId: draft.id,
    orderKey: messageOrder(draft.id, time.ms),
    role,
    time,
    parentNativeId: stringAt(data, 'parentID'),
    model: role === 'ASSISTANT' ? stringAt(data, 'modelID') : null,
    provider: role === 'ASSISTANT' ? stringAt(data, 'providerID') : null,
    isInherited: recorded !== null && session.createdAt !== null && recorded < session.createdAt,
    copy:
      usage === null
        ? null
        : {
            key: [session.projectId, 'assistant', time.ms, stringAt(data, 'modelID')].join('/'),
            rule: 'evidence',
            origin: null,
          },
    stopReason: finish,
    error: errorOf(data['error']),
    usage,
    isResponse: role === 'ASSISTANT' && (finish !== null || usage !== null),
    cwd: stringAt(data, 'path', 'cwd'),
    compaction: role === 'ASSISTANT' && data['summary'] === true ? 'compaction' : null,
    records: draft.ref === null ? [] : [draft.ref],
    partIds: parts.map((part) => part.nativeId),
  }
  const results = role === 'ASSISTANT' ? inOrder.filter(({ part }) => part.type === 'tool' && isEnded(part.data)) : []
  return {
    rows: [{ message, parts }, ...results.map(({ part, tie }) => toolMessage(message, part, tie))],
    problems,
  }
}

/** What the rows of this source always say. */
const PLAIN = {
  isMeta: false,
  isSidechain: false,
  isOnActivePath: true,
  agentId: null,
  turnDurationMs: null,
  skill: null,
} as const

function roleOf({ data, parts }: MessageDraft): Role {
  if (data !== null) return data['role'] === 'user' ? 'USER' : data['role'] === 'assistant' ? 'ASSISTANT' : 'SYSTEM'
  // Only an assistant's message has such parts.
  return parts.some(({ type }) => ['tool', 'reasoning', 'step-start', 'step-finish'].includes(type))
    ? 'ASSISTANT'
    : 'SYSTEM'
}

function rolePart(messageId: string, ref: RecordRef, data: JsonObject): PartRow {
  return {
    kind: 'TEXT',
    nativeId: `${messageId}/role`,
    messageId,
    ordinal: 0,
    provenance: 'INJECTED',
    citation: { record: ref, place: 'text' },
    isSplitOff: false,
    text: roleText(data),
  }
}

/** The result of a tool part, which opencode keeps in the part itself, as the message that it is in the canonical model. */
function toolMessage(from: MessageRow, part: PartDraft, tie: string): MessageRows {
  const nativeId = `${part.id}/result`
  const ended = parseTime(at(part.data, 'state', 'time', 'end'))
  const parts = mapToolResult(part, nativeId)
  return {
    message: {
      ...PLAIN,
      nativeId,
      orderKey: orderBehind(from.orderKey, tie),
      role: 'TOOL',
      time: ended === null ? from.time : { ms: ended, origin: 'RECORDED' },
      parentNativeId: from.nativeId,
      model: null,
      provider: null,
      isInherited: from.isInherited,
      copy: null,
      stopReason: null,
      error: null,
      usage: null,
      isResponse: false,
      cwd: from.cwd,
      compaction: null,
      records: [],
      partIds: parts.map((row) => row.nativeId),
    },
    parts,
  }
}

function errorOf(error: unknown): MessageError | null {
  if (error === undefined || error === null) return null
  const code = stringAt(error, 'name')
  const message = stringAt(error, 'data', 'message') ?? stringAt(error, 'message') ?? asString(error) ?? code
  return { code, message: message ?? 'unknown error', isRetryable: asBoolean(at(error, 'data', 'isRetryable')) }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
