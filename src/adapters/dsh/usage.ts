import { asArray, asCount, asObject, asString, at, isObject, type JsonObject } from '../../model/json.ts'
import { meaningful, type ResponseUsage } from '../../model/usage.ts'

export interface RecordedUsage {
  readonly usage: ResponseUsage | null
  /** Fields that hold something that is no count. */
  readonly oddFields: readonly string[]
}

/** Disjoint buckets of what the harness states: its input leaves out the cache, its output includes the reasoning. */
export function usageOf(stated: unknown): RecordedUsage {
  if (!isObject(stated)) return { usage: null, oddFields: [] }
  const oddFields: string[] = []
  const count = (field: string): number | null => {
    const value = stated[field]
    const found = asCount(value)
    if (found === null && value !== undefined && value !== null) oddFields.push(field)
    return found
  }
  const outputTokens = count('outputTokens')
  const reasoningTokens = count('reasoningTokens')
  const usage = meaningful({
    inputTokens: count('inputTokens'),
    outputTokens: outputTokens === null ? null : Math.max(0, outputTokens - (reasoningTokens ?? 0)),
    reasoningTokens,
    cacheReadTokens: count('cacheReadTokens'),
    cacheWriteTokens: count('cacheWriteTokens'),
    cacheWriteLongTokens: null,
    costNanos: null,
  })
  return { usage, oddFields }
}

/** What the chunks of a response say of it as a whole; the last usage counts. */
export interface StreamEnd {
  readonly usage: unknown
  readonly finish: string | null
}

export const NO_END: StreamEnd = { usage: null, finish: null }

/** Takes in one chunk. */
export function afterChunk(end: StreamEnd, chunk: unknown): StreamEnd {
  const type = at(chunk, 'type')
  if (type === 'usage') return { ...end, usage: at(chunk, 'usage') ?? null }
  return type === 'finish' ? { ...end, finish: asString(at(chunk, 'reason', 'kind')) } : end
}

/** The end of the stream that stands in a message or an attempt from generation 2 on; packed runs of deltas say nothing of it. */
export function streamEnd(data: JsonObject): StreamEnd {
  return asArray(data['stream']).reduce<StreamEnd>((end, item) => {
    const record = asObject(item)
    return record?.['type'] === 'chunk' ? afterChunk(end, record['chunk']) : end
  }, NO_END)
}
