import { type JsonKey, manyByKey } from '../by-key.ts'
import type { Store } from '../open.ts'

/** Sums over one model's responses. Unknown is null. */
export interface UsageSum {
  readonly model: string
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
  readonly cacheReadTokens: number | null
  readonly cacheWriteTokens: number | null
  readonly cacheWriteLongTokens: number | null
  readonly costNanos: number | null
  readonly responses: number
  readonly responsesWithoutUsage: number
  readonly responsesWithoutCost: number
}

const SUMS = `n.value, sum(u.input_tokens), sum(u.output_tokens), sum(u.reasoning_tokens), sum(u.cache_read_tokens),
  sum(u.cache_write_tokens), sum(u.cache_write_long_tokens), sum(u.cost_nanos), sum(u.responses),
  sum(u.responses_without_usage), sum(u.responses_without_cost)`

const nullable = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value))

const decode = (row: readonly unknown[]): UsageSum => ({
  model: typeof row[1] === 'string' ? row[1] : '',
  inputTokens: nullable(row[2]),
  outputTokens: nullable(row[3]),
  reasoningTokens: nullable(row[4]),
  cacheReadTokens: nullable(row[5]),
  cacheWriteTokens: nullable(row[6]),
  cacheWriteLongTokens: nullable(row[7]),
  costNanos: nullable(row[8]),
  responses: Number(row[9]),
  responsesWithoutUsage: Number(row[10]),
  responsesWithoutCost: Number(row[11]),
})

/** By model, what each session used itself (0) or inherited (1). Keys are (row id of the session, 0 or 1). */
export const usageOfSessions = (store: Store, keys: readonly JsonKey[]): UsageSum[][] =>
  manyByKey(
    store,
    `select k.key, ${SUMS} from json_each(?) k join usage_quarters u
       on u.session_id = k.value ->> 0 and u.is_inherited = k.value ->> 1
     left join names n on n.id = u.model_id group by k.key, u.model_id order by k.key, n.value`,
    keys,
    decode,
  )

/** By model, what the sessions of each project used, children included. */
export const usageOfProjects = (store: Store, ids: readonly number[]): UsageSum[][] =>
  manyByKey(
    store,
    `select k.key, ${SUMS} from json_each(?) k join sessions s on s.project_id = k.value
     join usage_quarters u on u.session_id = s.id and u.is_inherited = 0
     left join names n on n.id = u.model_id group by k.key, u.model_id order by k.key, n.value`,
    ids,
    decode,
  )
