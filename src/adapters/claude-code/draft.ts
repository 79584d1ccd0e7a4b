import type { MessageRow } from '../../model/rows.ts'

/** A response whose lines may not all have been read. */
export interface Draft {
  readonly message: MessageRow
  /** Output of the usage in `message`. */
  readonly output: number
}

type Optional = Omit<MessageRow, 'nativeId' | 'orderKey' | 'role' | 'time' | 'records'>

/** What most responses say: a cursor keeps only what differs. */
const USUAL: Optional = {
  parentNativeId: null,
  model: null,
  provider: null,
  isMeta: false,
  isSidechain: false,
  isOnActivePath: true,
  isInherited: false,
  copy: null,
  agentId: null,
  stopReason: null,
  error: null,
  usage: null,
  isResponse: false,
  turnDurationMs: null,
  cwd: null,
  skill: null,
  compaction: null,
  partIds: null,
}

export interface EncodedDraft {
  readonly message: Omit<MessageRow, keyof Optional> & Partial<Optional>
  readonly output: number
}

export function encodeDraft({ message, output }: Draft): EncodedDraft {
  const { nativeId, orderKey, role, time, records, ...others } = message
  const usual = new Map<string, unknown>(Object.entries(USUAL))
  const unusual: Partial<Optional> = Object.fromEntries(
    Object.entries(others).filter(([name, value]) => usual.get(name) !== value),
  )
  return { message: { nativeId, orderKey, role, time, records, ...unusual }, output }
}

export const decodeDraft = ({ message, output }: EncodedDraft): Draft => ({
  message: { ...USUAL, ...message },
  output,
})
