import type { FileChangeKind } from '../../model/enums.ts'
import { asArray, asNumber, at, isObject, stringAt } from '../../model/json.ts'
import type { FileTouchRow } from '../../model/rows.ts'

const KIND_OF_TOOL: Readonly<Record<string, FileChangeKind>> = {
  Read: 'READ',
  NotebookRead: 'READ',
  Write: 'UPDATE',
  Edit: 'UPDATE',
  MultiEdit: 'UPDATE',
  NotebookEdit: 'UPDATE',
}

/**
 * The file that a call read or changed, as its result's record tells it (`toolUseResult`); the caller asks for calls that succeeded
 * only. The diff stands in the result's record, not in the call's, so no place of the call names it.
 */
export function touchedFiles(name: string | null, input: unknown, outcome: unknown): readonly FileTouchRow[] {
  const path = touchedPath(input, outcome)
  const kind = KIND_OF_TOOL[name ?? '']
  if (kind === undefined || path === null) return []
  const isNew = at(outcome, 'type') === 'create'
  const hunks = asArray(at(outcome, 'structuredPatch')).filter(isObject)
  const diff = hunks.length === 0 ? null : unifiedDiff(path, hunks)
  const lines = hunks.flatMap((hunk) => asArray(hunk['lines']))
  const count = (sign: string): number =>
    lines.filter((line) => typeof line === 'string' && line.startsWith(sign)).length
  const written = isNew ? lineCount(stringAt(outcome, 'content') ?? '') : null
  return [
    {
      path,
      kind: isNew ? 'ADD' : kind,
      movedTo: null,
      diff,
      diffPlace: null,
      additions: diff === null ? written : count('+'),
      deletions: diff === null ? (isNew ? 0 : null) : count('-'),
    },
  ]
}

/** The file that a tool's call or result is about. */
export const touchedPath = (input: unknown, outcome: unknown): string | null =>
  stringAt(outcome, 'filePath') ??
  stringAt(outcome, 'file', 'filePath') ??
  stringAt(input, 'file_path') ??
  stringAt(input, 'notebook_path')

function unifiedDiff(path: string, hunks: readonly Readonly<Record<string, unknown>>[]): string {
  const shown = hunks.map((hunk) => {
    const at = (start: string, lines: string): string => `${asNumber(hunk[start]) ?? 0},${asNumber(hunk[lines]) ?? 0}`
    const text = asArray(hunk['lines']).filter((line) => typeof line === 'string')
    return [`@@ -${at('oldStart', 'oldLines')} +${at('newStart', 'newLines')} @@`, ...text].join('\n')
  })
  return [`--- ${path}`, `+++ ${path}`, ...shown, ''].join('\n')
}

const lineCount = (text: string): number => (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length)
