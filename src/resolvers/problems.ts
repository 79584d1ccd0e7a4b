import {
  allProblems,
  type ProblemFilter,
  problemsById,
  problemsOfRun,
  type StoredProblem,
} from '../db/queries/problems.ts'
import type { StoredRun } from '../db/queries/sync-runs.ts'
import { itself, Lookup } from './batch.ts'
import { List, type ListParent, type PageArgs, ROOT } from './connection.ts'
import type { Scope } from './scope.ts'

export type { StoredProblem } from '../db/queries/problems.ts'

const byId = new Lookup<number, StoredProblem | null>(({ services }, ids) => problemsById(services.store, ids), itself)
const all = new List<ListParent, StoredProblem>()
const ofRun = new List<ListParent, StoredProblem>()

export type ProblemArgs = PageArgs & { readonly filter?: ProblemFilter | null | undefined }

export const problemById = (scope: Scope, id: number) => byId.load(scope, id)

/** Open ones, unless the filter says otherwise; `open: null` gives both. */
export const listProblems = (scope: Scope, args: ProblemArgs) => {
  const { sources = null, kinds = null, open = true } = args.filter ?? {}
  return all.page(scope, allProblems({ sources, kinds, open }), args, ROOT)
}

export const listRunProblems = (scope: Scope, args: PageArgs, run: StoredRun) =>
  ofRun.page(scope, problemsOfRun, args, run)
