import type { FileChangeKind } from '../../model/enums.ts'
import { at, stringAt } from '../../model/json.ts'
import type { FileTouchRow } from '../../model/rows.ts'
import { countLines, diffIn } from './diff.ts'

const KIND_OF_TOOL: Readonly<Record<string, FileChangeKind>> = {
  Read: 'READ',
  NotebookRead: 'READ',
  Write: 'UPDATE',
  Edit: 'UPDATE',
  MultiEdit: 'UPDATE',
  NotebookEdit: 'UPDATE',
}

/** The file that a call read or changed, as its result's record tells it; the caller asks for calls that succeeded only. */
export function touchedFiles(name: string | null, input: unknown, outcome: unknown): readonly FileTouchRow[] {
  const path = touchedPath(input, outcome)
  const kind = KIND_OF_TOOL[name ?? '']
  if (kind === undefined || path === null) return []
  const diff = diffIn(outcome)
  const counts = diff === null ? { additions: null, deletions: null } : countLines(diff)
  const isNew = at(outcome, 'type') === 'create'
  const diffPlace = diff === null ? null : 'result/diff'
  return [{ path, kind: isNew ? 'ADD' : kind, movedTo: null, diff, diffPlace, ...counts }]
}

/** The file that a tool's call or result is about. */
export const touchedPath = (input: unknown, outcome: unknown): string | null =>
  stringAt(outcome, 'filePath') ??
  stringAt(outcome, 'file', 'filePath') ??
  stringAt(input, 'file_path') ??
  stringAt(input, 'notebook_path')
