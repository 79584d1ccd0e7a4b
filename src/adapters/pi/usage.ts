import { asCount, asNumber, at, isObject } from '../../model/json.ts'
import { meaningful, nanosOf, type ResponseUsage } from '../../model/usage.ts'

export interface RecordedUsage {
  readonly usage: ResponseUsage | null
  /** Fields that hold something that is no count. */
  readonly oddFields: readonly string[]
}

/** Tokens and cost of an assistant's message; pi's buckets are disjoint already. */
export function usageOf(usage: unknown): RecordedUsage {
  if (!isObject(usage)) return { usage: null, oddFields: [] }
  const oddFields: string[] = []
  const count = (field: string): number | null => {
    const value = usage[field]
    const found = asCount(value)
    if (found === null && value !== undefined && value !== null) oddFields.push(field)
    return found
  }
  const cost = asNumber(at(usage, 'cost', 'total'))
  return {
    usage: meaningful({
      inputTokens: count('input'),
      outputTokens: count('output'),
      reasoningTokens: null,
      cacheReadTokens: count('cacheRead'),
      cacheWriteTokens: count('cacheWrite'),
      cacheWriteLongTokens: count('cacheWrite1h'),
      // pi reckons with a price of 0 where it knows none.
      costNanos: cost === 0 ? null : nanosOf(cost),
    }),
    oddFields,
  }
}
