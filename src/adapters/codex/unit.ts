import { isObject } from '../../model/json.ts'

/** What discovery hands to the reading of one rollout. */
export interface RolloutMeta {
  readonly kind: 'rollout'
  readonly path: string
  readonly name: string
  readonly isArchived: boolean
  readonly archivedAt: number | null
  readonly title: string | null
  /** For a rollout that has no prompt that can be read. */
  readonly firstPrompt: string | null
  readonly others: RolloutIndex
}

/** Other rollouts of the same home, by the ids in their names. */
export interface RolloutIndex {
  /** Paths of all rollouts of a thread. */
  ofThread(threadId: string): readonly string[]
  ofRollout(rolloutId: string): string | null
}

export const isRolloutMeta = (meta: unknown): meta is RolloutMeta => isObject(meta) && meta['kind'] === 'rollout'

/** What other files say of a rollout, as its cursor remembers it. */
export const factsOf = ({ path, isArchived, archivedAt, title }: RolloutMeta): string =>
  JSON.stringify([path, isArchived, archivedAt, title])
