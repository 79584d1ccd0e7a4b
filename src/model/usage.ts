/** Token and money arithmetic: buckets are disjoint, unknown is null and never 0 (design §3.10). */
export const TOKEN_BUCKETS = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWriteLongTokens',
] as const
export type TokenBucket = (typeof TOKEN_BUCKETS)[number]
export type Tokens = { readonly [bucket in TokenBucket]: number | null }

/** The usage of one billed response, as its source recorded it. */
export interface ResponseUsage extends Tokens {
  /** Recorded money in billionths of a US dollar; null when the source recorded none. */
  readonly costNanos: number | null
}

export const NO_TOKENS: Tokens = {
  inputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  cacheWriteLongTokens: null,
}

/** Null when no bucket holds more than nothing: a record of only zeros counts as none. */
export function meaningful(usage: ResponseUsage): ResponseUsage | null {
  const hasTokens = TOKEN_BUCKETS.some((bucket) => (usage[bucket] ?? 0) > 0)
  return hasTokens || (usage.costNanos ?? 0) > 0 ? usage : null
}

/** Sum of the known buckets. `cacheWriteLongTokens` is part of `cacheWriteTokens` and not added again. */
export function totalTokens(tokens: Tokens): number | null {
  let total: number | null = null
  for (const bucket of TOKEN_BUCKETS) {
    const count = tokens[bucket]
    if (bucket !== 'cacheWriteLongTokens' && count !== null) total = (total ?? 0) + count
  }
  return total
}

/** Dollars to integer nano-dollars; null when that is no amount. */
export function nanosOf(amount: number | null): number | null {
  if (amount === null || amount < 0) return null
  const nanos = Math.round(amount * 1e9)
  return Number.isSafeInteger(nanos) ? nanos : null
}
