import { asCount, at, type JsonObject } from '../../model/json.ts'
import { meaningful, type ResponseUsage } from '../../model/usage.ts'

export interface RecordedUsage {
  readonly usage: ResponseUsage | null
  /** Output as stated: of several snapshots of a response the one with the most counts (design §3.10). */
  readonly output: number
  /** Fields that hold something that is no count. */
  readonly oddFields: readonly string[]
}

/** Usage of an assistant line in disjoint buckets: stated output includes thinking. */
export function usageOf(json: JsonObject): RecordedUsage {
  const oddFields: string[] = []
  const count = (...path: readonly string[]): number | null => {
    const value = at(json, 'message', 'usage', ...path)
    const found = asCount(value)
    if (found === null && value !== undefined && value !== null) oddFields.push(path.join('.'))
    return found
  }
  const stated = count('output_tokens')
  const thinking = count('output_tokens_details', 'thinking_tokens')
  const reasoningTokens = thinking !== null && thinking <= (stated ?? 0) ? thinking : null
  return {
    usage: meaningful({
      inputTokens: count('input_tokens'),
      outputTokens: stated === null ? null : stated - (reasoningTokens ?? 0),
      reasoningTokens,
      cacheReadTokens: count('cache_read_input_tokens'),
      cacheWriteTokens: count('cache_creation_input_tokens'),
      cacheWriteLongTokens: count('cache_creation', 'ephemeral_1h_input_tokens'),
      costNanos: null,
    }),
    output: stated ?? 0,
    oddFields,
  }
}
