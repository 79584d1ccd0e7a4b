import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pi } from '../../../src/adapters/pi/index.ts'
import { Reader, tempDir } from '../read-all.ts'
import { entry, header, jsonl, user } from './files.ts'

function put(path: string, id: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, jsonl([header({ id }), entry(1, null, user(id))]))
}
const named = (id: string): string => `2026-03-01T09-00-01-000Z_${id}.jsonl`

async function found(root: string): Promise<readonly string[]> {
  const reader = new Reader(pi, root)
  await reader.sync()
  return [...reader.sessions.keys()].sort()
}

describe('roots of pi', () => {
  it('may be the home, the agent directory, its sessions, a project or a flat directory', async () => {
    const home = tempDir()
    const agent = join(home, '.pi', 'agent')
    put(join(agent, 'sessions', '--a--', named('s1')), 's1')
    put(join(agent, named('s2')), 's2')
    put(join(agent, 'sessions', 'other', 'any name.jsonl'), 's3')
    writeFileSync(join(agent, 'history.jsonl'), '{}\n')
    expect(await found(home)).toEqual(['s1', 's2', 's3'])
    expect(await found(agent)).toEqual(['s1', 's2', 's3'])
    expect(await found(join(agent, 'sessions'))).toEqual(['s1', 's3'])
    expect(await found(join(agent, 'sessions', '--a--'))).toEqual(['s1'])
    expect(await found(join(agent, 'sessions', 'other'))).toEqual(['s3'])
  })

  it('are probed by the variables and the settings of pi', () => {
    const home = tempDir()
    expect(pi.probe({ home, variables: {} })).toEqual([join(home, '.pi/agent')])
    const variables = { PI_CODING_AGENT_DIR: '~/x', PI_CODING_AGENT_SESSION_DIR: '/s' }
    expect(pi.probe({ home, variables })).toEqual([join(home, 'x'), '/s'])
    put(join(home, '.pi/agent/sessions', '--a--', named('s1')), 's1')
    writeFileSync(join(home, '.pi/agent/settings.json'), '{"sessionDir":"/elsewhere"}')
    expect(pi.probe({ home, variables: {} })).toEqual([join(home, '.pi/agent'), '/elsewhere'])
  })

  it('sessions behind links of projects do not vanish; loops and other links are told', async () => {
    const root = join(tempDir(), 'sessions')
    const outside = tempDir()
    put(join(root, '--a--', named('s1')), 's1')
    put(join(outside, named('s2')), 's2')
    symlinkSync(outside, join(root, '--linked--'))
    symlinkSync(root, join(root, '--loop--'))
    symlinkSync(join(root, '--a--'), join(root, '--again--'))
    symlinkSync(join(outside, named('s2')), join(root, '--a--', 'link.jsonl'))
    symlinkSync('/nowhere/at/all', join(root, '--gone--'))
    const reader = new Reader(pi, root)
    const { problems } = await reader.sync()
    expect([...reader.sessions.keys()].sort()).toEqual(['s1', 's2'])
    expect(problems.map(({ location }) => location.slice(root.length + 1)).sort()).toEqual([
      '--a--/link.jsonl',
      '--again--',
      '--gone--',
      '--loop--',
    ])
    expect(pi.watchPaths(root)).toEqual([root, join(root, '--a--'), join(root, '--linked--')])
  })

  it('are looked at only where something changed, newest first', async () => {
    const root = join(tempDir(), 'sessions')
    put(join(root, '--a--', named('s1')), 's1')
    put(join(root, '--b--', named('s2')), 's2')
    const reader = new Reader(pi, root)
    const keys = async (changedPaths: readonly string[] | null) => {
      const { units, isComplete } = await reader.discover({ changedPaths })
      return [units.map(({ sessionId }) => sessionId).sort(), isComplete]
    }
    expect(await keys(null)).toEqual([['s1', 's2'], true])
    expect(await keys([])).toEqual([[], false])
    expect(await keys([join(root, '--b--')])).toEqual([['s2'], false])
    expect(await keys([join(root, '--a--', named('s1')), '/foreign'])).toEqual([['s1'], false])
  })

  it('a project whose directory is named with blanks and emoji is read', async () => {
    const root = join(tempDir(), 'sessions')
    put(join(root, '--home-my projekt ünï 日本 🚀--', named('s1')), 's1')
    expect(await found(root)).toEqual(['s1'])
  })
})
