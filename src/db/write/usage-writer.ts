import type { Store } from '../open.ts'
import type { StoredMessage } from './message-writer.ts'

/** Quarter of an hour UTC that a time lies in, as rollups name it (design §7.5). */
export const QUARTER_MS = 15 * 60 * 1000
export const quarterOf = (ms: number): number => Math.floor(ms / QUARTER_MS)

const BUCKETS = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWriteLongTokens',
  'costNanos',
] as const
const COLUMNS = [
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_long_tokens',
  'cost_nanos',
]

type Key = [quarter: number, sessionId: number, modelId: number, tier: number, isInherited: number]

/** The model id of responses whose source names no model. */
const NO_MODEL = 0
const STANDARD_TIER = 0

/** Keeps the rollups in step with message rows, in the same transaction. */
export class UsageWriter {
  /** Sums of new messages, a row for each key, until they are written. */
  private readonly held = new Map<string, (number | null)[]>()
  private readonly add
  private readonly drop
  private readonly sums

  constructor(store: Store) {
    const { sqlite } = store
    const plus = COLUMNS.map(
      (name) =>
        `${name} = case when excluded.${name} is null then ${name} else coalesce(${name}, 0) + excluded.${name} end`,
    )
    this.add = sqlite.prepare<(number | null)[]>(`
      insert into usage_quarters (quarter, session_id, model_id, tier, is_inherited, ${COLUMNS.join(', ')},
        responses, responses_without_usage, responses_without_cost)
      values (${Array.from({ length: 15 }, () => '?').join(', ')})
      on conflict do update set ${plus.join(', ')}, responses = responses + excluded.responses,
        responses_without_usage = responses_without_usage + excluded.responses_without_usage,
        responses_without_cost = responses_without_cost + excluded.responses_without_cost`)
    this.drop = sqlite.prepare<number[]>(
      'delete from usage_quarters where quarter = ? and session_id = ? and model_id = ? and tier = ? and is_inherited = ?',
    )
    this.sums = sqlite.prepare<number[], { [name: string]: number | null }>(`
      select ${COLUMNS.map((name) => `sum(${name}) as ${name}`).join(', ')}, count(*) as responses,
        sum(not has_usage) as without_usage, sum(has_usage and cost_nanos is null) as without_cost
      from messages where time between ? and ? and session_id = ? and coalesce(model_id, ${NO_MODEL}) = ?
        and is_billed_elsewhere = ? and (is_response or has_usage)`)
  }

  /** Accounts for a message that is new (`old` null) or has changed. The row must be stored already. */
  apply(old: StoredMessage | null, now: StoredMessage): void {
    if (old !== null && counts(old)) {
      if (
        !counts(now) ||
        keyOf(old).join() !== keyOf(now).join() ||
        BUCKETS.some((name) => old[name] !== null && now[name] === null)
      ) {
        // Taking a known number out of a sum can leave it unknown again, which only the rows can tell.
        this.recompute(keyOf(old))
        if (counts(now)) this.recompute(keyOf(now))
        return
      }
      if (isSameUsage(old, now)) return
      this.add.run(...keyOf(now), ...BUCKETS.map((name) => minus(now[name], old[name])), ...countsMinus(now, old))
    } else if (counts(now)) {
      this.hold(now)
    }
  }

  /** Writes what was held back; every transaction ends so, and so do reads of the rollups in it. */
  flush(): void {
    if (this.held.size === 0) return
    for (const row of this.held.values()) this.add.run(...row)
    this.held.clear()
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.held.clear()
  }

  /** Most messages of a commit add to the same few rows. */
  private hold(now: StoredMessage): void {
    const key = keyOf(now)
    const row = [...key, ...BUCKETS.map((name) => now[name]), 1, now.hasUsage ? 0 : 1, lacksCost(now)]
    const name = key.join()
    const before = this.held.get(name)
    if (before === undefined) this.held.set(name, row)
    else for (let i = key.length; i < row.length; i++) before[i] = plus(before[i] ?? null, row[i] ?? null)
  }

  /** Accounts for a message whose row is gone. */
  remove(old: StoredMessage): void {
    if (counts(old)) this.recompute(keyOf(old))
  }

  private recompute(key: Key): void {
    this.flush()
    const [quarter, sessionId, modelId, , isInherited] = key
    this.drop.run(...key)
    const sums = this.sums.get(quarter * QUARTER_MS, (quarter + 1) * QUARTER_MS - 1, sessionId, modelId, isInherited)
    if (sums === undefined || (sums['responses'] ?? 0) === 0) return
    const counted = [sums['responses'] ?? 0, sums['without_usage'] ?? 0, sums['without_cost'] ?? 0]
    this.add.run(...key, ...COLUMNS.map((name) => sums[name] ?? null), ...counted)
  }
}

const counts = (message: StoredMessage): boolean => message.isResponse || message.hasUsage
const lacksCost = (message: StoredMessage): number => (message.hasUsage && message.costNanos === null ? 1 : 0)
const plus = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b)
const minus = (now: number | null, old: number | null): number | null => (now === null ? null : now - (old ?? 0))
const isSameUsage = (a: StoredMessage, b: StoredMessage): boolean =>
  a.hasUsage === b.hasUsage && BUCKETS.every((name) => a[name] === b[name])
const countsMinus = (now: StoredMessage, old: StoredMessage): number[] => [
  0,
  (now.hasUsage ? 0 : 1) - (old.hasUsage ? 0 : 1),
  lacksCost(now) - lacksCost(old),
]

function keyOf(message: StoredMessage): Key {
  const inherited = message.isBilledElsewhere ? 1 : 0
  return [quarterOf(message.time), message.sessionId, message.modelId ?? NO_MODEL, STANDARD_TIER, inherited]
}
