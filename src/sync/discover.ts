import { statSync } from 'node:fs'
import type { Discovery } from '../adapters/contract.ts'
import type { StoreWriter } from '../db/write/index.ts'
import type { RootState, StoredRoot } from '../db/write/root-writer.ts'
import type { KnownUnit } from '../db/write/unit-writer.ts'
import type { JournalWriter } from '../journal/append.ts'
import type { RootStatus } from '../model/enums.ts'
import type { Problem } from '../model/record.ts'
import type { StoredSource } from './source.ts'

/** A root as a look at it found it, beside what the store knows of it. */
export interface LookedAtRoot {
  readonly source: StoredSource
  readonly root: StoredRoot
  readonly known: KnownUnits
  readonly discovery: Discovery
  readonly state: RootState
}

export interface LookOptions {
  readonly originId: number
  readonly verify: boolean
  readonly changedPaths: readonly string[] | null
}

/** What the store knows of a root's units. */
export interface KnownUnits {
  get(key: string): KnownUnit | undefined
  values(): Iterable<KnownUnit>
}

/** Looks at a root: which units it holds and which of them changed. Writes nothing but that the root is there. */
export async function lookAt(
  writer: StoreWriter,
  source: StoredSource,
  path: string,
  options: LookOptions,
): Promise<LookedAtRoot> {
  const root = writer.roots.root(source.id, options.originId, path)
  // A look at a few changed paths asks for few units; one at everything reads them all at once.
  const known: KnownUnits =
    options.changedPaths === null
      ? writer.units.ofRoot(root.id)
      : {
          get: (key) => writer.units.find(root.id, key),
          values: () => writer.units.ofRoot(root.id).values(),
        }
  const onDisk = statusOf(path)
  const discovery =
    onDisk.status === 'OK'
      ? await source.adapter.discover(path, {
          lastCursor: (key) => writer.units.cursor(root.id, key),
          lastStamp: (key) => known.get(key)?.stamp ?? null,
          changedPaths: options.changedPaths,
          verify: options.verify,
        })
      : onDisk.status === 'MISSING' && !writer.units.hasSessions(root.id)
        ? { ...NOTHING, problems: [neverThere(path)] }
        : NOTHING
  const isEmpty = onDisk.status === 'OK' && discovery.isComplete && discovery.units.length === 0
  const status = isEmpty ? 'EMPTY' : onDisk.status
  const lost = status !== 'OK' && writer.units.hasSessions(root.id) ? [LOST_WARNING] : []
  const generations = discovery.isComplete ? discovery.generations : root.generations
  const warnings = [...onDisk.warnings, ...lost, ...discovery.warnings]
  return { source, root, known, discovery, state: { status, generations, warnings } }
}

const NOTHING: Discovery = {
  units: [],
  isComplete: true,
  unreadable: [],
  generations: [],
  superseded: 0,
  warnings: [],
  problems: [],
  mark: null,
}

const neverThere = (path: string): Problem => ({
  kind: 'CONFIG',
  location: path,
  message: 'There is nothing at this path. Correct it in config.json or after --source.',
  sessionId: null,
})

const LOST_WARNING = {
  code: 'SESSIONS_GONE',
  message: 'Sessions that were here are gone. Weir keeps what it has of them.',
}

function statusOf(path: string): { status: RootStatus; warnings: readonly { code: string; message: string }[] } {
  try {
    statSync(path)
    return { status: 'OK', warnings: [] }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO'
    if (code === 'ENOENT' || code === 'ENOTDIR') return { status: 'MISSING', warnings: [] }
    const message = `${path} can't be looked into (${code}). Check its permissions, then sync again.`
    return { status: 'UNREADABLE', warnings: [{ code: 'ROOT_UNREADABLE', message }] }
  }
}

/** Stores what a look told: the root's state, its problems, and which units are gone at their source or back. */
export function storeLook(
  writer: StoreWriter,
  journal: JournalWriter,
  look: LookedAtRoot,
  run: { readonly id: number; readonly now: number },
): number {
  const { root, discovery, source } = look
  return writer.transaction(() => {
    if (discovery.isComplete) writer.roots.setState(root, look.state)
    if (discovery.retentionDays !== undefined) writer.roots.setRetention(source.id, discovery.retentionDays)
    const place = { sourceId: source.id, rootId: root.id, unitKey: null, sessionId: null, runId: run.id }
    for (const problem of discovery.problems) writer.problems.see(problem, place, run.now)
    if (!discovery.isComplete) return discovery.problems.length
    const seen = new Set(discovery.problems.map(({ location }) => location))
    for (const { id, location } of writer.problems.openOfRoot(root.id)) {
      if (!seen.has(location)) writer.problems.resolve(id, run.now)
    }
    const present = new Set<string>()
    for (const { key } of discovery.units) present.add(key)
    const isHidden = (key: string) => discovery.unreadable.some((prefix) => key.startsWith(prefix))
    const [gone, back]: [KnownUnit[], KnownUnit[]] = [[], []]
    for (const unit of look.known.values()) {
      if (unit.sessionId === null) continue
      const isPresent = present.has(unit.key)
      if (isPresent && unit.isMissing === 1) back.push(unit)
      else if (!isPresent && unit.isMissing === 0 && !isHidden(unit.key)) gone.push(unit)
    }
    for (const id of [...writer.units.setMissing(gone, true), ...writer.units.setMissing(back, false)])
      journal.announce(id, 'session/updated', run.now)
    return discovery.problems.length
  })
}
