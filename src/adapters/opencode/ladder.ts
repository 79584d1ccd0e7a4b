import { asCount, asString } from '../../model/json.ts'
import type { Query } from '../kit/sqlite.ts'

/**
 * Rows that a table held, newest first, ever sparser towards the old ones. SQLite gives out a rowid again when the rows with the
 * highest ones were deleted, as a revert does: a rowid above the last one seen then doesn't find what is new, but every row above
 * the newest rung that still holds the same row does.
 */
export type Ladder = readonly Rung[]
export type Rung = readonly [rowid: number, id: string]
export type LadderTable = 'message' | 'part' | 'event'

export interface Climb {
  /** Rows above this rowid are new. */
  readonly from: number
  /** Rowids were given out again: what is new is not only what lies above the last rowid seen. */
  readonly isRewound: boolean
  readonly ladder: Ladder
}

const FIRST_RUNGS = 16
const MOST_RUNGS = 20

/** Finds what is new in `table` since `known` was made; everything is, when nothing is known or nothing of it is left. */
export function climb(query: Query, table: LadderTable, known: Ladder | null): Climb {
  const top = rungAt(query, table, asCount(query.get(`select max(rowid) as top from ${table}`)?.['top']) ?? 0)
  if (known === null || known.length === 0) {
    return { from: 0, isRewound: false, ladder: top === null ? [] : firstLadder(query, table, top) }
  }
  const standing = known.findIndex(([rowid, id]) => rungAt(query, table, rowid)?.[1] === id)
  if (standing < 0) return { from: 0, isRewound: true, ladder: top === null ? [] : firstLadder(query, table, top) }
  const kept = known.slice(standing)
  const ladder = top === null ? [] : top[0] === kept[0]?.[0] ? kept : thinned([top, ...kept])
  return { from: kept[0]?.[0] ?? 0, isRewound: standing > 0, ladder }
}

function rungAt(query: Query, table: LadderTable, rowid: number): Rung | null {
  const id = asString(query.get(`select id from ${table} where rowid = ?`, rowid)?.['id'])
  return id === null ? null : [rowid, id]
}

function firstLadder(query: Query, table: LadderTable, top: Rung): Ladder {
  const rungs = [top]
  for (let step = 0; step < FIRST_RUNGS; step++) {
    const row = query.get(
      `select rowid as "rowid", id from ${table} where rowid <= ? order by rowid desc limit 1`,
      top[0] - 2 ** step,
    )
    const rowid = asCount(row?.['rowid'])
    const id = asString(row?.['id'])
    if (rowid === null || id === null) break
    rungs.push([rowid, id])
  }
  return thinned(rungs)
}

/** Keeps rungs at distances from the top that double. */
function thinned(rungs: Ladder): Ladder {
  const top = rungs[0]?.[0] ?? 0
  const kept: Rung[] = []
  for (const rung of rungs) {
    const last = kept.at(-1)
    if (last === undefined || top - rung[0] >= 2 * (top - last[0]) + (last[0] === top ? 1 : 0)) kept.push(rung)
  }
  return kept.slice(0, MOST_RUNGS)
}

export function decodeLadder(value: unknown): Ladder | null {
  if (!Array.isArray(value)) return null
  const rungs = value.map((entry: unknown): Rung | null => {
    const [rowid, id] = Array.isArray(entry) ? entry : []
    return typeof rowid === 'number' && typeof id === 'string' ? [rowid, id] : null
  })
  return rungs.every((rung) => rung !== null) ? rungs : null
}
