import type { FileChangeKind } from '../../model/enums.ts'
import { asObject, asString, type JsonObject } from '../../model/json.ts'
import type { FileTouchRow } from '../../model/rows.ts'

const HEAD = /^\*\*\* (Add|Update|Delete) File: (.+)$/

/** The patch inside a call's input: bare, in a shell's heredoc, or as a string in a script. */
export function patchIn(text: string): string | null {
  if (!text.includes('*** Begin Patch')) return null
  for (const [literal] of text.matchAll(/"(?:[^"\\\n]|\\.)*\*\*\* Begin Patch(?:[^"\\\n]|\\.)*"/g)) {
    try {
      return String(JSON.parse(literal))
    } catch {
      // Not a JSON string: some other quoting.
    }
  }
  return text.slice(text.indexOf('*** Begin Patch'))
}

/** The files that an `apply_patch` text names, each with its hunks as a unified diff. */
export function filesOfPatch(patch: string): readonly FileTouchRow[] {
  const files: FileTouchRow[] = []
  let kind: FileChangeKind | null = null
  let path = ''
  let movedTo: string | null = null
  let lines: string[] = []
  const close = () => {
    if (kind === null) return
    const isMove = movedTo !== null
    files.push(touched(path, isMove ? 'MOVE' : kind, movedTo, diffOf(kind, path, movedTo, lines), files.length))
    kind = null
  }
  for (const raw of patch.split('\n')) {
    const line = raw.replace(/\r$/, '')
    const head = HEAD.exec(line)
    if (head !== null) {
      close()
      kind = head[1] === 'Add' ? 'ADD' : head[1] === 'Delete' ? 'DELETE' : 'UPDATE'
      path = head[2]?.trim() ?? ''
      movedTo = null
      lines = []
    } else if (line.startsWith('*** Move to: ')) movedTo = line.slice('*** Move to: '.length).trim()
    else if (line.startsWith('*** End Patch')) break
    else if (!line.startsWith('*** ') && kind !== null) lines.push(raw)
  }
  close()
  return files
}

function diffOf(kind: FileChangeKind, path: string, movedTo: string | null, lines: readonly string[]): string | null {
  if (lines.length === 0) return null
  const from = kind === 'ADD' ? '/dev/null' : `a/${path}`
  const added = kind === 'ADD' && lines[0]?.startsWith('@@') !== true ? [`@@ -0,0 +1,${lines.length} @@`] : []
  return [`--- ${from}`, `+++ b/${movedTo ?? path}`, ...added, ...lines, ''].join('\n')
}

function touched(
  path: string,
  kind: FileChangeKind,
  movedTo: string | null,
  diff: string | null,
  n: number,
): FileTouchRow {
  const count = (sign: string) =>
    diff?.split('\n').filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length ?? null
  return {
    path,
    kind,
    movedTo,
    diff,
    diffPlace: diff === null ? null : `diff:${n}`,
    additions: count('+'),
    deletions: count('-'),
  }
}

/** The files of a `FileChange` or `patch_apply_end` event; their diffs stand in another record than the call. */
export function filesOfChanges(changes: JsonObject): readonly FileTouchRow[] {
  return Object.entries(changes).map(([path, value]) => {
    const change = asObject(value) ?? {}
    // Older events name the kind as a key: `{"update": {...}}`.
    const named = ['add', 'update', 'delete'].find((key) => asObject(change[key]) !== null)
    const body = named === undefined ? change : (asObject(change[named]) ?? {})
    const type = named ?? asString(change['type'])
    const movedTo = asString(body['move_path'])
    const kind = movedTo !== null ? 'MOVE' : type === 'add' ? 'ADD' : type === 'delete' ? 'DELETE' : 'UPDATE'
    const content = asString(body['content'])
    const hunks = asString(body['unified_diff'])
    const lines = (sign: string) =>
      content
        ?.replace(/\n$/, '')
        .split('\n')
        .map((line) => sign + line) ?? null
    const shown = hunks?.replace(/\n$/, '').split('\n') ?? (kind === 'DELETE' ? lines('-') : lines('+'))
    const diff = shown === null ? null : diffOf(kind === 'MOVE' ? 'UPDATE' : kind, path, movedTo, shown)
    return { ...touched(path, kind, movedTo, diff, 0), diffPlace: null }
  })
}
