import type { TimeOrigin } from './enums.ts'
import { asNumber } from './json.ts'

/** A point in time, with how we know it (design §3.1). */
export interface Instant {
  /** Milliseconds since 1970. */
  readonly ms: number
  readonly origin: TimeOrigin
}

const YEAR_2000 = Date.UTC(2000, 0, 1)
const YEAR_2100 = Date.UTC(2100, 0, 1)

/**
 * Milliseconds since 1970 of a recorded time, or null when it is none: below 10^11 it is seconds, above 10^14 microseconds,
 * ISO text is read, and what lies outside the years 2000 to 2100 is refused (design §4.12).
 */
export function parseTime(value: unknown): number | null {
  const number = asNumber(value)
  const ms = number !== null ? scale(number) : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(ms) && ms >= YEAR_2000 && ms < YEAR_2100 ? Math.trunc(ms) : null
}

function scale(number: number): number {
  if (number < 1e11) return number * 1000
  if (number > 1e14) return number / 1000
  return number
}
