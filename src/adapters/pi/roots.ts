import { readFileSync, statSync } from 'node:fs'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { stringAt } from '../../model/json.ts'
import type { ProbeEnv } from '../contract.ts'

/** A directory that holds sessions. */
export interface SessionsDir {
  readonly path: string
  /** Which of its own files are sessions: all `.jsonl`, or only those with the names that pi gives. */
  readonly files: 'all' | 'timed'
  /** Which of its directories hold sessions, too: all, those that pi makes for a working directory, or none. */
  readonly directories: 'all' | 'projects' | 'none'
}

/** Below a home directory. */
const DEFAULT_DIR = join('.pi', 'agent')
const SESSIONS = 'sessions'

/** pi's directory, and where its variables or settings say that sessions are kept instead. */
export function defaultRoots({ home, variables }: ProbeEnv): readonly string[] {
  const placed = (path: string | undefined | null): string | null => {
    if (path === undefined || path === null || path === '') return null
    const whole = path === '~' || path.startsWith('~/') ? join(home, path.slice(2)) : path
    return isAbsolute(whole) ? whole : null
  }
  const agentDir = placed(variables['PI_CODING_AGENT_DIR']) ?? join(home, DEFAULT_DIR)
  const sessions = placed(variables['PI_CODING_AGENT_SESSION_DIR']) ?? placed(sessionDirIn(agentDir))
  return sessions === null || sessions === join(agentDir, SESSIONS) ? [agentDir] : [agentDir, sessions]
}

function sessionDirIn(agentDir: string): string | null {
  try {
    return stringAt(JSON.parse(readFileSync(join(agentDir, 'settings.json'), 'utf8')), 'sessionDir')
  } catch {
    return null
  }
}

/** A root may be pi's directory, its `sessions`, a directory of session files, or a home directory that holds the default one. */
export function layoutOf(root: string): readonly SessionsDir[] {
  const path = resolve(root)
  const inHome = join(path, DEFAULT_DIR)
  if (isDirectory(join(path, SESSIONS))) return agentDirectory(path)
  if (isDirectory(inHome)) return agentDirectory(inHome)
  return [{ path, files: 'all', directories: basename(path) === SESSIONS ? 'all' : 'projects' }]
}

/** Early versions put some sessions directly into pi's directory. */
const agentDirectory = (path: string): readonly SessionsDir[] => [
  { path, files: 'timed', directories: 'none' },
  { path: join(path, SESSIONS), files: 'all', directories: 'all' },
]

export const isProjectDir = (name: string): boolean => /^--.*--$/s.test(name)

export const isDirectory = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}
