import type { FileChangeKind } from '../../model/enums.ts'
import { asArray, asCount, asString, at, isObject, type JsonObject, stringAt } from '../../model/json.ts'
import type { FileTouchRow } from '../../model/rows.ts'
import { inputOf, isEnded, stateOf } from './tool.ts'

type Touch = Omit<FileTouchRow, 'diffPlace'>

/** The files that a call read or changed, with diffs where the part has them. A call that failed or still runs touched none. */
export function touchedFiles(part: JsonObject): readonly FileTouchRow[] {
  if (!isEnded(part) || stateOf(part)['status'] === 'error') return []
  return touches(part).map((touch, n) => ({ ...touch, diffPlace: touch.diff === null ? null : `diff:${n}` }))
}

function touches(part: JsonObject): readonly Touch[] {
  const input = inputOf(part)
  const metadata = at(stateOf(part), 'metadata')
  const path = stringAt(input, 'filePath') ?? stringAt(input, 'path')
  switch (part['tool']) {
    case 'read':
      return path === null ? [] : [touch(path, 'READ')]
    case 'write':
      return path === null ? [] : [changed(path, at(metadata, 'exists') === false ? 'ADD' : 'UPDATE', metadata)]
    case 'edit':
      return path === null ? [] : [changed(path, isNewFile(input, metadata) ? 'ADD' : 'UPDATE', metadata)]
    case 'multiedit': {
      const edits = asArray(at(metadata, 'results'))
      return path === null
        ? []
        : edits.length > 0
          ? edits.map((edit) => changed(path, 'UPDATE', edit))
          : [touch(path, 'UPDATE')]
    }
    case 'apply_patch':
    case 'patch': {
      const files = asArray(at(metadata, 'files')).filter(isObject)
      return files.length > 0 ? files.flatMap(patchedFile) : namedInPatch(stringAt(input, 'patchText') ?? '')
    }
    default:
      return []
  }
}

/** `metadata` holds a diff as text, or in `filediff` with its counts (older versions: with the whole file before and after). */
function changed(path: string, kind: FileChangeKind, metadata: unknown): Touch {
  const diff = stringAt(metadata, 'diff') ?? stringAt(metadata, 'filediff', 'patch')
  const counted = diff === null ? null : countLines(diff)
  return {
    ...touch(path, kind),
    diff,
    additions: asCount(at(metadata, 'filediff', 'additions')) ?? counted?.additions ?? null,
    deletions: asCount(at(metadata, 'filediff', 'deletions')) ?? counted?.deletions ?? null,
  }
}

/** An edit that replaces nothing in a file of no content makes the file. */
const isNewFile = (input: unknown, metadata: unknown): boolean =>
  at(input, 'oldString') === '' && (stringAt(metadata, 'filediff', 'before') ?? '') === ''

const KIND_OF_PATCH: Readonly<Record<string, FileChangeKind>> = {
  add: 'ADD',
  update: 'UPDATE',
  delete: 'DELETE',
  move: 'MOVE',
}

function patchedFile(file: JsonObject): readonly Touch[] {
  const path = stringAt(file, 'filePath') ?? stringAt(file, 'relativePath')
  if (path === null) return []
  const diff = stringAt(file, 'diff') ?? stringAt(file, 'patch')
  const counted = diff === null ? null : countLines(diff)
  const movedTo = stringAt(file, 'movePath')
  return [
    {
      path,
      kind: KIND_OF_PATCH[asString(file['type']) ?? ''] ?? (movedTo === null ? 'UPDATE' : 'MOVE'),
      movedTo,
      diff,
      additions: asCount(file['additions']) ?? counted?.additions ?? null,
      deletions: asCount(file['deletions']) ?? counted?.deletions ?? null,
    },
  ]
}

const PATCH_HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const PATCH_MOVE = /^\*\*\* Move to: (.+)$/

/** The files of a patch text, which names each in a header of its own. */
function namedInPatch(patch: string): readonly Touch[] {
  const found: Touch[] = []
  for (const line of patch.split(/\r?\n/)) {
    const [, verb, path] = PATCH_HEADER.exec(line) ?? []
    const movedTo = PATCH_MOVE.exec(line)?.[1]
    const last = found.at(-1)
    if (verb !== undefined && path !== undefined) found.push(touch(path, KIND_OF_PATCH[verb.toLowerCase()] ?? 'UPDATE'))
    else if (movedTo !== undefined && last !== undefined) found[found.length - 1] = { ...last, kind: 'MOVE', movedTo }
    else if (last !== undefined) found[found.length - 1] = counting(last, line)
  }
  return found
}

function counting(file: Touch, line: string): Touch {
  if (line.startsWith('+')) return { ...file, additions: (file.additions ?? 0) + 1 }
  return line.startsWith('-') ? { ...file, deletions: (file.deletions ?? 0) + 1 } : file
}

const touch = (path: string, kind: FileChangeKind): Touch => ({
  path,
  kind,
  movedTo: null,
  diff: null,
  additions: null,
  deletions: null,
})

function countLines(diff: string): { additions: number; deletions: number } {
  let additions = 0
  let deletions = 0
  for (const line of diff.split('\n')) {
    if (line.startsWith('+') && !line.startsWith('+++')) additions += 1
    else if (line.startsWith('-') && !line.startsWith('---')) deletions += 1
  }
  return { additions, deletions }
}
