import type { Item } from '../../../src/adapters/contract.ts'

/** What was last said to be off a session's path; null when nothing was said. */
export function offPathOf(items: readonly Item[], sessionId: string): ReadonlySet<string> | null {
  const said = items.findLast((item) => item.kind === 'off-path' && item.sessionId === sessionId)
  return said?.kind === 'off-path' ? said.messageIds : null
}
