import { asArray, asNumber, at, isObject, type JsonObject, stringAt } from '../../model/json.ts'

/** Unified diff of what a tool did to its file, as its result's record tells it (`toolUseResult`); null when it tells none. */
export function diffIn(outcome: unknown): string | null {
  const path = stringAt(outcome, 'filePath')
  const hunks = asArray(at(outcome, 'structuredPatch')).filter(isObject)
  if (hunks.length > 0) return [...header(path, path), ...hunks.flatMap(hunkLines), ''].join('\n')
  const made = at(outcome, 'type') === 'create' ? stringAt(outcome, 'content') : null
  if (made === null) return null
  const lines = made.replace(/\n$/, '').split('\n')
  const end = made.endsWith('\n') ? [] : ['\\ No newline at end of file']
  const added = lines.map((line) => `+${line}`)
  return [...header('/dev/null', path), `@@ -0,0 +1,${lines.length} @@`, ...added, ...end, ''].join('\n')
}

const header = (before: string | null, after: string | null): readonly string[] =>
  before === null || after === null ? [] : [`--- ${before}`, `+++ ${after}`]

function hunkLines(hunk: JsonObject): readonly string[] {
  const range = (start: string, lines: string): string => `${asNumber(hunk[start]) ?? 0},${asNumber(hunk[lines]) ?? 0}`
  const text = asArray(hunk['lines']).filter((line) => typeof line === 'string')
  return [`@@ -${range('oldStart', 'oldLines')} +${range('newStart', 'newLines')} @@`, ...text]
}

export interface LineCounts {
  readonly additions: number
  readonly deletions: number
}

/** Lines that a diff adds and takes away; what stands before its first hunk counts for nothing. */
export function countLines(diff: string): LineCounts {
  const lines = diff.slice(Math.max(0, diff.indexOf('@@ '))).split('\n')
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length
  return { additions: count('+'), deletions: count('-') }
}
