import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { ProbeEnv } from '../contract.ts'

/** What a root holds, whatever level of Codex's directories it names. */
export interface Layout {
  /** CODEX_HOME. */
  readonly home: string
  /** Directories of rollouts to look into. */
  readonly directories: readonly { readonly path: string; readonly isArchive: boolean }[]
}

const DEFAULT_DIR = '.codex'
const SESSIONS = 'sessions'
const ARCHIVE = 'archived_sessions'
const SIGNS = [SESSIONS, ARCHIVE, 'session_index.jsonl', 'config.toml']

/** `CODEX_HOME`, else the directory in the person's home. */
export function defaultRoots({ home, variables }: ProbeEnv): readonly string[] {
  const named = variables['CODEX_HOME']
  return [named !== undefined && isAbsolute(named) ? named : join(home, DEFAULT_DIR)]
}

/** A root may be CODEX_HOME, its `sessions` or `archived_sessions`, or a home directory that holds the default one. */
export function layoutOf(root: string): Layout {
  const path = resolve(root)
  const name = basename(path)
  if (name === SESSIONS || name === ARCHIVE)
    return { home: dirname(path), directories: [{ path, isArchive: name === ARCHIVE }] }
  const names = namesIn(path)
  const inHome = join(path, DEFAULT_DIR)
  const isHome = !SIGNS.some((sign) => names.includes(sign)) && isDirectory(inHome)
  const home = isHome ? inHome : path
  return {
    home,
    directories: [
      { path: join(home, SESSIONS), isArchive: false },
      { path: join(home, ARCHIVE), isArchive: true },
    ],
  }
}

/** Codex writes into the newest days' directories; a resumed older thread shows in the index, and at the next full look. */
const DAYS_WATCHED = 14

/** The home for its index, the archive, and the newest days. */
export function directoriesToWatch(root: string): readonly string[] {
  const { home, directories } = layoutOf(root)
  const live = directories.filter(({ isArchive }) => !isArchive).map(({ path }) => path)
  const days = live.flatMap((path) => newest(path, 3, DAYS_WATCHED))
  const parents = days.flatMap((day) => [dirname(day), dirname(dirname(day))])
  return [...new Set([home, ...directories.map(({ path }) => path), ...parents, ...days])].filter(isDirectory)
}

/** The newest directories `depth` levels below `path`, whose names sort by time. */
function newest(path: string, depth: number, most: number): string[] {
  const inside = namesIn(path)
    .filter((name) => /^\d+$/.test(name))
    .sort()
    .reverse()
  const found: string[] = []
  for (const name of inside) {
    if (found.length >= most) break
    const below = join(path, name)
    if (depth === 1) found.push(below)
    else found.push(...newest(below, depth - 1, most - found.length))
  }
  return found
}

export const namesIn = (path: string): readonly string[] => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}
