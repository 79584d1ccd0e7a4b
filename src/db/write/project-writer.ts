import { normalPath } from '../../model/path.ts'
import type { Store } from '../open.ts'

/** What is known of a directory's repository. */
export interface Repository {
  readonly repository: string
  readonly isWorktree: boolean
}

const isInside = (path: string, directory: string): boolean => path === directory || path.startsWith(`${directory}/`)

/** Finds or makes the project of a working directory. */
export class ProjectWriter {
  private readonly find
  private readonly add
  private readonly touchStatement
  private readonly locate: (path: string) => Repository | null

  /** `locate` looks at the disk; it is asked once a project, when that is first seen (design §3.14). */
  constructor(store: Store, locate: (path: string) => Repository | null) {
    this.locate = locate
    this.find = store.sqlite.prepare<[number, string], { id: number; path: string }>(
      'select id, path from projects where origin_id = ? and path_key = ?',
    )
    this.add = store.sqlite.prepare<[number, string, string, string | null, number, number]>(`
      insert into projects (origin_id, path, path_key, repository, is_worktree, last_activity_at) values (?, ?, ?, ?, ?, ?)`)
    this.touchStatement = store.sqlite.prepare<[number, number, number]>(
      'update projects set last_activity_at = ? where id = ? and last_activity_at < ?',
    )
  }

  /** `recorded` is the repository's root as the session's own record names it. */
  id(originId: number, path: string, recorded: string | null, activeAt: number): number {
    const key = normalPath(path)
    const known = this.find.get(originId, key)
    if (known !== undefined) return known.id
    const found = this.locate(path)
    const repository = recorded ?? found?.repository ?? null
    // Where the directory is gone, a record that names a repository elsewhere tells the same.
    const isWorktree = found?.isWorktree ?? (recorded !== null && !isInside(key, normalPath(recorded)))
    const { lastInsertRowid } = this.add.run(originId, path, key, repository, isWorktree ? 1 : 0, activeAt)
    return Number(lastInsertRowid)
  }

  touch(id: number, activeAt: number): void {
    this.touchStatement.run(activeAt, id, activeAt)
  }
}
