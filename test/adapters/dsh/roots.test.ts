import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dsh } from '../../../src/adapters/dsh/index.ts'
import { Reader, tempDir } from '../read-all.ts'
import { id, Log } from './log.ts'

function put(sessions: string, project: string, n: number): string {
  const log = new Log({ n }).asks('Hi')
  const path = join(sessions, project, id(n), log.name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, log.text)
  return path
}

async function found(root: string): Promise<readonly string[]> {
  const reader = new Reader(dsh, root)
  await reader.sync()
  return [...reader.sessions.keys()].sort()
}

describe('roots of DeepSeek Harness', () => {
  it('may be the home, the directory in it, its sessions, or a project', async () => {
    const home = tempDir()
    const sessions = join(home, '.dsh', 'sessions')
    put(sessions, '--home-ada-app--', 1)
    put(sessions, '_no-cwd', 2)
    for (const root of [home, join(home, '.dsh'), sessions]) expect(await found(root)).toEqual([id(1), id(2)])
    expect(await found(join(sessions, '--home-ada-app--'))).toEqual([id(1)])
    expect(await found(join(sessions, '_no-cwd'))).toEqual([id(2)])
  })

  it('may be a directory of projects of any name', async () => {
    const elsewhere = join(tempDir(), 'logs')
    put(elsewhere, '--home-ada-app--', 1)
    expect(await found(elsewhere)).toEqual([id(1)])
  })

  it('are probed by the variable of the harness, where it names a directory', () => {
    const probe = (value: string | undefined) => dsh.probe({ home: '/home/ada', variables: { DSH_HOME: value } })
    expect([probe(undefined), probe('  '), probe('/elsewhere')]).toEqual([
      ['/home/ada/.dsh'],
      ['/home/ada/.dsh'],
      ['/elsewhere'],
    ])
  })

  it('are watched where sessions are written, and where new ones appear', () => {
    const root = join(tempDir(), '.dsh')
    const path = put(join(root, 'sessions'), '--home-ada-app--', 1)
    expect(dsh.watchPaths(root)).toEqual([join(root, 'sessions'), dirname(dirname(path)), dirname(path)])
  })
})
