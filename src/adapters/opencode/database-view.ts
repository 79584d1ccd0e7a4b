import type { Problem } from '../../model/record.ts'
import type { Unit } from '../contract.ts'
import type { DatabaseMark } from './mark.ts'

/** What discovery found in one database: its sessions, and a unit for each that is asked for. */
export interface DatabaseView {
  readonly path: string
  /** When each session was last updated. */
  readonly sessions: ReadonlyMap<string, number>
  unitOf(sessionId: string): Unit
  /** What to remember; null when the database could not be looked into. */
  readonly mark: DatabaseMark | null
  readonly problems: readonly Problem[]
  readonly isReadable: boolean
}

export interface DatabasePlace {
  readonly path: string
  readonly dataDir: string
}
