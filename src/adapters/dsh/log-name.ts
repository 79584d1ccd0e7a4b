/** A session's log by its name: `session.jsonl` is generation 0, `session.v3.jsonl.zstd` generation 3, compressed. */
export interface LogName {
  readonly generation: number
  readonly isCompressed: boolean
}

const NAME = /^session(?:\.v([1-9]\d{0,15}))?\.jsonl(\.zstd)?$/

/** Null for what is no log: staging files, copies, names that only look alike. */
export function parseLogName(name: string): LogName | null {
  const found = NAME.exec(name)
  const generation = Number(found?.[1] ?? 0)
  return found === null || !Number.isSafeInteger(generation)
    ? null
    : { generation, isCompressed: found[2] !== undefined }
}

/** The session id that a directory's name stands for: units that are not safe in a name are written as `~` and four hex digits. */
export const idOfSegment = (segment: string): string =>
  segment.replace(/~([0-9A-F]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)))
