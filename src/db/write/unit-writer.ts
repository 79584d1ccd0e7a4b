import { type Block, decodeBlock, encodeBlock } from '../archive/codec.ts'
import type { Store } from '../open.ts'

/** What the store knows of a unit. */
export interface KnownUnit {
  readonly id: number
  readonly key: string
  readonly stamp: string | null
  readonly sessionId: number | null
  /** 1 when it was gone at its source at the last look. */
  readonly isMissing: number
}

/** Units and their cursors, which are stored byte for byte and in the transaction of what they stand for (design §4.3). */
export class UnitWriter {
  private readonly statements

  constructor(store: Store) {
    const { sqlite } = store
    this.statements = {
      ofRoot: sqlite.prepare<[number], KnownUnit>(`
        select id, key, stamp, session_id as sessionId, is_missing as isMissing from units where root_id = ?`),
      find: sqlite.prepare<[number, string], KnownUnit>(`
        select id, key, stamp, session_id as sessionId, is_missing as isMissing from units where root_id = ? and key = ?`),
      cursor: sqlite.prepare<[number, string], Block>(
        'select c.codec, c.data from units u join cursors c on c.unit_id = u.id where u.root_id = ? and u.key = ?',
      ),
      setStamp: sqlite.prepare<[string, number]>('update units set stamp = ? where id = ?'),
      hasSessions: sqlite.prepare<[number], { found: number }>(
        'select 1 as found from units where root_id = ? and session_id is not null limit 1',
      ),
      ensure: sqlite.prepare<[number, string]>(
        'insert into units (root_id, key, is_missing) values (?, ?, 0) on conflict do nothing',
      ),
      id: sqlite.prepare<[number, string], { id: number }>('select id from units where root_id = ? and key = ?'),
      setCursor: sqlite.prepare<[number, number, Buffer]>(`
        insert into cursors (unit_id, codec, data) values (?, ?, ?)
        on conflict do update set codec = excluded.codec, data = excluded.data`),
      setSession: sqlite.prepare<[number, number, number]>(
        'update units set session_id = ? where id = ? and session_id is not ?',
      ),
      setMissing: sqlite.prepare<[number, number]>('update units set is_missing = ? where id = ?'),
      sourceMissing: sqlite.prepare<[number, number], { id: number }>(`
        update sessions set is_source_missing = not exists (select 1 from units where session_id = sessions.id and is_missing = 0)
        where id = ? and is_source_missing <> not exists (select 1 from units where session_id = ? and is_missing = 0)
        returning id`),
    }
  }

  ofRoot(rootId: number): Map<string, KnownUnit> {
    const units = new Map<string, KnownUnit>()
    for (const row of this.statements.ofRoot.all(rootId)) units.set(row.key, row)
    return units
  }

  find(rootId: number, key: string): KnownUnit | undefined {
    return this.statements.find.get(rootId, key)
  }

  /** Cursors are long and rarely asked for, so they are read one by one. */
  cursor(rootId: number, key: string): string | null {
    const block = this.statements.cursor.get(rootId, key)
    return block === undefined ? null : (decodeBlock(block, 1)[0]?.toString('utf8') ?? null)
  }

  setStamp(id: number, stamp: string): void {
    this.statements.setStamp.run(stamp, id)
  }

  /** Whether sessions were ever read from a root. */
  hasSessions(rootId: number): boolean {
    return this.statements.hasSessions.get(rootId) !== undefined
  }

  /** Row id of a unit, made if it is missing. */
  id(rootId: number, key: string): number {
    this.statements.ensure.run(rootId, key)
    const row = this.statements.id.get(rootId, key)
    if (row === undefined) throw new Error('A unit that was just stored is not there.')
    return row.id
  }

  setCursor(id: number, cursor: string): void {
    const { codec, data } = encodeBlock([Buffer.from(cursor)])
    this.statements.setCursor.run(id, codec, data)
  }

  setSession(id: number, sessionId: number): void {
    this.statements.setSession.run(sessionId, id, sessionId)
  }

  /** Notes that units are gone at their source, or back; returns the sessions whose `isSourceMissing` changed by it. */
  setMissing(units: readonly KnownUnit[], isMissing: boolean): number[] {
    const changed: number[] = []
    for (const { id, sessionId } of units) {
      this.statements.setMissing.run(isMissing ? 1 : 0, id)
      if (sessionId !== null)
        changed.push(...this.statements.sourceMissing.all(sessionId, sessionId).map((row) => row.id))
    }
    return changed
  }
}
