import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createOpencode } from '../../../src/adapters/opencode/index.ts'
import { Reader, tempDir } from '../read-all.ts'
import { OpencodeDatabase, T0, textPart, user } from './store.ts'
import { OpencodeTree } from './tree.ts'

/** A session `ses_both` in tree and database, and one in each alone. */
function seed() {
  const dir = tempDir()
  const db = new OpencodeDatabase(join(dir, 'opencode.db'), '1.2')
  const tree = new OpencodeTree(join(dir, 'storage'))
  db.session('ses_both', { title: 'From the database', time_updated: T0 + 1000 }).message('ses_both', 'msg_1', user(T0))
  db.session('ses_db').message('ses_db', 'msg_db', user(T0))
  tree.session('ses_both', { title: 'From the tree', time: { created: T0, updated: T0 + 500 } })
  tree.message('ses_both', 'msg_1', user(T0))
  tree.session('ses_tree', { title: 'Only in the tree' }).message('ses_tree', 'msg_tree', user(T0))
  return { dir, db, tree, reader: new Reader(createOpencode(), dir) }
}

const title = (reader: Reader, id: string): string | undefined => reader.session(id).session?.title?.text

describe('a session in the tree and in a database', () => {
  it('is taken from the database, and the tree fills the gaps', async () => {
    const { reader } = seed()
    const { discovery } = await reader.sync()
    expect(discovery.units.map(({ sessionId }) => sessionId).sort()).toEqual(['ses_both', 'ses_db', 'ses_tree'])
    expect([title(reader, 'ses_both'), title(reader, 'ses_tree')]).toEqual(['From the database', 'Only in the tree'])
    expect([discovery.superseded, discovery.warnings]).toEqual([1, []])
    expect(discovery.generations).toEqual(['sqlite', 'json-tree'])
  })

  it('is taken from the tree when that was updated later', async () => {
    const { tree, reader } = seed()
    tree.session('ses_both', { title: 'Later', time: { created: T0, updated: T0 + 5000 } })
    utimesSync(join(tree.storage, 'session', 'prj', 'ses_both.json'), new Date(), new Date())
    const { discovery } = await reader.sync()
    expect([title(reader, 'ses_both'), discovery.superseded]).toEqual(['Later', 1])
    expect((await reader.sync()).pending).toEqual([])
    // A change of the database alone doesn't bring its copy back.
    const partial = await reader.discover({ changedPaths: [join(tree.storage, '..', 'opencode.db-wal')] })
    expect(partial.units.map(({ sessionId }) => sessionId)).toEqual(['ses_db'])
  })

  it('is taken from the database when the tree is a fresh copy of old files', async () => {
    const { tree, reader } = seed()
    utimesSync(join(tree.storage, 'session', 'prj', 'ses_both.json'), new Date(), new Date())
    await reader.sync()
    expect(title(reader, 'ses_both')).toBe('From the database')
  })

  it('is warned of when the copy that does not count has messages that the other lacks', async () => {
    const { tree, reader } = seed()
    tree.message('ses_both', 'msg_lost', user(T0 + 3))
    const { discovery } = await reader.sync()
    expect(discovery.warnings).toMatchObject([{ code: 'SUPERSEDED_COPY_HAS_MORE' }])
    expect(discovery.warnings[0]?.message).toContain('ses_both')
  })
})

describe('a database that can not be opened', () => {
  it('is a problem, lets the copies of the tree in, and heals', async () => {
    const { dir, db, reader } = seed()
    db.close()
    const path = join(dir, 'opencode.db')
    renameSync(path, `${path}.good`)
    writeFileSync(path, 'this is no database, however long it may be: '.repeat(100))
    const sick = await reader.sync()
    expect(sick.problems).toMatchObject([{ kind: 'IO', location: path }])
    expect(sick.discovery.unreadable).toEqual([`${path}#`])
    expect(title(reader, 'ses_both')).toBe('From the tree')
    renameSync(`${path}.good`, path)
    const healed = await reader.sync()
    expect(healed.problems).toEqual([])
    expect(healed.discovery.superseded).toBe(1)
    expect(title(reader, 'ses_both')).toBe('From the database')
  })

  it('is UNSUPPORTED with other tables, never without sessions', async () => {
    const { dir, db, reader } = seed()
    db.sql.exec('alter table part rename to piece')
    const { problems, discovery } = await reader.sync()
    expect(problems).toMatchObject([{ kind: 'UNSUPPORTED', location: join(dir, 'opencode.db') }])
    expect(discovery.unreadable).toEqual([`${join(dir, 'opencode.db')}#`])
  })
})

describe('several databases', () => {
  it('give a session as the one that updated it last has it', async () => {
    const { dir, reader } = seed()
    const other = new OpencodeDatabase(join(dir, 'opencode-beta.db'))
    other.session('ses_both', { title: 'From beta', time_updated: T0 + 9000 }).message('ses_both', 'msg_1', user(T0))
    other.session('ses_beta')
    const { discovery } = await reader.sync()
    expect(title(reader, 'ses_both')).toBe('From beta')
    expect(discovery.units).toHaveLength(4)
    expect(discovery.superseded).toBe(2)
  })

  it('without rows do not hide the tree', async () => {
    const dir = tempDir()
    new OpencodeDatabase(join(dir, 'opencode.db'), '1.2')
    new OpencodeTree(join(dir, 'storage')).session('ses_old').message('ses_old', 'msg_1', user(T0))
    const reader = new Reader(createOpencode(), dir)
    await reader.sync()
    expect([...reader.sessions.keys()]).toEqual(['ses_old'])
  })
})

describe('watching', () => {
  it('looks at the database only when its log changed', async () => {
    const { dir, db, reader } = seed()
    await reader.sync()
    db.part('ses_db', 'msg_db', 'prt_x', textPart('x'))
    const { discovery, pending } = await reader.sync({ changedPaths: [join(dir, 'opencode.db-wal')] })
    expect(pending.map(({ sessionId }) => sessionId)).toEqual(['ses_db'])
    expect(discovery.isComplete).toBe(false)
    expect((await reader.sync()).pending).toEqual([])
  })

  it('walks no more than the sessions of interest when a big database changes', async () => {
    const dir = tempDir()
    const db = new OpencodeDatabase(join(dir, 'opencode.db'))
    db.sql.transaction(() => {
      for (let n = 0; n < 400; n++)
        db.session(`ses_${n}`, { time_updated: T0 + n }).message(`ses_${n}`, `msg_${n}`, user(T0 + n))
    })()
    const reader = new Reader(createOpencode(), dir)
    await reader.sync()
    db.part('ses_7', 'msg_7', 'prt_new', textPart('news'))
    db.session('ses_new', { time_updated: T0 + 999 })
    db.set('session', 'ses_9', { title: 'Renamed', time_updated: T0 + 1000 })
    mkdirSync(join(dir, 'storage', 'session_diff'), { recursive: true })
    writeFileSync(join(dir, 'storage', 'session_diff', 'ses_3.json'), '[]')
    const changedPaths = [join(dir, 'opencode.db-wal'), join(dir, 'storage', 'session_diff', 'ses_3.json')]
    const onlyDatabase = await reader.discover({ changedPaths: changedPaths.slice(0, 1) })
    expect(onlyDatabase.units.length).toBeLessThan(100)
    const { discovery, pending } = await reader.sync({ changedPaths })
    expect(pending.map(({ sessionId }) => sessionId).sort()).toEqual(['ses_3', 'ses_7', 'ses_9', 'ses_new'])
    expect(discovery.isComplete).toBe(false)
    const later = await reader.sync()
    expect([later.pending, later.discovery.units.length, later.discovery.isComplete]).toEqual([[], 401, true])
  })

  it('looks at everything when the data directory itself changed', async () => {
    const { dir, reader } = seed()
    await reader.sync()
    const { discovery } = await reader.sync({ changedPaths: [dir] })
    expect([discovery.units.length, discovery.isComplete]).toEqual([3, true])
  })

  it('watches few directories', () => {
    const { dir, reader } = seed()
    const names = ['.', 'storage', 'storage/session', 'storage/session/prj', 'storage/message']
    const expected = names.map((name) => join(dir, name)).filter((path) => existsSync(path))
    expect([...reader.adapter.watchPaths(dir)].sort()).toEqual(expected.sort())
    rmSync(join(dir, 'storage'), { recursive: true })
    expect(reader.adapter.watchPaths(dir)).toEqual([dir])
  })
})
