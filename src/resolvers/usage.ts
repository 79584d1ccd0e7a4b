import type { StoredMessage } from '../db/queries/messages.ts'
import { type UsageSum, usageOfProjects, usageOfSessions } from '../db/queries/usage.ts'
import { type TOKEN_BUCKETS, type TokenBucket, type Tokens, totalTokens } from '../model/usage.ts'
import { itself, Lookup } from './batch.ts'
import type { Scope } from './scope.ts'

export interface Money {
  readonly nanos: number
  readonly isComplete: boolean
}

export interface Usage extends Tokens {
  readonly totalTokens: number | null
  readonly cost: Money | null
  readonly responseCount: number
  readonly responsesWithoutUsage: number
  /** Models that answered with tokens but without a price. */
  readonly unpricedModels: readonly string[]
}

const ofSessions = new Lookup<readonly [number, 0 | 1], UsageSum[]>(
  ({ services }, keys) => usageOfSessions(services.store, keys),
  ([session, inherited]) => session * 2 + inherited,
)
const ofProjects = new Lookup<number, UsageSum[]>(({ services }, ids) => usageOfProjects(services.store, ids), itself)

/** What a session used itself, or what its copies of another session's messages stand for. */
export const sessionUsage = async (scope: Scope, sessionRow: number, of: 'OWN' | 'INHERITED'): Promise<Usage> =>
  total(await ofSessions.load(scope, [sessionRow, of === 'OWN' ? 0 : 1]))

export const projectUsage = async (scope: Scope, projectRow: number): Promise<Usage> =>
  total(await ofProjects.load(scope, projectRow))

/** Usage of one billed response; null where the source recorded none. */
export function messageUsage(scope: Scope, message: StoredMessage): Usage | null {
  if (!message.hasUsage) return null
  const { costNanos, isResponse, modelId } = message
  return {
    ...tokensOf((bucket) => message[bucket]),
    cost: costNanos === null ? null : { nanos: costNanos, isComplete: true },
    responseCount: isResponse ? 1 : 0,
    responsesWithoutUsage: 0,
    unpricedModels: costNanos === null ? namesOf([scope.services.names.get(modelId)]) : [],
  }
}

function total(sums: readonly UsageSum[]): Usage {
  const costNanos = add(sums.map((sum) => sum.costNanos))
  const count = (pick: (sum: UsageSum) => number): number => sums.reduce((all, sum) => all + pick(sum), 0)
  return {
    ...tokensOf((bucket) => add(sums.map((sum) => sum[bucket]))),
    cost: costNanos === null ? null : { nanos: costNanos, isComplete: count((sum) => sum.responsesWithoutCost) === 0 },
    responseCount: count((sum) => sum.responses),
    responsesWithoutUsage: count((sum) => sum.responsesWithoutUsage),
    unpricedModels: namesOf(sums.filter((sum) => sum.responsesWithoutCost > 0).map((sum) => sum.model)),
  }
}

function tokensOf(read: (bucket: TokenBucket) => number | null): Tokens & { readonly totalTokens: number | null } {
  const tokens = {
    inputTokens: read('inputTokens'),
    outputTokens: read('outputTokens'),
    reasoningTokens: read('reasoningTokens'),
    cacheReadTokens: read('cacheReadTokens'),
    cacheWriteTokens: read('cacheWriteTokens'),
    cacheWriteLongTokens: read('cacheWriteLongTokens'),
  } satisfies Record<(typeof TOKEN_BUCKETS)[number], number | null>
  return { ...tokens, totalTokens: totalTokens(tokens) }
}

/** Sum of what is known; null when nothing is. */
const add = (values: readonly (number | null)[]): number | null =>
  values.reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null)

const namesOf = (models: readonly (string | null)[]): string[] =>
  models.flatMap((model) => (model === null || model === '' ? [] : [model]))
