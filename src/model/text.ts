/** Text as it may be kept: repaired visibly, cut only between characters that a reader sees as one. */

/** What stands in rows of a longer text; the rest stays in the archive (design §3.12). In UTF-8 bytes. */
export const PREVIEW_BYTES = 1024

/** A text with lone surrogates and NULs replaced by U+FFFD, and whether anything was replaced (design §3.11). */
export function repair(text: string): { readonly text: string; readonly isRepaired: boolean } {
  const repaired = text.isWellFormed() ? text : text.toWellFormed()
  const clean = repaired.includes('\0') ? repaired.replaceAll('\0', '\uFFFD') : repaired
  return { text: clean, isRepaired: clean !== text }
}

/** `repair` applied to every string and key inside a JSON value. */
export function repairJson(value: unknown): { readonly value: unknown; readonly isRepaired: boolean } {
  if (typeof value === 'string') {
    const { text, isRepaired } = repair(value)
    return { value: text, isRepaired }
  }
  const { json, isRepaired } = repairedJson(value)
  return { value: isRepaired && json !== null ? (JSON.parse(json) as unknown) : value, isRepaired }
}

/** JSON text of a value, repaired; null when it is nested too deep to be written. */
export function repairedJson(value: unknown): { readonly json: string | null; readonly isRepaired: boolean } {
  const json = safeStringify(value)
  // Most values are clean, and their text tells so: lone surrogates and NUL are escaped in it.
  if (json === null || !NEEDS_REPAIR.test(json)) return { json, isRepaired: false }
  return { json: JSON.stringify(JSON.parse(json, (_, inner: unknown) => repairLeaf(inner))), isRepaired: true }
}

const NEEDS_REPAIR = /\\u(0000|[dD][89a-fA-F])/

function repairLeaf(inner: unknown): unknown {
  if (typeof inner === 'string') return repair(inner).text
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
  const entries = Object.entries(inner)
  return entries.some(([key]) => repair(key).isRepaired)
    ? Object.fromEntries(entries.map(([key, item]) => [repair(key).text, item]))
    : inner
}

/** JSON text of a value; null when it is nested too deep to be written (design §4.12: no crash). */
export function safeStringify(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The longest prefix with at most `maxChars` code points that cuts no grapheme (design §4.12). */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  let codePoints = 0
  let end = 0
  while (end < text.length && codePoints < maxChars) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
    codePoints += 1
  }
  return end >= text.length ? text : text.slice(0, graphemeStart(text, end))
}

/** Where the grapheme that contains the unit at `index` starts. Looks at a bounded window, so that long texts stay cheap. */
function graphemeStart(text: string, index: number): number {
  // Between two ASCII characters, but for CR LF, there is always a boundary.
  if (isPlain(text.charCodeAt(index - 1)) && isPlain(text.charCodeAt(index))) return index
  const from = Math.max(0, index - 64)
  const window = graphemes.segment(text.slice(from, index + 64))
  const inside = window.containing(index - from)
  if (inside === undefined || from + inside.index === 0) return index
  return inside.index === 0 && from > 0 ? index : from + inside.index
}

const encoder = new TextEncoder()
const room = new Uint8Array(PREVIEW_BYTES)

/** The start of a text that fits in `PREVIEW_BYTES` of UTF-8, and whether that is all of it. */
export function preview(text: string): { readonly text: string; readonly isWhole: boolean } {
  if (text.length * 3 <= PREVIEW_BYTES) return { text, isWhole: true }
  // Writes as much as there is room for, and tells how much that was.
  const { read } = encoder.encodeInto(text.length > PREVIEW_BYTES ? text.slice(0, PREVIEW_BYTES + 1) : text, room)
  return read === text.length
    ? { text, isWhole: true }
    : { text: text.slice(0, graphemeStart(text, read)), isWhole: false }
}

const isPlain = (unit: number): boolean => unit >= 0x20 && unit < 0x7f

const SURROGATE = /[\ud800-\udbff]/

/** Length in code points, as `maxChars` and `textLength` count. */
export function codePointLength(text: string): number {
  let surrogatePairs = 0
  if (!SURROGATE.test(text)) return text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit <= 0xdbff) surrogatePairs += 1
  }
  return text.length - surrogatePairs
}
