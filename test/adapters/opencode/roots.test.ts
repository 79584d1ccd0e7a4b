import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createOpencode } from '../../../src/adapters/opencode/index.ts'
import { defaultRoots } from '../../../src/adapters/opencode/roots.ts'
import { Reader, tempDir } from '../read-all.ts'
import { OpencodeDatabase, T0, user } from './store.ts'
import { OpencodeTree } from './tree.ts'

describe('probing', () => {
  it('finds the data directory under HOME or XDG_DATA_HOME', () => {
    expect(defaultRoots({ home: '/home/ann', variables: {} })).toEqual(['/home/ann/.local/share/opencode'])
    expect(defaultRoots({ home: '/home/ann', variables: { XDG_DATA_HOME: '/data' } })).toEqual(['/data/opencode'])
    expect(defaultRoots({ home: '/home/ann', variables: { XDG_DATA_HOME: 'relative' } })).toEqual([
      '/home/ann/.local/share/opencode',
    ])
  })

  it('finds the database that OPENCODE_DB names by an absolute path', () => {
    const roots = (path: string) => defaultRoots({ home: '/home/ann', variables: { OPENCODE_DB: path } })
    expect(roots('/mnt/other.db')).toEqual(['/home/ann/.local/share/opencode', '/mnt/other.db'])
    expect(roots('other.db')).toEqual(['/home/ann/.local/share/opencode'])
    expect(roots('/home/ann/.local/share/opencode/opencode-x.db')).toEqual(['/home/ann/.local/share/opencode'])
  })
})

describe('a root', () => {
  const sessionsOf = async (root: string): Promise<string[]> => {
    const reader = new Reader(createOpencode(), root)
    await reader.sync()
    return [...reader.sessions.keys()].sort()
  }

  function home() {
    const dir = tempDir()
    const data = join(dir, '.local', 'share', 'opencode')
    mkdirSync(data, { recursive: true })
    new OpencodeDatabase(join(data, 'opencode.db')).session('ses_db').message('ses_db', 'msg_1', user(T0)).close()
    new OpencodeTree(join(data, 'storage')).session('ses_tree')
    return { dir, data }
  }

  it('may be the data directory, its storage, or a home directory', async () => {
    const { dir, data } = home()
    for (const root of [data, join(data, 'storage'), dir])
      expect(await sessionsOf(root)).toEqual(['ses_db', 'ses_tree'])
  })

  it('may be a bare tree', async () => {
    const dir = tempDir()
    new OpencodeTree(dir).session('ses_tree').message('ses_tree', 'msg_1', user(T0))
    expect(await sessionsOf(dir)).toEqual(['ses_tree'])
  })

  it('may be a database file of any name', async () => {
    const { data, dir } = home()
    copyFileSync(join(data, 'opencode.db'), join(dir, 'backup.sqlite'))
    expect(await sessionsOf(join(dir, 'backup.sqlite'))).toEqual(['ses_db'])
    expect(await sessionsOf(join(data, 'opencode.db'))).toEqual(['ses_db'])
  })

  it('may be empty or not there', async () => {
    expect(await sessionsOf(tempDir())).toEqual([])
    expect(await sessionsOf('/nowhere/at/all')).toEqual([])
  })
})
