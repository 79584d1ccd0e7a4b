import { PROBLEM_KINDS, type ProblemKind } from '../../model/enums.ts'
import { oneByKey } from '../by-key.ts'
import { codeOf } from '../columns.ts'
import type { ListParent, ListQuery } from '../keyset.ts'
import type { Store } from '../open.ts'
import { rowShape } from '../row-shape.ts'
import { problems } from '../schema.ts'
import { oneOf, type Sql, sql } from '../sql.ts'

export type StoredProblem = typeof problems.$inferSelect

export interface ProblemFilter {
  readonly sources?: readonly string[] | null | undefined
  readonly kinds?: readonly ProblemKind[] | null | undefined
  readonly open?: boolean | null | undefined
}

const shape = rowShape(problems, 't')

/** Problems that pass the filter, the one seen last first. */
export function allProblems(filter: ProblemFilter): ListQuery<ListParent, StoredProblem> {
  return {
    name: `problems ${JSON.stringify(filter)}`,
    from: 'problems t',
    parent: null,
    where: problemConditions(filter),
    order: ['t.last_seen_at'],
    direction: 'DESC',
    unique: ['t.id'],
    columns: shape.columns,
    decode: (values, from) => shape.decode(values, from),
  }
}

/** What a run met, in order of first sight. */
export const problemsOfRun: ListQuery<ListParent, StoredProblem> = {
  name: 'run problems',
  from: 'run_problems r cross join problems t on t.id = r.problem_id',
  fromKeys: 'problems t join run_problems r on r.problem_id = t.id and r.run_id = k.value',
  parent: 'r.run_id',
  where: [],
  order: [],
  direction: 'ASC',
  unique: ['t.id'],
  columns: shape.columns,
  decode: (values, from) => shape.decode(values, from),
}

function problemConditions({ sources, kinds, open }: ProblemFilter): Sql[] {
  const conditions: Sql[] = []
  if (sources) {
    conditions.push(
      sql(
        't.source_id in (select id from sources where name in (select value from json_each(?)))',
        JSON.stringify(sources),
      ),
    )
  }
  if (kinds)
    conditions.push(
      oneOf(
        't.kind',
        kinds.map((kind) => codeOf(PROBLEM_KINDS, kind)),
      ),
    )
  if (open === true) conditions.push(sql('t.resolved_at is null'))
  if (open === false) conditions.push(sql('t.resolved_at is not null'))
  return conditions
}

export const problemsById = (store: Store, ids: readonly number[]) =>
  oneByKey(store, `select k.key, ${shape.columns} from json_each(?) k join problems t on t.id = k.value`, ids, (row) =>
    shape.decode(row, 1),
  )
