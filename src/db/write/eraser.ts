import { asArray, at } from '../../model/json.ts'
import type { Store } from '../open.ts'

/** A session that was taken out. */
export interface Deleted {
  readonly id: number
  readonly uid: Buffer
  /** Groups of copies that it was in, to be settled again. */
  readonly copyKeys: readonly number[]
}

/** Takes sessions out of the store, so that nothing of them is left in its files (design §7.3). */
export class Eraser {
  private readonly store: Store
  private readonly statements

  constructor(store: Store) {
    const { sqlite } = store
    this.store = store
    this.statements = {
      tree: sqlite.prepare<[number], { id: number; uid: Buffer }>(`
        with recursive tree(id) as (
          select ? union select s.id from sessions s join tree t on s.parent_id = t.id where s.relation is null or s.relation = 0)
        select s.id, s.uid from tree join sessions s on s.id = tree.id`),
      copyKeys: sqlite.prepare<[number], { key: number }>(
        'select distinct copy_key as key from messages where session_id = ? and copy_key is not null',
      ),
      copies: sqlite.prepare<[string, string], { uid: Buffer }>(`
        select distinct s.uid from messages m join sessions s on s.id = m.session_id
        where m.copy_key in (select value from json_each(?)) and m.is_inherited = 1
          and m.session_id not in (select value from json_each(?))`),
      forgetUnits: sqlite.prepare<[number]>('update units set session_id = null where session_id = ?'),
      orphanChildren: sqlite.prepare<[number]>('update sessions set parent_id = null where parent_id = ?'),
      projectOf: sqlite.prepare<[number], { projectId: number | null }>(
        'select project_id as projectId from sessions where id = ?',
      ),
      dropProject: sqlite.prepare<{ id: number }>(
        'delete from projects where id = @id and not exists (select 1 from sessions where project_id = @id)',
      ),
      tombstone: sqlite.prepare<[Buffer, number]>(
        'insert into erased (uid, erased_at) values (?, ?) on conflict do nothing',
      ),
      dropBlobs: sqlite.prepare<{ id: number }>(`
        delete from blobs where sha256 in (select sha256 from blob_uses where session_id = @id)
          and not exists (select 1 from blob_uses u where u.sha256 = blobs.sha256 and u.session_id <> @id)`),
      byStream: ['tail', 'blocks', 'records'].map((table) =>
        sqlite.prepare<[number]>(
          `delete from ${table} where stream_id in (select id from streams where session_id = ?)`,
        ),
      ),
      runProblems: sqlite.prepare<[number]>(
        'delete from run_problems where problem_id in (select id from problems where session_id = ?)',
      ),
      bySession: [
        'problems',
        'journal',
        'blob_uses',
        'touches',
        'parts',
        'summaries',
        'messages',
        'usage_quarters',
        'tags',
      ].map((table) => sqlite.prepare<[number]>(`delete from ${table} where session_id = ?`)),
      session: sqlite.prepare<[number]>('delete from sessions where id = ?'),
    }
  }

  /** The session and everything that it spawned; forks and resumes are sessions of their own and not among them. */
  tree(id: number): { id: number; uid: Buffer }[] {
    return this.statements.tree.all(id)
  }

  /** Sessions outside of `ids` that hold copies of their messages. */
  copiesOf(ids: readonly number[]): Buffer[] {
    const keys = ids.flatMap((id) => this.statements.copyKeys.all(id).map(({ key }) => key))
    return this.statements.copies.all(JSON.stringify(keys), JSON.stringify(ids)).map(({ uid }) => uid)
  }

  /** Never takes a session in again. */
  bury(uid: Buffer, now: number): void {
    this.statements.tombstone.run(uid, now)
  }

  /** Deletes sessions with all that belongs to them, inside the caller's transaction. Cursors stay, so that nothing is read again. */
  delete(ids: readonly number[]): Deleted[] {
    return ids.flatMap((id) => {
      const session = this.statements.tree.all(id)[0]
      if (session === undefined) return []
      const copyKeys = this.statements.copyKeys.all(id).map(({ key }) => key)
      const projectId = this.statements.projectOf.get(id)?.projectId ?? null
      this.statements.forgetUnits.run(id)
      this.statements.orphanChildren.run(id)
      this.statements.dropBlobs.run({ id })
      for (const statement of this.statements.byStream) statement.run(id)
      this.statements.runProblems.run(id)
      for (const statement of this.statements.bySession) statement.run(id)
      this.statements.session.run(id)
      if (projectId !== null) this.statements.dropProject.run({ id: projectId })
      return [{ id, uid: session.uid, copyKeys }]
    })
  }

  /** Runs `work` so that what it deletes is overwritten, then empties the write-ahead log of what it held. */
  securely<T>(work: () => T): T {
    const { sqlite } = this.store
    sqlite.pragma('secure_delete = ON')
    try {
      return work()
    } finally {
      sqlite.pragma('secure_delete = OFF')
    }
  }

  /** Whether the write-ahead log could be emptied: readers that are still in a statement keep it. */
  truncateLog(): boolean {
    const rows: unknown = this.store.sqlite.pragma('wal_checkpoint(TRUNCATE)')
    return at(asArray(rows)[0], 'busy') === 0
  }
}
