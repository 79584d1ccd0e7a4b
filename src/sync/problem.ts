import { BusyError } from '../adapters/kit/sqlite-errors.ts'
import type { Problem } from '../model/record.ts'

/** What ended the reading of a unit, as a problem at its place. */
export function problemOf(error: unknown, location: string, sessionId: string | null): Problem {
  const kind = error instanceof BusyError ? 'DEFERRED' : 'IO'
  const message = error instanceof Error ? error.message : String(error)
  return { kind, location, message, sessionId }
}
