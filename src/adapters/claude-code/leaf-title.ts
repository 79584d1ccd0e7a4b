import { stringAt } from '../../model/json.ts'
import type { Item } from '../contract.ts'
import { partId } from './blocks.ts'
import { learnTitle } from './facts.ts'
import type { Line } from './line.ts'
import { type State, WholeReadingNeeded } from './state.ts'

/**
 * A `summary` line titles the session that has the line `leafUuid`: mostly another one, in another file. Of that line nothing but its id
 * is known: it may have become a message, or a part of a response of several lines. When it is in this session, its title is the
 * source's own.
 */
export function* leafTitle(state: State, line: Line, sessionId: string): Iterable<Item> {
  const title = stringAt(line.json, 'summary')
  const leaf = stringAt(line.json, 'leafUuid')
  if (title === null || leaf === null) return
  const own = state.tree.get(leaf)
  // It may be a line of this session that is not remembered.
  if (own === undefined && !state.isWhole) throw new WholeReadingNeeded()
  if (own !== undefined) {
    learnTitle(state, title, 'SOURCE')
    return
  }
  state.titles.set(leaf, title)
  yield { kind: 'message-title', sessionId, messageId: leaf, partId: partId(leaf, 0), title }
}

/** Tells a title that waited for a line of this session. */
export function foundLeaf(state: State, uuid: string): void {
  const title = state.titles.get(uuid)
  if (title !== undefined) learnTitle(state, title, 'SOURCE')
}
