import { asArray, asObject, asString, type JsonObject } from '../../model/json.ts'

/**
 * Rows of generations 0 and 1 that hold a run of chunks, each an event of its own. `fragments` are texts of deltas, in which member k
 * follows member k−1 after `dt[k−1]` ms.
 */
interface Run {
  readonly fragments: readonly unknown[]
  readonly dt: readonly unknown[]
  member(fragment: unknown): JsonObject
}

const PACKED: ReadonlySet<string> = new Set(['text-chunks', 'reasoning-chunks', 'tool-call-chunks'])
export const isPacked = (type: string): boolean => PACKED.has(type)

/** Type of the events that a packed row holds. */
export const MEMBER_TYPE = 'assistant/chunk'

function runOf(row: JsonObject): Run | null {
  const data = asObject(row['data'])
  const type = asString(row['type'])
  if (data === null || type === null) return null
  const { turn, step, index } = data
  const isCall = type === 'tool-call-chunks'
  const named = data['name'] === undefined ? {} : { name: data['name'] }
  return {
    fragments: asArray(data[isCall ? 'args' : 'texts']),
    dt: asArray(data['dt']),
    member: (fragment) => ({
      turn,
      step,
      chunk: isCall
        ? { type: 'tool-call-delta', index, id: data['id'], ...named, argumentsDelta: fragment }
        : { type: type === 'text-chunks' ? 'text-delta' : 'reasoning-delta', index, text: fragment },
    }),
  }
}

/** Times of the members, after `time0`; null when the row is damaged. */
export function memberTimes(row: JsonObject, time0: number): readonly number[] | null {
  const run = runOf(row)
  if (run === null || run.fragments.length === 0 || run.dt.length !== run.fragments.length - 1) return null
  if (!run.fragments.every((fragment) => typeof fragment === 'string')) return null
  const times = [time0]
  let time = time0
  for (const gap of run.dt) {
    if (typeof gap !== 'number' || !Number.isSafeInteger(gap)) return null
    time += gap
    if (!Number.isSafeInteger(time)) return null
    times.push(time)
  }
  return times
}

/** Data of member `k`; null when there is none. */
export function memberData(row: JsonObject, k: number): JsonObject | null {
  const run = runOf(row)
  return run === null || k >= run.fragments.length ? null : run.member(run.fragments[k])
}
