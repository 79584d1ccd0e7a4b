/** Narrowing of unknown JSON where it enters: every reader says what it expects and gets null for anything else. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const asObject = (value: unknown): JsonObject | null => (isObject(value) ? value : null)
export const asString = (value: unknown): string | null => (typeof value === 'string' ? value : null)
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const asBoolean = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

/** A number, or a string that is one (design §4.12). */
export function asNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value.trim())) {
    const number = Number(value)
    return Number.isFinite(number) ? number : null
  }
  return null
}

/** A whole number from 0 to 2^53 − 1, as a count must be; anything else is unknown. */
export function asCount(value: unknown): number | null {
  const number = asNumber(value)
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null
}

/** Follows `path` through objects; undefined when a step is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here: unknown = value
  for (const key of path) {
    if (!isObject(here)) return undefined
    here = here[key]
  }
  return here
}

/** A non-empty string at `path`, else null. */
export function stringAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path)
  return typeof found === 'string' && found !== '' ? found : null
}
