import { type JsonObject, stringAt } from '../../model/json.ts'
import { orderByPosition } from '../../model/order.ts'
import type { CopyTrace, MessageRow } from '../../model/rows.ts'
import type { Line } from './line.ts'
import type { SessionName } from './session-id.ts'
import type { SessionFacts } from './state.ts'

/** What the rows of both kinds of message take from their line. */
export function messageRow(
  line: Line,
  role: MessageRow['role'],
  nativeId: string,
  parentNativeId: string | null,
  name: SessionName,
  facts: SessionFacts,
): MessageRow {
  const { json } = line
  return {
    nativeId,
    orderKey: orderByPosition(facts.fileOrder ?? 0, line.position),
    role,
    time:
      line.timeMs !== null
        ? { ms: line.timeMs, origin: 'RECORDED' }
        : { ms: facts.createdMs ?? 0, origin: 'SESSION_START' },
    parentNativeId,
    model: null,
    provider: null,
    isMeta: json['isMeta'] === true,
    isSidechain: isInlineSidechain(json, name),
    isOnActivePath: true,
    isInherited: originOf(json) !== null,
    copy: copyOf(line.uuid, json),
    agentId: name.agentId ?? stringAt(json, 'agentId'),
    stopReason: null,
    error: null,
    usage: null,
    isResponse: false,
    turnDurationMs: null,
    cwd: stringAt(json, 'cwd'),
    skill: stringAt(json, 'attributionSkill'),
    compaction: null,
    records: [line.ref],
    partIds: null,
  }
}

/** In a sub-agent's own transcript every line says so; there it means nothing. */
export const isInlineSidechain = (json: JsonObject, name: SessionName): boolean =>
  json['isSidechain'] === true && name.agentId === null

/** The session that a copied response was first written in. */
export function originOf(json: JsonObject): string | null {
  const origin = stringAt(json, 'requestSessionId')
  return origin !== null && origin !== stringAt(json, 'sessionId') ? origin : null
}

export const copyOf = (key: string | null, json: JsonObject): CopyTrace | null =>
  key === null ? null : { key, rule: 'shared-id', origin: originOf(json) }
