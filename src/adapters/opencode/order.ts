import { orderByTime } from '../../model/order.ts'

const TICKS = 2 ** 48
/** An id's number is milliseconds × 4096 plus a counter, modulo 2^48. */
const TICKS_PER_MS = 4096
const DIGITS = 10

/**
 * What decides among equal times: the 48-bit number in an id, taken relative to a time near to it. These numbers wrapped on
 * 2026-08-14, so two ids compare right only by their distance to a moment between them. Ids of another form stand in the middle.
 */
export function tieOf(id: string, nearMs: number): string {
  const hex = /^[a-z]+_([0-9a-f]{12})/.exec(id)?.[1]
  if (hex === undefined) return `${digits(TICKS / 2)}${id}`
  const distance = modulo(Number.parseInt(hex, 16) - Math.trunc(nearMs) * TICKS_PER_MS + TICKS / 2, TICKS)
  return `${digits(distance)}${id.slice(-4)}`
}

/** Order key of a message: its time, then its id. */
export const messageOrder = (id: string, ms: number): string => orderByTime(ms, tieOf(id, ms))

const digits = (ticks: number): string => ticks.toString(36).padStart(DIGITS, '0')
const modulo = (value: number, by: number): number => ((value % by) + by) % by
