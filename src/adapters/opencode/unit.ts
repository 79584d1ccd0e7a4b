import type { Watermark } from './cursor.ts'
import type { Schema } from './schema.ts'

/** What discovery hands to reading. */
export type UnitMeta = DatabaseMeta | TreeMeta

export interface DatabaseMeta {
  readonly kind: 'database'
  readonly path: string
  readonly dataDir: string
  readonly sessionId: string
  readonly schema: Schema
  /** How far discovery looked: what lies above is for the next one. */
  readonly watermark: Watermark
  /** Messages to be read again; null: all of them. */
  readonly changed: readonly string[] | null
  /** Messages that the session had then. */
  readonly messages: number
  /** It may have lost messages that it had. */
  readonly mayLack: boolean
}

export interface TreeMeta {
  readonly kind: 'tree'
  readonly storage: string
  readonly dataDir: string
  readonly sessionId: string
  /** The session's file. */
  readonly file: string
  /** Newest time of a file of it, ms with a fraction. */
  readonly changedAt: number
  /** Read everything, whatever the cursor says. */
  readonly isWhole: boolean
}

export const isUnitMeta = (meta: unknown): meta is UnitMeta =>
  typeof meta === 'object' && meta !== null && 'kind' in meta && (meta.kind === 'database' || meta.kind === 'tree')
