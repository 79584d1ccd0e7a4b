/**
 * Order keys (design §3.6): text that sorts bytewise in session order. Append-only files order by position, databases by time and
 * then by the source's own id. A key is sparse, so that something can always be put behind it.
 */

const TIME_DIGITS = 9

/** Key of a row in a database: time first, `tie` decides among equal times. */
export function orderByTime(ms: number, tie: string): string {
  return `${Math.max(0, Math.trunc(ms)).toString(36).padStart(TIME_DIGITS, '0')}${tie}!`
}

/** Key of a record in an append-only file: the file's place among the session's files, then the record's place in it. */
export function orderByPosition(file: number, position: number): string {
  return `${file.toString(36).padStart(4, '0')}.${position.toString(36).padStart(TIME_DIGITS, '0')}!`
}

/** Key directly behind `key` and before any other message; `place` orders what stands there. */
export function orderBehind(key: string, place: string): string {
  return `${key}${place}!`
}
