import { PROBLEM_KINDS } from '../../model/enums.ts'
import type { Problem } from '../../model/record.ts'
import { codeOf } from '../columns.ts'
import type { Store } from '../open.ts'

/** Where a problem was met. */
export interface ProblemPlace {
  readonly sourceId: number
  readonly rootId: number
  /** Null for a problem of the discovery itself. */
  readonly unitKey: string | null
  readonly sessionId: number | null
  readonly runId: number
}

/** The life of problems (design §5.7): seen again they count up, and they stay open until their place is read again without them. */
export class ProblemWriter {
  private readonly statements

  constructor(store: Store) {
    const { sqlite } = store
    this.statements = {
      see: sqlite.prepare<
        [number, number, string, string, string | null, number, number | null, number, number, number],
        { id: number }
      >(`
        insert into problems (source_id, kind, location, message, unit_key, root_id, session_id, run_id, count, first_seen_at, last_seen_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)
        on conflict do update set message = excluded.message, unit_key = excluded.unit_key, root_id = excluded.root_id,
          session_id = coalesce(excluded.session_id, session_id), run_id = excluded.run_id, count = count + 1,
          last_seen_at = excluded.last_seen_at, resolved_at = null
        returning id`),
      seenIn: sqlite.prepare<[number, number]>(
        'insert into run_problems (run_id, problem_id) values (?, ?) on conflict do nothing',
      ),
      openOfUnit: sqlite.prepare<[number, string], { id: number; location: string }>(
        'select id, location from problems where root_id = ? and unit_key = ? and resolved_at is null',
      ),
      openOfRoot: sqlite.prepare<[number], { id: number; location: string }>(
        'select id, location from problems where root_id = ? and unit_key is null and resolved_at is null',
      ),
      resolveRoot: sqlite.prepare<[number, number]>(
        'update problems set resolved_at = ? where root_id = ? and resolved_at is null',
      ),
      resolve: sqlite.prepare<[number, number]>('update problems set resolved_at = ? where id = ?'),
    }
  }

  see(problem: Problem, place: ProblemPlace, now: number): void {
    const kind = codeOf(PROBLEM_KINDS, problem.kind)
    const { sourceId, unitKey, rootId, sessionId, runId } = place
    const row = this.statements.see.get(
      ...([sourceId, kind, problem.location, problem.message, unitKey, rootId, sessionId, runId, now, now] as const),
    )
    if (row !== undefined) this.statements.seenIn.run(runId, row.id)
  }

  openOfUnit(rootId: number, unitKey: string): { id: number; location: string }[] {
    return this.statements.openOfUnit.all(rootId, unitKey)
  }

  openOfRoot(rootId: number): { id: number; location: string }[] {
    return this.statements.openOfRoot.all(rootId)
  }

  /** Ends all that is open about a root. */
  resolveRoot(rootId: number, now: number): void {
    this.statements.resolveRoot.run(now, rootId)
  }

  resolve(id: number, now: number): void {
    this.statements.resolve.run(now, id)
  }
}
