import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Item, Unit } from '../adapters/contract.ts'
import type { StoreWriter } from '../db/write/index.ts'
import type { JournalWriter } from '../journal/append.ts'
import type { Problem } from '../model/record.ts'
import { Aside, type Batch } from './aside.ts'
import { Commit } from './commit.ts'
import { addTally, emptyTally, locationOf, type RowItem, type Tally, type UnitPlace } from './commit-context.ts'
import { COMMIT_BYTES, COMMIT_MS, COMMIT_ROWS, type CommitGroup, type LastCommit } from './commit-group.ts'
import { problemOf } from './problem.ts'

export interface UnitRunOptions {
  readonly runId: number
  readonly cursor: string | null
  /** To be stored when the unit was read to its end; null leaves the stored one. */
  readonly stamp: string | null
  readonly now: () => number
  /** Asked at checkpoints; true ends the reading there, with all that was committed kept. */
  readonly shouldStop: () => boolean
  /** Told after each commit, and of what was skipped. */
  readonly onAdvance: (news: { tally: Tally; bytes: number; problems: number; sessionIds: readonly number[] }) => void
  /** Told once, when all that was read of it is committed. */
  readonly onEnd: (outcome: UnitOutcome) => void
  readonly onSkip: (reason: 'fresh' | 'empty' | 'unsupported' | 'superseded', count: number) => void
}

export type UnitOutcome = 'read' | 'stopped' | 'failed'

/** Reads one unit into the store, commit by commit. What went wrong in it costs what came after its last checkpoint, and is a problem. */
export class UnitRun {
  private readonly unit: Unit
  private readonly writer: StoreWriter
  private readonly journal: JournalWriter
  private readonly place: UnitPlace
  private readonly options: UnitRunOptions
  private readonly group: CommitGroup
  private batch: RowItem[] = []
  private problems: Problem[] = []
  private bytes = 0
  /** What was read of a rewritten file before the current batch. */
  private aside: Aside | null = null
  private committedAt = performance.now()
  private storedCursor: string | null
  /** Open problems of this unit, until their place is read again without them. */
  private readonly open: Map<string, number[]>
  /** Sessions that are read as a new generation. */
  private readonly rebuilt = new Set<string>()
  private readonly readAgain = new Set<string>()
  private readonly reported = new Set<string>()

  constructor(
    unit: Unit,
    writer: StoreWriter,
    journal: JournalWriter,
    place: UnitPlace,
    group: CommitGroup,
    options: UnitRunOptions,
  ) {
    this.unit = unit
    this.writer = writer
    this.group = group
    this.journal = journal
    this.place = place
    this.options = options
    this.storedCursor = options.cursor
    this.open = new Map()
    for (const { id, location } of writer.problems.openOfUnit(place.rootId, place.unitKey))
      this.open.set(location, [...(this.open.get(location) ?? []), id])
  }

  async read(): Promise<void> {
    const items = this.place.adapter.parse(this.unit, this.options.cursor)
    try {
      for (;;) {
        const next = items.next()
        // Not awaited where there is nothing to wait for: a turn of the microtask queue an item is a tenth of an import.
        const step = next instanceof Promise ? await next : next
        if (step.done === true) {
          await this.end(step.value)
          return
        }
        this.take(step.value)
        if (step.value.kind === 'checkpoint' && this.isDue()) {
          // Commands from outside get their turn between reading and committing, too.
          await nextTurn()
          const { cursor } = step.value
          if (this.aside !== null) this.putAside(this.aside)
          else this.commit(typeof cursor === 'function' ? cursor() : cursor)
          await nextTurn()
          if (this.options.shouldStop()) {
            await items.return(null)
            this.options.onEnd('stopped')
            return
          }
        }
      }
    } catch (error) {
      // Of a rewritten file nothing is shown until all of it was read.
      if (this.aside !== null) this.problems = []
      this.fail(error)
    } finally {
      this.dropAside()
    }
  }

  /** The unit was read to its end: what is left is committed with the ends of others, unless it is much. */
  private async end(cursor: string | null): Promise<void> {
    const last = this.prepare(cursor, true)
    if (this.aside === null) return this.group.add(last)
    this.group.flush()
    this.writer.transaction(() => last.write())
    last.done()
  }

  private fail(error: unknown): void {
    this.batch = []
    this.dropAside()
    this.problems.push(problemOf(error, this.place.path, this.unit.sessionId))
    this.commit(null)
    this.options.onEnd('failed')
  }

  private take(item: Item): void {
    switch (item.kind) {
      case 'checkpoint':
        return
      case 'progress':
        this.bytes += item.bytes
        return
      case 'skip':
        this.options.onSkip(item.reason, item.count)
        return
      case 'problem':
        this.problems.push(item.problem)
        return
      case 'record':
        this.bytes += item.record.bytes.length
        if (this.open.size > 0) this.readAgain.add(locationOf(this.place, item.record.ref, item.record.line))
        this.batch.push(item)
        return
      case 'new-generation':
        this.beginAside()
        this.rebuilt.add(item.sessionId)
        this.batch.push(item)
        return
      default:
        this.batch.push(item)
    }
  }

  /** From here on all waits for the unit's end. A second time, the file was rewritten while it was read: then only that counts. */
  private beginAside(): void {
    if (this.aside === null) {
      const path = join(this.writer.directory, 'rewritten.tmp')
      this.aside = new Aside(path, { items: this.batch, problems: this.problems })
    } else this.aside.restart()
    this.batch = []
    this.problems = []
  }

  private putAside(aside: Aside): void {
    this.committedAt = performance.now()
    if (!this.isMuch()) return
    const { bytes } = this
    aside.put(this.takeBatch())
    this.options.onAdvance({ tally: emptyTally(), bytes, problems: 0, sessionIds: [] })
  }

  private dropAside(): void {
    this.aside?.close()
    this.aside = null
  }

  private isDue(): boolean {
    return this.isMuch() || performance.now() - this.committedAt >= COMMIT_MS
  }

  private isMuch(): boolean {
    return this.bytes >= COMMIT_BYTES || this.batch.length >= COMMIT_ROWS
  }

  private takeBatch(): Batch {
    const { batch: items, problems } = this
    this.batch = []
    this.problems = []
    this.bytes = 0
    return { items, problems }
  }

  /** Commits what was taken since the last time, with the cursor that stands for it. */
  private commit(cursor: string | null): void {
    this.group.flush()
    const next = this.prepare(cursor, false)
    if (!next.isNothing) this.writer.transaction(() => next.write())
    next.done()
  }

  /** The commit of what was taken since the last time, with the cursor that stands for it. Nothing to say writes nothing. */
  private prepare(cursor: string | null, isEnd: boolean): LastCommit {
    const { bytes, aside } = this
    const last = this.takeBatch()
    const isNewCursor = cursor !== null && cursor !== this.storedCursor
    const stamp = isEnd ? this.options.stamp : null
    const isNews = aside !== null || last.items.length > 0 || last.problems.length > 0
    const place = { ...this.place, rebuilding: this.rebuilt }
    let tally = emptyTally()
    let sessionIds: number[] = []
    let problems = 0
    const apply = (batch: Batch, isLast: boolean) => {
      const commit = new Commit(this.writer, this.journal, place, this.options.now())
      sessionIds.push(...commit.apply(batch.items))
      if (isLast && isEnd) for (const id of this.rebuilt) commit.endGeneration(id)
      for (const problem of [...batch.problems, ...commit.problems]) {
        this.see(problem, commit)
        problems += 1
      }
      addTally(tally, commit.tally)
    }
    return {
      bytes,
      rows: last.items.length,
      isNothing: !isNews && !isNewCursor && stamp === null && this.open.size === 0,
      write: () => {
        tally = emptyTally()
        sessionIds = []
        problems = 0
        for (const batch of aside?.batches() ?? []) apply(batch, false)
        if (isNews) apply(last, true)
        if (isNewCursor) this.writer.units.setCursor(this.place.unitId, cursor)
        if (stamp !== null) this.writer.units.setStamp(this.place.unitId, stamp)
        if (isEnd) this.resolve()
      },
      done: () => {
        if (isNewCursor) this.storedCursor = cursor
        this.committedAt = performance.now()
        this.options.onAdvance({ tally, bytes, problems, sessionIds })
        if (isEnd) this.options.onEnd('read')
      },
      failed: (error) => this.fail(error),
    }
  }

  private see(problem: Problem, commit: Commit): void {
    this.reported.add(problem.location)
    if (problem.sessionId !== null && commit.isErased(problem.sessionId)) return
    const { sourceId, rootId, unitKey } = this.place
    const sessionId = problem.sessionId === null ? null : commit.sessionId(problem.sessionId)
    this.writer.problems.see(
      problem,
      { sourceId, rootId, unitKey, sessionId, runId: this.options.runId },
      this.options.now(),
    )
  }

  /** The unit was read to its end: problems whose place was read again without them are over. */
  private resolve(): void {
    const wasReadWhole = this.options.cursor === null || this.rebuilt.size > 0
    for (const [location, ids] of this.open) {
      const isOver = wasReadWhole || location === this.place.path || this.readAgain.has(location)
      if (!isOver || this.reported.has(location)) continue
      for (const id of ids) this.writer.problems.resolve(id, this.options.now())
    }
  }
}
