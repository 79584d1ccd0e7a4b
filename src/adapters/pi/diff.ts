/**
 * pi's own form of a diff (until it wrote patches): each line is a sign, a line number, padded, and the text; what was left out is a line of
 * dots. Signs are `-` with the old number, `+` with the new one, and a blank with the old one.
 */
const DIFF_LINE = /^([-+ ]) *(\d+)(?: (.*))?$/

interface Hunk {
  readonly lines: string[]
  oldStart: number
  newStart: number
  oldCount: number
  newCount: number
}

/** pi's form as the hunks of a unified diff; null when it is not of that form. */
export function unifiedDiff(diff: string): string | null {
  const hunks: Hunk[] = []
  let hunk: Hunk | null = null
  let shift = 0
  for (const line of diff.split('\n')) {
    const [, sign, digits, text = ''] = DIFF_LINE.exec(line) ?? []
    if (sign === undefined || digits === undefined) {
      if (!/^[ ]*\.\.\.$/.test(line)) return null
      hunk = null
      continue
    }
    const number = Number(digits)
    if (hunk === null) {
      hunk = { lines: [], oldStart: number, newStart: number, oldCount: 0, newCount: 0 }
      if (sign === '+') hunk.oldStart = number - shift
      else hunk.newStart = number + shift
      hunks.push(hunk)
    }
    hunk.lines.push(`${sign}${text}`)
    if (sign !== '+') hunk.oldCount += 1
    if (sign !== '-') hunk.newCount += 1
    if (sign === '+') shift += 1
    else if (sign === '-') shift -= 1
  }
  if (hunks.length === 0) return null
  const texts = hunks.map(
    ({ lines, oldStart, newStart, oldCount, newCount }) =>
      `@@ -${oldStart},${oldCount} +${newStart},${newCount} @@\n${lines.join('\n')}\n`,
  )
  return texts.join('')
}

export function countLines(diff: string): { readonly additions: number; readonly deletions: number } {
  let additions = 0
  let deletions = 0
  for (const line of diff.split('\n')) {
    if (line.startsWith('+') && !line.startsWith('+++')) additions += 1
    else if (line.startsWith('-') && !line.startsWith('---')) deletions += 1
  }
  return { additions, deletions }
}
