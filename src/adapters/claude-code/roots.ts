import { readdirSync, statSync } from 'node:fs'
import { basename, isAbsolute, join, resolve } from 'node:path'
import type { ProbeEnv } from '../contract.ts'

/** What a root holds, whatever level of the client's directories it names. */
export interface Layout {
  /** Directory of all transcripts, whether it exists or not. */
  readonly projects: string
  /** Directory of settings and of the history of prompts; null when the root is `projects` itself. */
  readonly configDir: string | null
}

const DEFAULT_DIR = '.claude'

/** `CLAUDE_CONFIG_DIR` may name several, with commas between. */
export function defaultRoots({ home, variables }: ProbeEnv): readonly string[] {
  const named = (variables['CLAUDE_CONFIG_DIR'] ?? '').split(',').map((path) => path.trim())
  const roots = [...new Set(named.filter(isAbsolute))]
  return roots.length > 0 ? roots : [join(home, DEFAULT_DIR)]
}

/** A root may be `.claude` (by any name), its `projects`, or a home directory that holds the default one. */
export function layoutOf(root: string): Layout {
  const path = resolve(root)
  if (isDirectory(join(path, 'projects'))) return { projects: join(path, 'projects'), configDir: path }
  if (basename(path) === 'projects') return { projects: path, configDir: null }
  const inHome = join(path, DEFAULT_DIR)
  const configDir = isDirectory(inHome) ? inHome : path
  return { projects: join(configDir, 'projects'), configDir }
}

/** Session directories that are watched for sub-agents: those that changed last. */
const MOST_WATCHED = 32
const SIDE_DIRECTORIES = ['', 'subagents', 'workflows']

/** The directories of all projects, and those with the sub-agents of recent sessions. */
export function directoriesToWatch(root: string): readonly string[] {
  const { projects, configDir } = layoutOf(root)
  const inProjects = directoriesIn(projects)
  const sessions = inProjects
    .flatMap(directoriesIn)
    .map((path) => ({ path, changed: changedAt(path) }))
    .sort((a, b) => b.changed - a.changed)
    .slice(0, MOST_WATCHED)
  const aside = sessions.flatMap(({ path }) => SIDE_DIRECTORIES.map((name) => join(path, name)))
  const runs = sessions.flatMap(({ path }) => directoriesIn(join(path, 'subagents', 'workflows')))
  const all = [...(configDir === null ? [] : [configDir]), projects, ...inProjects, ...aside, ...runs]
  return [...new Set(all)].filter(isDirectory)
}

function directoriesIn(path: string): readonly string[] {
  try {
    return readdirSync(path)
      .map((name) => join(path, name))
      .filter(isDirectory)
  } catch {
    return []
  }
}

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

export function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}
