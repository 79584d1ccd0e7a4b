import type { UnitFile } from './ids.ts'

/** What discovery hands to reading. */
export interface UnitMeta {
  readonly file: UnitFile
  /** How the file looked before it was read: what is written meanwhile shows as a change. */
  readonly stamp: string
  /** A meta file stands beside the transcript of a sub-agent. */
  readonly hasMeta: boolean
  /** Of the history of prompts: main sessions of the root. */
  readonly sessions: ReadonlySet<string>
}

export const isUnitMeta = (meta: unknown): meta is UnitMeta =>
  typeof meta === 'object' &&
  meta !== null &&
  'file' in meta &&
  'stamp' in meta &&
  'hasMeta' in meta &&
  'sessions' in meta
