import { allRuns, currentRun, readRun, runsById, type StoredRun } from '../db/queries/sync-runs.ts'
import { CodedError } from '../model/error.ts'
import type { PlannedSource } from '../writer/commands.ts'
import { itself, Lookup } from './batch.ts'
import { List, type ListParent, type PageArgs, ROOT } from './connection.ts'
import { parseIdOf, rowNumber } from './ids.ts'
import type { Scope } from './scope.ts'
import { type StoredSource, sourceByName } from './sources.ts'
import { command } from './writer.ts'

export type { StoredRun } from '../db/queries/sync-runs.ts'

/** A run that reads shows a sign of life at least this often. */
const STALL_MS = 30_000

const byId = new Lookup<number, StoredRun | null>(({ services }, ids) => runsById(services.store, ids), itself)
const all = new List<ListParent, StoredRun>()

export const runById = (scope: Scope, id: number) => byId.load(scope, id)
export const listRuns = (scope: Scope, args: PageArgs) => all.page(scope, allRuns, args, ROOT)

export const hasEnded = ({ status }: StoredRun): boolean => status !== 'QUEUED' && status !== 'RUNNING'

/** Watching lasts as long as the server and has nothing to hurry for. */
export const isStalled = ({ status, trigger, progress }: StoredRun, now: number): boolean =>
  status === 'RUNNING' && trigger !== 'WATCH' && now - progress.lastAdvancedAt > STALL_MS

/** Share done, 0 to 1, by bytes, else by sessions; null while the total is unknown, and for watching. */
export function fraction(run: StoredRun): number | null {
  if (run.trigger === 'WATCH') return null
  if (run.status === 'COMPLETED') return 1
  const { bytesRead, bytesTotal, sessionsDone, sessionsTotal } = run.progress
  if (bytesTotal !== null && bytesTotal > 0) return Math.min(1, bytesRead / bytesTotal)
  return sessionsTotal > 0 ? Math.min(1, sessionsDone / sessionsTotal) : null
}

export const elapsedMs = (run: StoredRun, now: number): number =>
  run.status === 'QUEUED' ? 0 : Math.max(0, (run.endedAt ?? now) - run.startedAt)

/** Time left if it goes on as it went. */
export function etaMs(run: StoredRun, now: number): number | null {
  const done = fraction(run)
  if (run.status !== 'RUNNING' || done === null || done <= 0) return null
  return Math.round((elapsedMs(run, now) / done) * (1 - done))
}

export type PlanEntry = PlannedSource & { readonly sourceRow: StoredSource }

/** What a sync would do now, for the sources named or all that are enabled. */
export async function planSync(scope: Scope, sources: readonly string[] | null | undefined): Promise<PlanEntry[]> {
  const planned = await command(scope, 'plan', { sources: sources ?? null })
  const rows = await Promise.all(planned.map(({ source }) => sourceByName(scope, source)))
  return planned.flatMap((entry, i) => {
    const sourceRow = rows[i]
    return sourceRow ? [{ ...entry, sourceRow }] : []
  })
}

export interface StartSyncInput {
  readonly sources?: readonly string[] | null | undefined
  readonly verify?: boolean | null | undefined
}

export async function startSync(scope: Scope, { sources, verify }: StartSyncInput): Promise<StoredRun> {
  const input = { sources: sources ?? null, verify: verify ?? false }
  const { runId } = await command(scope, 'startSync', input)
  return existing(readRun(scope.services.store, runId))
}

/** Without effect on a run that has ended. */
export async function cancelSync(scope: Scope, id: string): Promise<StoredRun> {
  const run = existing(runOfId(scope, id))
  if (run.trigger === 'WATCH' && !hasEnded(run)) {
    throw new CodedError(
      'BAD_USER_INPUT',
      "This run watches for changes and can't be cancelled: watching ends with the server.",
    )
  }
  await command(scope, 'cancelSync', { runId: run.id })
  return existing(readRun(scope.services.store, run.id))
}

export function runOfId(scope: Scope, id: string): StoredRun | null {
  const number = rowNumber(parseIdOf('SyncRun', id))
  return number === null ? null : readRun(scope.services.store, number)
}

export function existing(run: StoredRun | null): StoredRun {
  if (run === null) throw new CodedError('NOT_FOUND', 'There is no such sync run. The last 1,000 are kept.')
  return run
}

export const runInQuestion = (scope: Scope): StoredRun | null => currentRun(scope.services.store)
