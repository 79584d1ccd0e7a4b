import type { Unit } from '../adapters/contract.ts'

/** Units of sessions: a session may stand in several, and counts once for people. */
export class UnitSessions {
  /** Units of each session that are to be read still. */
  private readonly left = new Map<string, number>()

  constructor(units: Iterable<Unit>) {
    for (const unit of units) this.left.set(keyOf(unit), (this.left.get(keyOf(unit)) ?? 0) + (unit.isFresh ? 0 : 1))
  }

  get total(): number {
    return this.left.size
  }

  /** Sessions of which nothing is to be read any more. */
  get done(): number {
    let done = 0
    for (const left of this.left.values()) if (left === 0) done += 1
    return done
  }

  /** A unit was read; true when it was the last one of its session. */
  finish(unit: Unit): boolean {
    const left = (this.left.get(keyOf(unit)) ?? 1) - 1
    this.left.set(keyOf(unit), left)
    return left === 0
  }
}

/** A unit whose session isn't known without reading stands for one of its own. */
const keyOf = (unit: Unit): string => unit.sessionId ?? unit.key
