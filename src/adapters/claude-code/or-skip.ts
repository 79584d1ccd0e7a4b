import type { Item } from '../contract.ts'

const SESSION_ID = Buffer.from('"sessionId"')

/** Items that are held until it is clear that there is a session; more than that and there is one, whatever it lacks. */
const MOST_HELD = 4096

/**
 * A transcript without a message and without a session id is none: only its titles for other sessions are of use. What it holds is
 * held back until one of them shows.
 */
export function* orSkip(items: Generator<Item, string | null>): Generator<Item, string | null> {
  const held: Item[] = []
  for (;;) {
    const step = items.next()
    if (step.done === true) {
      for (const item of held) if (item.kind === 'message-title' || item.kind === 'problem') yield item
      yield { kind: 'skip', reason: 'empty', count: 1 }
      return null
    }
    const item = step.value
    // Its cursor would say that what is held was taken in.
    if (item.kind !== 'checkpoint') held.push(item)
    if (!isProof(item) && held.length < MOST_HELD) continue
    yield* held
    return yield* items
  }
}

const isProof = (item: Item): boolean =>
  item.kind === 'message' || (item.kind === 'record' && Buffer.from(item.record.bytes).includes(SESSION_ID))
