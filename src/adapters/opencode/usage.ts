import { asCount, asNumber, at, type JsonObject } from '../../model/json.ts'
import { meaningful, nanosOf, type ResponseUsage } from '../../model/usage.ts'

export interface RecordedUsage {
  readonly usage: ResponseUsage | null
  /** Fields that hold something that is no count. */
  readonly oddFields: readonly string[]
}

/** Tokens and cost of an assistant message in disjoint buckets. */
export function usageOf(message: JsonObject): RecordedUsage {
  const oddFields: string[] = []
  const count = (...path: readonly string[]): number | null => {
    const value = at(message, ...path)
    const found = asCount(value)
    if (found === null && value !== undefined && value !== null) oddFields.push(path.join('.'))
    return found
  }
  const inputTokens = count('tokens', 'input')
  const stated = count('tokens', 'output')
  const reasoningTokens = count('tokens', 'reasoning')
  const cacheReadTokens = count('tokens', 'cache', 'read')
  const cacheWriteTokens = count('tokens', 'cache', 'write')
  const total = count('tokens', 'total')
  const cost = asNumber(message['cost'])
  if (cost === null ? message['cost'] !== undefined && message['cost'] !== null : cost < 0) oddFields.push('cost')
  const others = (inputTokens ?? 0) + (reasoningTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  return {
    usage: meaningful({
      inputTokens,
      outputTokens: outputApart(stated, total, others),
      reasoningTokens,
      cacheReadTokens,
      cacheWriteTokens,
      cacheWriteLongTokens: null,
      // opencode writes 0 for a model whose price it doesn't know.
      costNanos: cost === 0 ? null : nanosOf(cost),
    }),
    oddFields,
  }
}

/**
 * Up to 1.2 the stated output includes reasoning, later it doesn't; the total tells which. A total that contradicts the other
 * fields tells nothing.
 */
function outputApart(stated: number | null, total: number | null, others: number): number | null {
  if (stated === null || total === null) return stated
  const rest = total - others
  return rest >= 0 && rest <= stated ? rest : stated
}
