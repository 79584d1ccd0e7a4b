import type { StoreWriter } from '../db/write/index.ts'
import { lookAt } from './discover.ts'
import type { StoredSource } from './source.ts'

/** What a sync would do now for one source. */
export interface Plan {
  readonly source: string
  readonly sessions: number
  readonly fresh: number
  readonly pending: number
}

/** Plans without decoding bodies, by the same look that a run begins with, so that both agree on what is fresh. */
export async function planSources(
  writer: StoreWriter,
  originId: number,
  sources: readonly StoredSource[],
): Promise<readonly Plan[]> {
  const plans: Plan[] = []
  for (const source of sources) {
    const isFresh = new Map<string, boolean>()
    for (const path of source.roots) {
      const { discovery } = await lookAt(writer, source, path, { originId, verify: false, changedPaths: null })
      for (const unit of discovery.units) {
        const session = unit.sessionId ?? unit.key
        isFresh.set(session, unit.isFresh && (isFresh.get(session) ?? true))
      }
    }
    const fresh = [...isFresh.values()].filter((is) => is).length
    plans.push({ source: source.adapter.name, sessions: isFresh.size, fresh, pending: isFresh.size - fresh })
  }
  return plans
}
