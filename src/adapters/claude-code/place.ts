/**
 * Places in a line (`Citation.place`): what is there, the number of its block (`s` where the content is a text), and what more it
 * takes: `text:0`, `text:s:12-40`, `input:2`, `result:0`, `file:0.1`.
 */
export interface Place {
  readonly what: string
  /** Null: the content is no list. */
  readonly block: number | null
  readonly inner: number | null
  readonly from: number | null
  readonly to: number | null
}

const PLACE = /^([a-z]+)(?::(s|\d+)(?:\.(\d+))?(?::(\d+)-(\d+))?)?$/

export function parsePlace(place: string): Place | null {
  const found = PLACE.exec(place)
  if (found === null) return null
  const [, what = '', block, inner, from, to] = found
  return { what, block: block === 's' ? null : number(block), inner: number(inner), from: number(from), to: number(to) }
}

const number = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits))

export const blockPlace = (what: string, block: number | null): string => `${what}:${block ?? 's'}`
