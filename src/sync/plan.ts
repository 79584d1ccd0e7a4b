import type { Unit } from '../adapters/contract.ts'
import type { StoreWriter } from '../db/write/index.ts'
import { lookAt } from './discover.ts'
import type { StoredSource } from './source.ts'
import { UnitSessions } from './unit-sessions.ts'

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
    const units: Unit[] = []
    for (const path of source.roots) {
      const { discovery } = await lookAt(writer, source, path, { originId, verify: false, changedPaths: null })
      units.push(...discovery.units)
    }
    const { total, done } = new UnitSessions(units)
    plans.push({ source: source.adapter.name, sessions: total, fresh: done, pending: total - done })
  }
  return plans
}
