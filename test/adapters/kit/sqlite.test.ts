import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ForeignDatabase, type ForeignDatabaseOptions } from '../../../src/adapters/kit/sqlite.ts'
import { BusyError, DatabaseError } from '../../../src/adapters/kit/sqlite-errors.ts'
import { DatabasePool } from '../../../src/adapters/kit/sqlite-pool.ts'
import { tempDir } from '../read-all.ts'

/** A database in WAL mode, kept open by its owner with rows that stand in the log only. */
function inUse() {
  const path = join(tempDir(), 'foreign.db')
  const owner = new Database(path)
  owner.pragma('journal_mode = wal')
  owner.pragma('wal_autocheckpoint = 0')
  owner.exec('create table t (x integer); insert into t values (1), (2)')
  return { path, owner }
}

async function open(path: string, options: ForeignDatabaseOptions = {}): Promise<ForeignDatabase> {
  const database = await ForeignDatabase.open(path, options)
  onTestFinished(() => database.close())
  return database
}

const count = (database: ForeignDatabase): Promise<unknown> =>
  database.read((query) => query.get('select count(*) as n from t')?.['n'])
const stateOf = (directory: string) =>
  readdirSync(directory).map((name) => [
    name,
    readFileSync(join(directory, name)).toString('base64').length,
    statSync(join(directory, name)).mtimeMs,
  ])
/** Permissions of the directories that hold private copies now. */
const copyModes = (): (number | undefined)[] =>
  readdirSync(tmpdir())
    .filter((name) => name.startsWith('weir-'))
    .map((name) => statSync(join(tmpdir(), name), { throwIfNoEntry: false })?.mode)
    .map((mode) => (mode === undefined ? undefined : mode & 0o777))

describe('a foreign database', () => {
  it('in use is read with everything that stands in its log', async () => {
    const { path, owner } = inUse()
    const database = await open(path)
    expect([database.isSnapshot, await count(database)]).toEqual([false, 2])
    owner.exec('insert into t values (3)')
    expect(await count(database)).toBe(3)
  })

  it('is not checkpointed, and its files stay as they are', async () => {
    const { path, owner } = inUse()
    const before = statSync(path)
    const log = readFileSync(`${path}-wal`)
    const database = await open(path)
    await count(database)
    database.close()
    expect(statSync(path)).toMatchObject({ size: before.size, mtimeMs: before.mtimeMs })
    expect(readFileSync(`${path}-wal`)).toEqual(log)
    owner.close()
  })

  it('that nobody uses is read from a private copy, and nothing is left beside it', async () => {
    const { path, owner } = inUse()
    owner.close()
    const directory = join(path, '..')
    const before = stateOf(directory)
    const database = await open(path)
    expect([database.isSnapshot, await count(database)]).toEqual([true, 2])
    expect(stateOf(directory)).toEqual(before)
    expect(copyModes()).toContain(0o700)
    database.close()
    expect(stateOf(directory)).toEqual(before)
  })

  it('as found, with its log but without shared memory, shows what stands in the log', async () => {
    const { path } = inUse()
    const found = join(tempDir(), 'found.db')
    copyFileSync(path, found)
    copyFileSync(`${path}-wal`, `${found}-wal`)
    const database = await open(found)
    expect([database.isSnapshot, await count(database)]).toEqual([true, 2])
    expect(readdirSync(join(found, '..')).sort()).toEqual(['found.db', 'found.db-wal'])
  })

  it('without a log of its own is read in place', async () => {
    const path = join(tempDir(), 'rollback.db')
    new Database(path).exec('create table t (x integer)').close()
    const database = await open(path)
    expect([database.isSnapshot, await count(database)]).toEqual([false, 0])
    expect(readdirSync(join(path, '..'))).toEqual(['rollback.db'])
  })

  it('that is busy for a while is waited for, and given up with a word of its own', async () => {
    const path = join(tempDir(), 'busy.db')
    const owner = new Database(path)
    owner.exec('create table t (x integer)')
    const patient = await open(path, { timeoutMs: 1, retryMs: [20, 40, 80, 160, 320] })
    const hasty = await open(path, { timeoutMs: 1, retryMs: [1, 1] })
    owner.exec('begin exclusive')
    setTimeout(() => owner.exec('commit'), 100)
    await expect(count(hasty)).rejects.toBeInstanceOf(BusyError)
    expect(await count(patient)).toBe(0)
    owner.close()
  })

  it('that is none, or is not there, is an error that says so', async () => {
    const path = join(tempDir(), 'text.db')
    writeFileSync(path, 'no database at all, but long enough to look like a file of some kind '.repeat(20))
    await expect(ForeignDatabase.open(path)).rejects.toBeInstanceOf(DatabaseError)
    await expect(ForeignDatabase.open(join(path, '..', 'gone.db'))).rejects.toBeInstanceOf(DatabaseError)
    mkdirSync(`${path}.dir`)
    await expect(ForeignDatabase.open(`${path}.dir`)).rejects.toBeInstanceOf(DatabaseError)
    await expect(ForeignDatabase.open(path)).rejects.toThrow(path)
  })

  it('refuses to be written', async () => {
    const { path } = inUse()
    const database = await open(path)
    await expect(database.read((query) => query.all('delete from t returning x'))).rejects.toThrow()
    expect(await count(database)).toBe(2)
  })

  it('is read while another process writes it', async () => {
    const { path, owner } = inUse()
    owner.close()
    const library = join(process.cwd(), 'node_modules/better-sqlite3')
    const script = `const db = new (require(${JSON.stringify(library)}))(${JSON.stringify(path)})
      db.exec('insert into t values (9)'); process.stdout.write('ready'); setInterval(() => db.exec('insert into t values (9)'), 5)`
    const writer = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void writer.kill('SIGKILL'))
    await new Promise((resolve) => writer.stdout.once('data', resolve))
    const database = await open(path)
    const first = Number(await count(database))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(Number(await count(database))).toBeGreaterThan(first)
  })
})

describe('connections of one sync', () => {
  it('are shared, and closed when they have been idle', async () => {
    const { path } = inUse()
    const pool = new DatabasePool({}, 10)
    const one = await pool.acquire(path, true)
    const two = await pool.acquire(path, false)
    expect(two.database).toBe(one.database)
    one.release()
    two.release()
    await new Promise((resolve) => setTimeout(resolve, 40))
    await expect(count(one.database)).rejects.toThrow('closed')
  })

  it('follow a file that was replaced', async () => {
    const { path, owner } = inUse()
    owner.close()
    const pool = new DatabasePool({}, 10)
    const one = await pool.acquire(path, true)
    const other = inUse()
    other.owner.exec('insert into t values (3)')
    other.owner.close()
    rmSync(path)
    copyFileSync(other.path, path)
    const two = await pool.acquire(path, true)
    expect([await count(one.database), await count(two.database)]).toEqual([2, 3])
    one.release()
    two.release()
  })

  it('show a copy as it is now only to those who ask for that', async () => {
    const { path, owner } = inUse()
    owner.close()
    const pool = new DatabasePool({}, 10)
    const old = await pool.acquire(path, true)
    const writer = new Database(path)
    writer.exec('insert into t values (3)')
    writer.close()
    const same = await pool.acquire(path, false)
    const now = await pool.acquire(path, true)
    expect([await count(same.database), await count(now.database)]).toEqual([2, 3])
    for (const lease of [old, same, now]) lease.release()
  })
})
