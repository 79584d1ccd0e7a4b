import { readRun, type StoredRun } from '../db/queries/sync-runs.ts'
import { pullable } from './pullable.ts'
import type { Scope } from './scope.ts'
import { existing, hasEnded, isStalled, runInQuestion, runOfId } from './sync.ts'
import type { Waiter } from './wakeups.ts'

/** Whether a run is stalled shows with time alone, so the wait ends now and then. */
const LOOK_AGAIN_MS = 10_000

/**
 * Follows a run: where it stands, then each change, until it ends. Pulled: a slow reader misses states in between and gets the newest.
 * Without an id it follows the run that a person waits for, and waits for one when there is none.
 */
export function followProgress(scope: Scope, id: string | null | undefined): AsyncIterableIterator<StoredRun> {
  const named = id ? existing(runOfId(scope, id)).id : null
  return pullable(scope.services.wakeups.wait(), (waiter) => states(scope, named, waiter))
}

async function* states(scope: Scope, named: number | null, waiter: Waiter): AsyncGenerator<StoredRun, undefined> {
  let runId = named
  let shown: string | null = null
  while (!waiter.isClosed) {
    const run = runId === null ? runInQuestion(scope) : readRun(scope.services.store, runId)
    if (run === null && runId !== null) return
    if (run !== null) {
      runId = run.id
      const state = JSON.stringify([run.status, run.progress, isStalled(run, Date.now())])
      if (state !== shown) {
        shown = state
        scope.renew()
        yield run
      }
      if (hasEnded(run)) return
    }
    await waiter.next(LOOK_AGAIN_MS)
  }
}
