import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { ProbeEnv } from '../contract.ts'

/** What a root holds, whatever level of opencode's directories it names. */
export interface Layout {
  /** Every `opencode*.db` of the data directory, or the one file that the root is. */
  readonly databases: readonly string[]
  /** Directory of the JSON tree, whether there is one or not; null when the root is a database. */
  readonly storage: string | null
  /** Directory with `tool-output/` and `storage/session_diff/`. */
  readonly dataDir: string
}

const DATABASE_NAME = /^opencode.*\.db$/
/** Below a home directory, unless the XDG variables say otherwise. */
const DEFAULT_DIR = join('.local', 'share', 'opencode')

/** Where opencode keeps its data by default, and the database that `OPENCODE_DB` names. */
export function defaultRoots({ home, variables }: ProbeEnv): readonly string[] {
  const xdg = variables['XDG_DATA_HOME']
  const dataDir = xdg !== undefined && isAbsolute(xdg) ? join(xdg, 'opencode') : join(home, DEFAULT_DIR)
  const database = variables['OPENCODE_DB']
  if (database === undefined || !isAbsolute(database)) return [dataDir]
  return dirname(database) === dataDir && DATABASE_NAME.test(basename(database)) ? [dataDir] : [dataDir, database]
}

/**
 * A root may be the data directory, its `storage`, a bare tree, a database file, or a home directory that holds the default
 * one. What doesn't exist yet is an empty data directory.
 */
export function layoutOf(root: string): Layout {
  const path = resolve(root)
  if (isFile(path)) return { databases: [path], storage: null, dataDir: dirname(path) }
  const names = namesIn(path)
  if (names.some((name) => DATABASE_NAME.test(name)) || names.includes('storage')) return dataDirectory(path, names)
  if (names.includes('session') || basename(path) === 'storage') {
    const siblings = namesIn(dirname(path))
    return basename(path) === 'storage' && siblings.some((name) => DATABASE_NAME.test(name))
      ? dataDirectory(dirname(path), siblings)
      : { databases: [], storage: path, dataDir: basename(path) === 'storage' ? dirname(path) : path }
  }
  const inHome = join(path, DEFAULT_DIR)
  return isDirectory(inHome) ? dataDirectory(inHome, namesIn(inHome)) : dataDirectory(path, names)
}

function dataDirectory(path: string, names: readonly string[]): Layout {
  const databases = names.filter((name) => DATABASE_NAME.test(name)).sort()
  return { databases: databases.map((name) => join(path, name)), storage: join(path, 'storage'), dataDir: path }
}

/** Few directories, none of them one per message: what changes inside those shows in the session's own file. */
export function directoriesToWatch(root: string): readonly string[] {
  const { databases, storage, dataDir } = layoutOf(root)
  const sessions = storage === null ? null : join(storage, 'session')
  const inTree =
    storage === null || sessions === null
      ? []
      : [
          storage,
          sessions,
          ...namesIn(sessions).map((name) => join(sessions, name)),
          join(storage, 'message'),
          join(storage, 'part'),
        ]
  return [...new Set([dataDir, ...databases.map((path) => dirname(path)), ...inTree])].filter(isDirectory)
}

export const namesIn = (path: string): readonly string[] => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
const isDirectory = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}
