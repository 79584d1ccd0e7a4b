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
