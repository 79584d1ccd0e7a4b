import { statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { ProbeEnv } from '../contract.ts'

/** What a root holds, whatever level of the harness's directories it names. */
export interface Layout {
  /** DSH_HOME, for attachments. */
  readonly home: string
  /** Directory of projects, or one project alone. */
  readonly sessions: string
}

const DEFAULT_DIR = '.dsh'
const SESSIONS = 'sessions'

/** `DSH_HOME`, else the directory in the person's home. */
export function defaultRoots({ home, variables }: ProbeEnv): readonly string[] {
  const named = variables['DSH_HOME']?.trim() ?? ''
  return [isAbsolute(named) ? named : join(home, DEFAULT_DIR)]
}

/** A project's directory: its path in a form of its own, or what stands for none. */
export const isProject = (path: string): boolean => /^(--.*--|_no-cwd)$/s.test(basename(path))

/** A root may be DSH_HOME, its `sessions`, another directory of projects, one project, or a home directory that holds the default one. */
export function layoutOf(root: string): Layout {
  const path = resolve(root)
  if (isProject(path)) return { home: dirname(dirname(path)), sessions: path }
  if (basename(path) === SESSIONS) return { home: dirname(path), sessions: path }
  if (isDirectory(join(path, SESSIONS))) return { home: path, sessions: join(path, SESSIONS) }
  const inHome = join(path, DEFAULT_DIR)
  if (isDirectory(inHome)) return { home: inHome, sessions: join(inHome, SESSIONS) }
  return { home: dirname(path), sessions: path }
}

export const isDirectory = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}
