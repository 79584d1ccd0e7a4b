import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { RECORD_CAP_BYTES } from '../../../src/model/record.ts'
import type { Damage } from '../../conformance/suite.ts'

/** Ways to damage each row of a fixture's database, one at a time. */
export function databaseDamages(root: string): readonly Damage[] {
  const path = join(root, 'opencode.db')
  const rows = withDatabase(path, (db) =>
    (['message', 'part'] as const).flatMap((table) =>
      db
        .prepare<[], { id: string }>(`select id from ${table}`)
        .all()
        .map(({ id }) => ({ table, id })),
    ),
  )
  const first = rows.find(({ table }) => table === 'part')
  if (first === undefined) throw new Error('the fixture has no rows')
  const set =
    (table: string, id: string, sql: string, value: string): Damage['apply'] =>
    (at) =>
      withDatabase(join(at, 'opencode.db'), (db) =>
        db.prepare(`update ${table} set ${sql} where id = ?`).run(value, id),
      )
  const torn = rows.map(
    ({ table, id }): Damage => ({
      name: `${table} ${id} torn`,
      apply: set(table, id, 'data = substr(data, 1, length(data) - 1) || ?', ''),
      costs: id,
      problem: 'PARSE',
    }),
  )
  return [
    ...torn,
    {
      name: 'a hostile id',
      apply: set(first.table, first.id, 'id = ?', '../evil'),
      costs: first.id,
      problem: 'HOSTILE_ID',
    },
    {
      name: 'a huge record',
      apply: set(first.table, first.id, 'data = ?', JSON.stringify({ text: 'x'.repeat(RECORD_CAP_BYTES) })),
      costs: first.id,
      problem: 'OVERSIZE',
    },
  ]
}

/** The same for each file of a tree. */
export function treeDamages(root: string): readonly Damage[] {
  const files = ['message', 'part'].flatMap((group) => filesBelow(join(root, 'storage', group)))
  const first = files.at(-1)
  if (first === undefined) throw new Error('the fixture has no files')
  const write =
    (path: string, content: (text: string) => string): Damage['apply'] =>
    (at) => {
      const file = join(at, path.slice(root.length))
      writeFileSync(file, content(readFileSync(file, 'utf8')))
    }
  const id = basename(first, '.json')
  const torn = files.map(
    (path): Damage => ({
      name: `${basename(path)} torn`,
      apply: write(path, (text) => text.slice(0, -1)),
      costs: basename(path, '.json'),
      problem: 'PARSE',
    }),
  )
  return [
    ...torn,
    {
      name: 'a hostile id',
      apply: write(first, (text) => text.replace(`"${id}"`, '"../evil"')),
      costs: id,
      problem: 'HOSTILE_ID',
    },
    {
      name: 'a huge record',
      apply: write(first, () => JSON.stringify({ id, text: 'x'.repeat(RECORD_CAP_BYTES) })),
      costs: id,
      problem: 'OVERSIZE',
    },
  ]
}

const filesBelow = (path: string): string[] =>
  readdirSync(path).flatMap((name) =>
    statSync(join(path, name)).isDirectory() ? filesBelow(join(path, name)) : [join(path, name)],
  )

function withDatabase<T>(path: string, use: (db: Database.Database) => T): T {
  const db = new Database(path)
  try {
    return use(db)
  } finally {
    db.close()
  }
}
