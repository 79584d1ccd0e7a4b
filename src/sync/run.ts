import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Unit } from '../adapters/contract.ts'
import { CommitGroup } from './commit-group.ts'
import type { SyncDeps } from './deps.ts'
import { type LookedAtRoot, lookAt, storeLook } from './discover.ts'
import { Progress } from './progress.ts'
import { isRewritten } from './rewritten.ts'
import type { StoredSource } from './source.ts'
import { type UnitOutcome, UnitRun } from './unit-run.ts'
import { UnitSessions } from './unit-sessions.ts'

/** Units that get their row ids in one transaction. */
const UNITS_AT_ONCE = 500
/** Runs are shown at most so often. */
const SHOW_EVERY_MS = 100
/** A unit that is read for the first time and has more than this is sealed into blocks at once. */
const BULK_BYTES = 0

interface StoredTask extends Task {
  readonly unitId: number
}

interface Task {
  readonly look: LookedAtRoot
  readonly unit: Unit
}

export interface RunOptions {
  readonly runId: number
  readonly verify: boolean
  /** By source name: only what these paths touch is looked at; null looks at everything. */
  readonly changedPaths: readonly string[] | null
  /** Asked at every checkpoint. */
  readonly shouldStop: () => boolean
}

/** One run over sources: look at every root, then read what changed unit by unit, newest first (design §5.1). */
export class Run {
  readonly progress: Progress
  private readonly deps: SyncDeps
  private readonly options: RunOptions
  private shownAt = 0

  constructor(deps: SyncDeps, options: RunOptions, progress = new Progress(deps.now)) {
    this.deps = deps
    this.options = options
    this.progress = progress
  }

  /** True when it came to its end, false when it was stopped. */
  async over(sources: readonly StoredSource[]): Promise<boolean> {
    const looks: LookedAtRoot[] = []
    for (const source of sources) {
      this.progress.at(source.adapter.name)
      for (const path of source.roots) looks.push(await this.look(source, path))
    }
    const tasks = looks
      .flatMap((look) => look.discovery.units.filter(({ isFresh }) => !isFresh).map((unit) => ({ look, unit })))
      .sort((a, b) => b.unit.changedAt - a.unit.changedAt)
    const sessions = this.expect(tasks, looks)
    const failed = new Set<LookedAtRoot>()
    const group = new CommitGroup(this.deps.writer)
    let isStopped = false
    for (const task of await this.withIds(tasks)) {
      isStopped ||= this.options.shouldStop()
      if (isStopped) break
      await this.read(task, group, (outcome) => {
        isStopped ||= outcome === 'stopped'
        if (outcome === 'stopped') return
        if (outcome === 'failed') failed.add(task.look)
        if (sessions.get(task.look.source)?.finish(task.unit) === true) this.progress.add('sessionsDone', 1)
        this.show()
      })
    }
    group.flush()
    if (isStopped) return false
    for (const look of looks) if (!failed.has(look)) this.storeMark(look)
    for (const source of sources) this.deps.writer.roots.synced(source.id, this.deps.now())
    return true
  }

  /** Row ids of units are made where they are missing: many in one transaction, since one for each would be dear. */
  private async withIds(tasks: readonly Task[]): Promise<readonly StoredTask[]> {
    const { writer } = this.deps
    const stored: StoredTask[] = []
    for (let from = 0; from < tasks.length; from += UNITS_AT_ONCE) {
      const some = tasks.slice(from, from + UNITS_AT_ONCE)
      writer.transaction(() => {
        for (const task of some) {
          const { look, unit } = task
          stored.push({ ...task, unitId: look.known.get(unit.key)?.id ?? writer.units.id(look.root.id, unit.key) })
        }
      })
      await nextTurn()
    }
    return stored
  }

  private async look(source: StoredSource, path: string): Promise<LookedAtRoot> {
    const { writer, journal, origin, now } = this.deps
    const { verify, changedPaths, runId } = this.options
    const look = await lookAt(writer, source, path, { originId: origin.id, verify, changedPaths })
    const problems = storeLook(writer, journal, look, { id: runId, now: now() })
    this.progress.add('problemCount', problems)
    return look
  }

  /** Tells what is to be done; returns the sessions of each source. */
  private expect(tasks: readonly Task[], looks: readonly LookedAtRoot[]): ReadonlyMap<StoredSource, UnitSessions> {
    const sources = new Set(looks.map(({ source }) => source))
    const sessions = new Map(
      [...sources].map((source) => {
        const own = looks.filter((look) => look.source === source)
        return [source, new UnitSessions(own.flatMap(({ discovery }) => discovery.units))]
      }),
    )
    for (const { total, done } of sessions.values()) {
      this.progress.add('sessionsTotal', total)
      this.progress.add('sessionsDone', done)
      this.progress.add('sessionsFresh', done)
    }
    for (const { discovery } of looks) this.progress.add('sessionsSuperseded', discovery.superseded)
    const bytes = tasks.map(({ unit }) => unit.bytes)
    const isKnown = bytes.every((size) => size !== null)
    this.progress.expectBytes(isKnown ? bytes.reduce((sum: number, size) => sum + (size ?? 0), 0) : null)
    this.show(true)
    return sessions
  }

  private async read(
    { look, unit, unitId }: StoredTask,
    group: CommitGroup,
    onEnd: (outcome: UnitOutcome) => void,
  ): Promise<void> {
    const { writer, journal, origin, now } = this.deps
    const { source, root } = look
    this.progress.at(source.adapter.name)
    const stored = look.known.get(unit.key)
    const lastCursor = writer.units.cursor(root.id, unit.key)
    // Verifying compares with what is stored, which a rewritten file isn't to be compared with.
    const isTrusted =
      !this.options.verify || (lastCursor !== null && (await isRewritten(source.adapter, unit, lastCursor)))
    const cursor = isTrusted ? lastCursor : null
    let told = 0
    const run = new UnitRun(
      unit,
      writer,
      journal,
      {
        adapter: source.adapter,
        origin,
        sourceId: source.id,
        rootId: root.id,
        unitId,
        unitKey: unit.key,
        path: unit.path,
        changedAt: unit.changedAt,
        isKnown: cursor !== null,
        isBulk: stored === undefined && (unit.bytes ?? BULK_BYTES) >= BULK_BYTES,
        isReprojection: false,
        generation: null,
        rebuilding: new Set(),
      },
      group,
      {
        runId: this.options.runId,
        cursor,
        stamp: unit.stamp === undefined || unit.stamp === stored?.stamp ? null : unit.stamp,
        now,
        shouldStop: this.options.shouldStop,
        onAdvance: ({ tally, bytes, problems }) => {
          // What a unit was said to hold is only an estimate: the run counts no more than that before the unit's end.
          const more = unit.bytes === null ? bytes : Math.min(bytes, unit.bytes - told)
          told += more
          this.progress.add('bytesRead', more)
          this.progress.addTally(tally)
          this.progress.add('problemCount', problems)
          this.deps.onCommit()
          this.show()
        },
        onEnd: (outcome) => {
          if (unit.bytes !== null) this.progress.add('bytesRead', unit.bytes - told)
          onEnd(outcome)
        },
        onSkip: (reason, count) => {
          if (reason !== 'fresh') this.progress.add(SKIP_COUNTERS[reason], count)
        },
      },
    )
    await run.read()
  }

  private storeMark({ discovery, root }: LookedAtRoot): void {
    const { mark } = discovery
    const { writer } = this.deps
    if (mark === null || writer.units.cursor(root.id, mark.key) === mark.cursor) return
    writer.transaction(() => writer.units.setCursor(writer.units.id(root.id, mark.key), mark.cursor))
  }

  private show(isForced = false): void {
    const now = performance.now()
    if (!isForced && now - this.shownAt < SHOW_EVERY_MS) return
    this.shownAt = now
    this.deps.writer.runs.update(this.options.runId, { progress: this.progress.snapshot })
    this.deps.onRun(this.options.runId, false)
  }
}

const SKIP_COUNTERS = {
  empty: 'sessionsEmpty',
  unsupported: 'sessionsUnsupported',
  superseded: 'sessionsSuperseded',
} as const
