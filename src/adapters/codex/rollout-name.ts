/**
 * `rollout-<local time>-<thread>[_<rollout>].jsonl[.zst]`. The second id stands in the name when a thread was reverted: then it goes on
 * in a file of its own.
 */
export interface RolloutName {
  /** Without suffix: the same when the file is compressed or archived. */
  readonly stem: string
  readonly threadId: string | null
  /** What other rollouts call this one. */
  readonly rolloutId: string | null
  /** Whether the thread has an older rollout, so that positions are not unique in it. */
  readonly isLater: boolean
}

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const NAME = new RegExp(`(${UUID})(?:_(${UUID}))?$`)
const WHOLE = new RegExp(`^${UUID}$`)
const SUFFIX = /\.jsonl(\.zst)?$/

export const isRollout = (name: string): boolean => name.startsWith('rollout-') && SUFFIX.test(name)
export const isCompressed = (name: string): boolean => name.endsWith('.zst')

export function parseName(name: string): RolloutName {
  const stem = name.replace(SUFFIX, '')
  const [, threadId = null, second = null] = NAME.exec(stem) ?? []
  return { stem, threadId, rolloutId: second ?? threadId, isLater: second !== null }
}

/** Milliseconds that a UUID of version 7 says; null for others. */
export function uuidTime(id: string | null): number | null {
  if (id === null || id.length !== 36 || id[14] !== '7' || !WHOLE.test(id)) return null
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

const YEAR_2000 = Date.UTC(2000, 0, 1)

/** Orders the rollouts of one thread: milliseconds since 2000, from the rollout's own id. */
export const fileNumber = ({ rolloutId }: RolloutName): number => Math.max(0, (uuidTime(rolloutId) ?? 0) - YEAR_2000)
