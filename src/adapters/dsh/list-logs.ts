import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Problem } from '../../model/record.ts'
import { idOfSegment, parseLogName } from './log-name.ts'
import { isDirectory, isProject, layoutOf } from './roots.ts'

/** A log as it lies there. */
export interface LogFile {
  readonly path: string
  readonly name: string
  readonly generation: number
  readonly isCompressed: boolean
  readonly size: number
  readonly mtimeMs: number
}

/** The directory of a session, by its name alone. */
export interface SessionPlace {
  readonly path: string
  /** Session id that its name stands for. */
  readonly id: string
}

/** The directory of one session, with all of its generations. */
export interface SessionDir extends SessionPlace {
  /** The one that counts first: the highest generation. */
  readonly logs: readonly LogFile[]
}

/** What a root holds, by names. Directories of sessions are looked into one by one, as they are asked for. */
export interface LogList {
  /** Directories that were looked into and hold others. */
  readonly directories: readonly string[]
  readonly places: readonly SessionPlace[]
  readonly problems: readonly Problem[]
  /** Directories that could not be looked into. */
  readonly unreadable: readonly string[]
  /** The logs of a session, none where there are none; what is wrong there is added to the problems. */
  session(place: SessionPlace): SessionDir
}

/** Every session directory of a root. Links to directories are followed where projects stand, each target once; other links are problems. */
export function listLogs(root: string): LogList {
  const list = new Listing()
  const { sessions } = layoutOf(root)
  if (!isDirectory(sessions)) return list
  if (isProject(sessions)) {
    list.project(sessions)
    return list
  }
  const entries = list.enter(sessions)
  // What stands here in person comes before what is linked to, so that a link to it is the one that is left out.
  for (const entry of entries) if (entry.isDirectory()) list.project(join(sessions, entry.name))
  for (const entry of entries) if (entry.isSymbolicLink()) list.link(join(sessions, entry.name))
  return list
}

class Listing implements LogList {
  readonly directories: string[] = []
  readonly places: SessionPlace[] = []
  readonly problems: Problem[] = []
  readonly unreadable: string[] = []
  readonly #entered = new Set<string>()

  enter(path: string): readonly Dirent[] {
    const entries = this.#read(path, path + sep)
    if (entries === null) return []
    this.#entered.add(realpathSync(path))
    this.directories.push(path)
    return entries
  }

  project(path: string): void {
    for (const entry of this.enter(path)) {
      const below = join(path, entry.name)
      if (entry.isDirectory()) this.places.push({ path: below, id: idOfSegment(entry.name) })
      else if (entry.isSymbolicLink())
        this.#problem('IO', below, 'This is a link; only links to projects are followed.')
      else if (isProject(path) && /\.jsonl(\.zstd)?$/.test(entry.name))
        this.#problem('UNSUPPORTED', below, 'Logs of early releases, which lie beside each other, are not read.')
    }
  }

  link(path: string): void {
    if (!isDirectory(path)) {
      this.#problem('IO', path, 'This link leads to no directory.')
      return
    }
    const target = realpathSync(path)
    const isLoop = [...this.#entered].some((entered) => entered === target || entered.startsWith(target + sep))
    if (isLoop) this.#problem('IO', path, `This link leads to ${target}, which is read already or holds what is.`)
    else this.project(path)
  }

  session(place: SessionPlace): SessionDir {
    const logs = (this.#read(place.path, place.path) ?? []).flatMap((entry) => this.#log(place.path, entry))
    return { ...place, logs: logs.sort(byWeight) }
  }

  #log(directory: string, entry: Dirent): readonly LogFile[] {
    const name = parseLogName(entry.name)
    if (name === null) return []
    const path = join(directory, entry.name)
    if (!entry.isFile()) {
      this.#problem('IO', path, 'This has the name of a log, but is no file.')
      return []
    }
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? [] : [{ path, name: entry.name, ...name, size: stats.size, mtimeMs: stats.mtimeMs }]
  }

  /** `prefix` is that of the units which can't be told of when it fails. What was there a moment ago may be gone. */
  #read(path: string, prefix: string): Dirent[] | null {
    try {
      return readdirSync(path, { withFileTypes: true })
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      this.unreadable.push(prefix)
      this.#problem('IO', path, error instanceof Error ? error.message : String(error))
      return null
    }
  }

  #problem(kind: Problem['kind'], location: string, message: string): void {
    this.problems.push({ kind, location, message, sessionId: null })
  }
}

/** The highest generation first; of one generation in two encodings the newer, then the larger file. */
const byWeight = (a: LogFile, b: LogFile): number =>
  b.generation - a.generation || b.mtimeMs - a.mtimeMs || b.size - a.size || (a.name < b.name ? -1 : 1)
