import { asCount, asObject, type JsonObject } from '../../model/json.ts'
import { meaningful, type ResponseUsage, TOKEN_BUCKETS } from '../../model/usage.ts'

/**
 * Disjoint buckets of what Codex states: its input includes what came from and went to the cache, its output the reasoning. Null when
 * it says nothing.
 */
export function usageOf(stated: unknown): ResponseUsage | null {
  const tokens = asObject(stated)
  if (tokens === null) return null
  const cacheReadTokens = asCount(tokens['cached_input_tokens'])
  const cacheWriteTokens = asCount(tokens['cache_write_input_tokens'])
  const reasoningTokens = asCount(tokens['reasoning_output_tokens'])
  return meaningful({
    inputTokens: less(asCount(tokens['input_tokens']), (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)),
    outputTokens: less(asCount(tokens['output_tokens']), reasoningTokens ?? 0),
    reasoningTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteLongTokens: null,
    costNanos: null,
  })
}

const less = (whole: number | null, part: number): number | null => (whole === null ? null : Math.max(0, whole - part))

/** Two responses on one message: what the second one cost must not be lost. */
export function sumOf(a: ResponseUsage | null, b: ResponseUsage): ResponseUsage {
  if (a === null) return b
  const sum: { -readonly [key in keyof ResponseUsage]: ResponseUsage[key] } = { ...a }
  for (const bucket of TOKEN_BUCKETS) {
    const [x, y] = [a[bucket], b[bucket]]
    sum[bucket] = x === null ? y : y === null ? x : x + y
  }
  return sum
}

/** What a `token_count` says beyond the one before it. */
export interface TokenCount {
  /** Total of the thread so far; null after an event without any. */
  readonly total: number | null
  /** A response that was billed now. */
  readonly usage: ResponseUsage | null
}

/**
 * A count repeats the total before it when nothing new was billed; one without info forgets the total; one of zero parts (a context
 * error states the window as the total) says nothing.
 */
export function readTokenCount(payload: JsonObject, before: number | null): TokenCount {
  const info = asObject(payload['info'])
  if (info === null) return { total: null, usage: null }
  const totals = asObject(info['total_token_usage'])
  const total = asCount(totals?.['total_tokens'])
  const usage = usageOf(info['last_token_usage'] ?? totals)
  if (usage === null || total === null) return { total: before, usage: null }
  return { total, usage: total === before ? null : usage }
}
