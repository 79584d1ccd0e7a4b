import type { Citation } from './record.ts'

/** What the store itself writes into journals and the feed (design §6.1). The store keeps a type as its index here: append only. */
export const STORE_EVENT_TYPES = [
  'user/message',
  'assistant/message',
  'system/message',
  'tool/call',
  'tool/result',
  'compaction/summary',
  'message/updated',
  'part/updated',
  'message/removed',
  'part/removed',
  'session/updated',
  'session/reset',
  'session/annotated',
  'session/erased',
] as const
export type StoreEventType = (typeof STORE_EVENT_TYPES)[number]

/** Events about a whole session stand in the feed only: no page and no follower shows them. */
export const FEED_ONLY_SEQ = -1

/** How an event changes what the model sees; `startSeq` and `endSeq` are positions' own seqs, both before the event (journal of DeepSeek Harness and of producers). */
export type SurfaceOp =
  | { readonly kind: 'APPEND' }
  | { readonly kind: 'REPLACE'; readonly startSeq: number; readonly endSeq: number }

/**
 * An event of a session whose source keeps a journal of its own: the log itself, seq for seq, never changed. The record that it is or
 * stands in holds its data; nothing is copied (design §6.1).
 */
export interface NativeEvent {
  readonly seq: number
  readonly type: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly isIgnorable: boolean
  /** Null for a log-only event. */
  readonly surfaceOp: SurfaceOp | null
  /** Earlier events that it was made from, in the order of its writer; empty when it names none. */
  readonly sources: readonly number[]
  /** Where its `data` is; a record may hold several events. */
  readonly citation: Citation
}
