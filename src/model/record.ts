import type { ProblemKind } from './enums.ts'

/** A record over this many bytes is kept up to it, with its true size (design §3.12). */
export const RECORD_CAP_BYTES = 32 * 1024 * 1024

/**
 * Names a record inside its unit: its position, for append-only files, or its key (`table/id`), for database rows and files that are
 * replaced in place. Sorting keys bytewise puts a thing directly before the things inside it, which re-projection relies on.
 */
export type RecordRef = number | string

/** What the source itself wrote: a line, a row, a file, exact. */
export interface SourceRecord {
  readonly ref: RecordRef
  /** The format's own type, e.g. `assistant`, `part/tool`. */
  readonly type: string
  /** Exact bytes, line end included; of a database row its columns as one JSON object. */
  readonly bytes: Uint8Array
  /** Physical line in the unit's file, from 1; null where the key says the place. */
  readonly line: number | null
  /** True size, when `bytes` was cut at the cap. */
  readonly cutFrom: number | null
}

/** Where a row was read: which record, and the place in it that its adapter's `content` understands. */
export interface Citation {
  readonly record: RecordRef
  readonly place: string
}

/** One place that went wrong, and what a person can do about it. */
export interface Problem {
  readonly kind: ProblemKind
  /** `path:line` or `path#table/id` (design §4.12). */
  readonly location: string
  readonly message: string
  /** Native id of the session that it belongs to, if known. */
  readonly sessionId: string | null
}
