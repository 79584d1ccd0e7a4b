import { stripVTControlCharacters } from 'node:util'

export interface Column<T> {
  readonly title: string
  readonly value: (row: T) => string
  /** Numbers stand right-aligned. */
  readonly isNumber?: boolean
  /**
   * How this column gives way when the terminal is narrow: the one that gives `last` keeps 30 columns as long as one that gives `all`
   * can be left out, and one that gives `first` can be cut.
   */
  readonly gives?: 'all' | 'first' | 'last'
}

/** What a column that may be cut keeps. */
const MIN_CUT = 12
/** What the column that gives last keeps while others can give. */
const COMFORT = 30
const GAP = '  '

/** A plain table that fits into `width` columns; wide characters count two. */
export function table<T>(rows: readonly T[], columns: readonly Column<T>[], width: number): string {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.value(row))))
  const widths = columns.map((column, i) =>
    Math.max(displayWidth(column.title), ...cells.map((row) => displayWidth(row[i] ?? ''))),
  )
  const isTight = narrow(widths, columns, width, [['last', COMFORT]])
  const kept = columns.filter(({ gives }) => gives !== 'all')
  if (isTight && kept.length < columns.length) return table(rows, kept, width)
  if (isTight)
    narrow(widths, columns, width, [
      ['first', MIN_CUT],
      ['last', MIN_CUT],
    ])
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => padded(cell, widths[i] ?? 0, columns[i]?.isNumber === true, i === columns.length - 1))
      .join(GAP)
      .trimEnd()
  return [line(columns.map(({ title }) => title)), ...cells.map(line)].join('\n')
}

/** Takes from the columns named, in this order and down to their floors, what is too much for `width`; says whether it is still too much. */
function narrow<T>(
  widths: number[],
  columns: readonly Column<T>[],
  width: number,
  order: readonly (readonly [Column<T>['gives'], number])[],
): boolean {
  let over = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1) - width
  for (const [gives, floor] of order)
    for (const [i, column] of columns.entries()) {
      const has = widths[i] ?? 0
      const given = Math.max(0, Math.min(over, has - floor))
      if (column.gives !== gives || given === 0) continue
      widths[i] = has - given
      over -= given
    }
  return over > 0
}

/** What a person may see of a text from a transcript: one line, without control sequences that would play with the terminal. */
export function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim()
}

/** A text from a transcript without what would play with the terminal; line ends and tabs stay. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '')
}

function padded(cell: string, width: number, isNumber: boolean, isLast: boolean): string {
  const size = displayWidth(cell)
  if (size > width) return cut(cell, width)
  if (isLast && !isNumber) return cell
  const padding = ' '.repeat(width - size)
  return isNumber ? padding + cell : cell + padding
}

function cut(cell: string, width: number): string {
  let used = 0
  let kept = ''
  for (const { segment } of segmenter.segment(cell)) {
    const size = displayWidth(segment)
    if (used + size > width - 1) break
    used += size
    kept += segment
  }
  return `${kept}…${' '.repeat(Math.max(0, width - 1 - used))}`
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\uFF01-\uFF60]/u

function displayWidth(text: string): number {
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}
