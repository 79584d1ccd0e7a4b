import { Packer } from '../db/archive/pack.ts'
import type { SyncDeps } from './deps.ts'
import { Reprojection } from './reproject.ts'
import { tellShifts } from './shifts.ts'
import type { StoredSource } from './source.ts'

/** A session is idle when nothing came for so long. */
const IDLE_MS = 10 * 60 * 1000
/** Between steps of tidying, so that it is never felt. */
const STEP_PAUSE_MS = 100
/** With nothing to tidy, look again after so long. */
const LOOK_AGAIN_MS = 5 * 60 * 1000

/** What is done while nothing else is to do, in small steps: what changed by time alone is told, rows made by older adapters are mapped anew, and the archive is packed. */
export class Housekeeping {
  private readonly deps: SyncDeps
  private readonly packer: Packer
  private readonly reprojection: Reprojection
  private isTidyUntil = 0

  constructor(deps: SyncDeps, sources: readonly StoredSource[]) {
    this.deps = deps
    this.packer = new Packer(deps.writer.store)
    this.reprojection = new Reprojection(deps, sources)
  }

  /** Something was written: there may be something to tidy. */
  again(): void {
    this.isTidyUntil = 0
  }

  /** One step; says after how many ms to come again. */
  step(): number {
    if (tellShifts(this.deps)) return 0
    const nextShift = this.deps.writer.sessions.nextShift() ?? Number.POSITIVE_INFINITY
    return Math.min(this.tidy(), Math.max(0, nextShift - this.deps.now()))
  }

  private tidy(): number {
    if (this.reprojection.step()) return 0
    const now = this.deps.now()
    if (now < this.isTidyUntil) return this.isTidyUntil - now
    if (this.packer.step(now - IDLE_MS)) return STEP_PAUSE_MS
    this.isTidyUntil = now + LOOK_AGAIN_MS
    return LOOK_AGAIN_MS
  }
}
