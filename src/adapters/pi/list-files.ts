import { type Dirent, readdirSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Problem } from '../../model/record.ts'
import { isTimedName } from './line.ts'
import { isDirectory, isProjectDir, layoutOf } from './roots.ts'

/** What a root's directories hold, by names alone. */
export interface FileList {
  /** Directories that were looked into. */
  readonly directories: readonly string[]
  readonly files: readonly string[]
  readonly problems: readonly Problem[]
  /** Directories that could not be looked into. */
  readonly unreadable: readonly string[]
}

/** Session files of a root. Links to directories are followed where projects stand, each target once; other links are problems. */
export function listFiles(root: string): FileList {
  const walk = new Walk()
  for (const { path, files, directories } of layoutOf(root)) {
    if (!isDirectory(path)) continue
    const entries = walk.enter(path)
    for (const entry of entries) if (files === 'all' || isTimedName(entry.name)) walk.file(path, entry)
    const holdsProjects = (name: string): boolean =>
      directories === 'all' || (directories === 'projects' && isProjectDir(name))
    const projects = entries.filter(({ name }) => holdsProjects(name))
    // What stands here in person comes before what is linked to, so that a link to it is the one that is left out.
    for (const { name } of projects.filter((entry) => entry.isDirectory())) walk.project(join(path, name))
    for (const { name } of projects.filter((entry) => entry.isSymbolicLink())) walk.link(path, name)
  }
  return walk
}

class Walk implements FileList {
  readonly directories: string[] = []
  readonly files: string[] = []
  readonly problems: Problem[] = []
  readonly unreadable: string[] = []
  readonly #entered = new Set<string>()

  enter(path: string): readonly Dirent[] {
    try {
      const entries = readdirSync(path, { withFileTypes: true })
      this.#entered.add(realpathSync(path))
      this.directories.push(path)
      return entries
    } catch (error) {
      this.unreadable.push(path + sep)
      this.#problem(path, error instanceof Error ? error.message : String(error))
      return []
    }
  }

  project(path: string): void {
    for (const entry of this.enter(path)) this.file(path, entry)
  }

  file(directory: string, entry: Dirent): void {
    if (!entry.name.endsWith('.jsonl')) return
    const path = join(directory, entry.name)
    if (entry.isFile()) this.files.push(path)
    else if (entry.isSymbolicLink())
      this.#problem(path, 'This is a link; only links to whole directories are followed.')
  }

  link(directory: string, name: string): void {
    const path = join(directory, name)
    if (!isDirectory(path)) {
      if (!name.endsWith('.jsonl')) this.#problem(path, 'This link leads nowhere.')
      return
    }
    const target = realpathSync(path)
    const isLoop = [...this.#entered].some((entered) => entered === target || entered.startsWith(target + sep))
    if (isLoop)
      this.#problem(path, `This link leads to ${target}, which is read already or holds what is; it is not followed.`)
    else this.project(path)
  }

  #problem(location: string, message: string): void {
    this.problems.push({ kind: 'IO', location, message, sessionId: null })
  }
}
