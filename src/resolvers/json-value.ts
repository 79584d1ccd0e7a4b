import { repairJson } from '../model/text.ts'

/** Nesting that every JSON reader takes; deeper values are answered with null. */
const MAX_DEPTH = 500

/** A value of a record as the API shows it: repaired, and null when it is nested too deep to be serialised. */
export function shownJson(value: unknown): unknown {
  if (value === undefined || isDeeperThan(value, MAX_DEPTH)) return null
  return repairJson(value).value
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((inner) => isDeeperThan(inner, levels - 1))
}
