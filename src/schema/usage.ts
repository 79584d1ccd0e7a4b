import type { Money, Usage } from '../resolvers/usage.ts'
import { builder } from './builder.ts'
import { CostOrigin } from './enums.ts'

const NANOS = 1e9

const MoneyType = builder.objectRef<Money>('Money').implement({
  description: 'An amount of money.',
  fields: (t) => ({
    amount: t.float({
      description: 'In whole units of the currency, rounded as floats are.',
      resolve: ({ nanos }) => nanos / NANOS,
    }),
    nanos: t.expose('nanos', { type: 'SafeInt', description: 'In billionths of the unit, exact.' }),
    currency: t.string({ description: 'ISO 4217 code.', resolve: () => 'USD' }),
    origin: t.field({ type: CostOrigin, description: 'Where it was taken from.', resolve: () => 'RECORDED' as const }),
    isComplete: t.exposeBoolean('isComplete', {
      description: 'False when the price of something in it is unknown: then it is a lower bound.',
    }),
  }),
})

export const UsageType = builder.objectRef<Usage>('Usage').implement({
  description:
    'What responses of models used, as their source recorded it. No token stands in two of the sums. Unknown is null, never 0. A billed response counts once, however many records it was written in and however often it was copied.',
  fields: (t) => ({
    inputTokens: t.expose('inputTokens', {
      type: 'SafeInt',
      nullable: true,
      description: 'Input that came neither out of a cache nor went into one.',
    }),
    outputTokens: t.expose('outputTokens', {
      type: 'SafeInt',
      nullable: true,
      description: 'Output without reasoning, where the source tells the two apart.',
    }),
    reasoningTokens: t.expose('reasoningTokens', { type: 'SafeInt', nullable: true, description: 'Reasoning.' }),
    cacheReadTokens: t.expose('cacheReadTokens', {
      type: 'SafeInt',
      nullable: true,
      description: 'Input out of a cache.',
    }),
    cacheWriteTokens: t.expose('cacheWriteTokens', {
      type: 'SafeInt',
      nullable: true,
      description: 'Input put into a cache.',
    }),
    cacheWriteLongTokens: t.expose('cacheWriteLongTokens', {
      type: 'SafeInt',
      nullable: true,
      description: 'The part of `cacheWriteTokens` that is kept for an hour, where the source tells.',
    }),
    totalTokens: t.expose('totalTokens', {
      type: 'SafeInt',
      nullable: true,
      description: 'All that is known of the above together; null when nothing is.',
    }),
    cost: t.expose('cost', {
      type: MoneyType,
      nullable: true,
      description: 'Its price; null when no price of it is known.',
    }),
    responseCount: t.exposeInt('responseCount', { description: 'Number of billed responses.' }),
    responsesWithoutUsage: t.exposeInt('responsesWithoutUsage', {
      description: 'Those of them whose source recorded no tokens.',
    }),
    unpricedModels: t.exposeStringList('unpricedModels', {
      description: 'Models with tokens in it whose price is unknown.',
    }),
  }),
})
