import { basename, dirname, join, sep } from 'node:path'
import type { DiscoverContext, Discovery, Unit } from '../contract.ts'
import { decodeCursor, stampOf } from './cursor.ts'
import { isCompressed, isRollout, parseName } from './rollout-name.ts'
import { layoutOf } from './roots.ts'
import { INDEX, type SideFacts, type SideFiles } from './side-files.ts'
import { factsOf, type RolloutIndex, type RolloutMeta } from './unit.ts'
import { type FoundFile, walk } from './walk.ts'

interface Rollout extends FoundFile {
  readonly isArchived: boolean
}

const EMPTY: Discovery = {
  units: [],
  isComplete: false,
  unreadable: [],
  generations: [],
  superseded: 0,
  warnings: [],
  problems: [],
  mark: null,
}

/** Finds the rollouts of a root, each once, and which of them changed. */
export async function discover(side: SideFiles, root: string, context: DiscoverContext): Promise<Discovery> {
  const { home, directories } = layoutOf(root)
  const scope = scopeOf(home, directories, context.changedPaths)
  if (scope === 'nothing') return EMPTY
  const rollouts: Rollout[] = []
  const problems: Discovery['problems'][number][] = []
  const unreadable: string[] = []
  for (const { path, isArchive } of directories) {
    const found = await walk(path)
    problems.push(...found.problems)
    unreadable.push(...found.unreadable)
    for (const file of found.files) rollouts.push({ ...file, isArchived: isArchive })
  }
  const facts = await side.read(home)
  problems.push(...facts.problems)

  const best = new Map<string, Rollout>()
  for (const rollout of rollouts) {
    const { stem } = parseName(rollout.name)
    const other = best.get(stem)
    if (other === undefined || isBetter(rollout, other)) best.set(stem, rollout)
  }
  const index = indexOf([...best.values()])
  const units = [...best]
    .filter(([stem]) => scope === 'everything' || scope.has(stem))
    .map(([stem, rollout]) => unitOf(`${home}#${stem}`, rollout, facts, index, context))
    .sort((a, b) => b.changedAt - a.changedAt)
  return {
    ...EMPTY,
    units,
    isComplete: scope === 'everything' && unreadable.length === 0,
    // Which rollouts an unreadable directory holds can't be told: none of them counts as gone.
    unreadable: unreadable.length === 0 ? [] : [`${home}#`],
    generations: [...new Set(rollouts.map(({ name }) => (isCompressed(name) ? 'jsonl.zst' : 'jsonl')))].sort(),
    superseded: rollouts.length - best.size,
    problems,
  }
}

function unitOf(key: string, file: Rollout, facts: SideFacts, others: RolloutIndex, context: DiscoverContext): Unit {
  const { threadId } = parseName(file.name)
  const known = decodeCursor(context.lastCursor(key))
  const id = known?.sessionId ?? threadId ?? ''
  const meta: RolloutMeta = {
    kind: 'rollout',
    path: file.path,
    name: file.name,
    isArchived: file.isArchived,
    archivedAt: facts.archivedAt.get(id) ?? null,
    title: facts.names.get(id) ?? null,
    firstPrompt: facts.firstPrompts.get(id) ?? null,
    others,
  }
  return {
    key,
    path: file.path,
    sessionId: known?.sessionId ?? threadId,
    changedAt: file.mtimeMs,
    isFresh: !context.verify && known !== null && known.stamp === stampOf(file) && known.facts === factsOf(meta),
    bytes: file.size,
    meta,
  }
}

/** The live copy wins over the archived one, the plain one over the compressed one. */
function isBetter(one: Rollout, other: Rollout): boolean {
  if (isCompressed(one.name) !== isCompressed(other.name)) return isCompressed(other.name)
  if (one.isArchived !== other.isArchived) return other.isArchived
  return one.mtimeMs > other.mtimeMs
}

function indexOf(rollouts: readonly Rollout[]): RolloutIndex {
  const threads = new Map<string, string[]>()
  const byRollout = new Map<string, string>()
  for (const { name, path } of rollouts) {
    const { threadId, rolloutId } = parseName(name)
    if (rolloutId !== null) byRollout.set(rolloutId, path)
    if (threadId === null) continue
    const known = threads.get(threadId)
    if (known === undefined) threads.set(threadId, [path])
    else known.push(path)
  }
  return { ofThread: (id) => threads.get(id) ?? [], ofRollout: (id) => byRollout.get(id) ?? null }
}

/** Which rollouts the changed paths touch; a directory or the index touches all. */
function scopeOf(
  home: string,
  directories: readonly { readonly path: string }[],
  changedPaths: readonly string[] | null,
): 'everything' | 'nothing' | ReadonlySet<string> {
  if (changedPaths === null) return 'everything'
  const stems = new Set<string>()
  for (const path of changedPaths) {
    const isInside = directories.some((directory) => path === directory.path || path.startsWith(directory.path + sep))
    if (isInside && isRollout(basename(path))) stems.add(parseName(basename(path)).stem)
    else if (isInside || path === home || path === join(home, INDEX)) return 'everything'
    else if (dirname(path) === home && /^state_\d+\.sqlite$/.test(basename(path))) return 'everything'
  }
  return stems.size === 0 ? 'nothing' : stems
}
