import { existsSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { asCount, at } from '../../model/json.ts'
import type { Problem } from '../../model/record.ts'
import type { DiscoverContext, Discovery, Unit } from '../contract.ts'
import { breather } from '../kit/breathe.ts'
import { isSafeId } from '../kit/ids.ts'
import { lookAt } from './cursor.ts'
import { fileOfPath, metaPath, type UnitFile } from './ids.ts'
import { type Layout, layoutOf } from './roots.ts'
import type { UnitMeta } from './unit.ts'
import { Walk } from './walk.ts'

const FILES_A_BREATH = 64

/** Finds the transcripts of a root and what stands beside them, and which of them changed. */
export async function discover(root: string, context: DiscoverContext): Promise<Discovery> {
  const layout = layoutOf(root)
  const walk = new Walk()
  const isEverything = look(walk, layout, context.changedPaths)
  const units: Unit[] = []
  const problems: Problem[] = [...walk.problems]
  const breathe = breather()
  let looked = 0
  for (const path of new Set(walk.files)) {
    const unit = unitOf(path, context, problems)
    if (unit !== null) units.push(unit)
    looked += 1
    if (looked % FILES_A_BREATH === 0) await breathe()
  }
  // Only history.jsonl asks which sessions there are.
  const mainSessions = new Set(
    walk.files.includes(historyOf(layout)) ? units.flatMap(({ meta }) => mainSession(meta)) : [],
  )
  const retentionDays = layout.configDir === null ? null : retentionOf(layout.configDir)
  return {
    units: mainSessions.size === 0 ? units : units.map((unit) => withSessions(unit, mainSessions)),
    isComplete: isEverything,
    unreadable: walk.unreadable,
    generations: units.length > 0 ? ['jsonl'] : [],
    superseded: 0,
    warnings: retentionDays === null || units.length === 0 ? [] : retentionWarning(retentionDays),
    problems,
    mark: null,
    retentionDays,
  }
}

const historyOf = ({ configDir }: Layout): string => (configDir === null ? '' : join(configDir, 'history.jsonl'))

/** Looks at what the changed paths touch; returns whether that was everything. */
function look(walk: Walk, { projects, configDir }: Layout, changedPaths: readonly string[] | null): boolean {
  const history = configDir === null ? null : join(configDir, 'history.jsonl')
  if (changedPaths === null || changedPaths.some((path) => path === projects || path === configDir)) {
    walk.projects(projects)
    if (history !== null) walk.files.push(history)
    return true
  }
  for (const path of changedPaths) {
    if (path === history) {
      // It titles sessions that are known to be there only.
      walk.projects(projects)
      walk.files.push(path)
      continue
    }
    if (!path.startsWith(projects + sep)) continue
    const [project = '', inside, ...deeper] = path.slice(projects.length + 1).split(sep)
    const directory = join(projects, project)
    if (inside === undefined) walk.project(directory)
    else if (deeper.length === 0 && fileOfPath(path) !== null) walk.files.push(path)
    else walk.session(join(directory, inside))
  }
  return false
}

function unitOf(path: string, context: DiscoverContext, problems: Problem[]): Unit | null {
  const file = fileOfPath(path)
  const found = lookAt(path)
  if (found === null) return null
  if (file === null) {
    const message = 'It stands where transcripts of sub-agents do, but its name is none of theirs.'
    problems.push({ kind: 'UNSUPPORTED', location: path, message, sessionId: null })
    return null
  }
  const sessionId = sessionOf(file)
  if (sessionId !== null && !sessionId.split('/').every(isSafeId)) {
    problems.push({
      kind: 'HOSTILE_ID',
      location: path,
      message: 'Its name can be no id of a session.',
      sessionId: null,
    })
    return null
  }
  const hasMeta = file.kind === 'agent' && existsSync(metaPath(path))
  return {
    key: path,
    path,
    sessionId,
    changedAt: found.changedAt,
    stamp: found.stamp,
    isFresh: !context.verify && context.lastStamp(path) === found.stamp,
    bytes: found.size,
    meta: { file, stamp: found.stamp, hasMeta, sessions: new Set<string>() } satisfies UnitMeta,
  }
}

const sessionOf = (file: UnitFile): string | null =>
  file.kind === 'history' ? null : file.kind === 'meta' ? file.agent.sessionId : file.sessionId

const mainSession = (meta: unknown): readonly string[] => {
  const id = at(meta, 'file', 'kind') === 'main' ? at(meta, 'file', 'sessionId') : null
  return typeof id === 'string' ? [id] : []
}

function withSessions(unit: Unit, sessions: ReadonlySet<string>): Unit {
  const { meta } = unit
  return at(meta, 'file', 'kind') === 'history' && typeof meta === 'object'
    ? { ...unit, meta: { ...meta, sessions } }
    : unit
}

const DEFAULT_DAYS = 30
/** Who keeps their sessions longer than this doesn't need to be told. */
const LONG_DAYS = 365

/** Days after which the client deletes transcripts when it starts. */
function retentionOf(configDir: string): number {
  try {
    const settings: unknown = JSON.parse(readFileSync(join(configDir, 'settings.json'), 'utf8'))
    return asCount(at(settings, 'cleanupPeriodDays')) ?? DEFAULT_DAYS
  } catch {
    return DEFAULT_DAYS
  }
}

function retentionWarning(days: number): Discovery['warnings'] {
  if (days >= LONG_DAYS) return []
  return [
    {
      code: 'RETENTION',
      message: `Claude Code deletes transcripts after ${days} days (cleanupPeriodDays in its settings.json); what was taken in stays.`,
    },
  ]
}
