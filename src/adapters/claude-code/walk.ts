import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Problem } from '../../model/record.ts'
import { META, TRANSCRIPT } from './ids.ts'

/** What a look at directories found, without reading any file. */
export class Walk {
  readonly files: string[] = []
  readonly problems: Problem[] = []
  readonly unreadable: string[] = []
  readonly #seen = new Set<string>()

  /** All projects; a project may be a link, which is followed once. */
  projects(path: string): void {
    const real = realPath(path)
    for (const entry of this.#entries(path)) {
      const project = join(path, entry.name)
      if (entry.isDirectory()) this.#seen.add(project)
      else if (entry.isSymbolicLink() && isDirectoryLink(project)) this.#link(project, real)
    }
    for (const project of [...this.#seen]) this.project(project)
  }

  #link(path: string, projects: string | null): void {
    const target = realPath(path)
    if (target === null || projects === null) {
      this.#problem('IO', path, 'The link leads nowhere.')
    } else if (isInside(projects, target)) {
      this.#problem('IO', path, 'The link leads back to a directory that holds it; it was not followed.')
    } else if (!isInside(target, projects) && ![...this.#seen].some((seen) => realPath(seen) === target)) {
      // What lies among the projects is looked at by itself.
      this.#seen.add(path)
    }
  }

  project(path: string): void {
    for (const entry of this.#entries(path)) {
      // There may be very many: `join` would cost as much as looking at the file does.
      const inside = path + sep + entry.name
      if (entry.isDirectory()) this.session(inside)
      else this.#file(entry, inside, [TRANSCRIPT])
    }
  }

  /** What stands beside a transcript: its sub-agents and workflow runs. */
  session(path: string): void {
    if (isThere(join(path, 'subagents'))) this.#agents(join(path, 'subagents'), 0)
    if (!isThere(join(path, 'workflows'))) return
    for (const entry of this.#entries(join(path, 'workflows')))
      this.#file(entry, join(path, 'workflows', entry.name), ['.json'])
  }

  /** `subagents/`, and in it `workflows/<run>/`. */
  #agents(path: string, depth: number): void {
    for (const entry of this.#entries(path)) {
      const inside = join(path, entry.name)
      if (!entry.isDirectory()) {
        if (entry.name !== JOURNAL) this.#file(entry, inside, [TRANSCRIPT, META])
      } else if (depth === 1 || (depth === 0 && entry.name === 'workflows')) this.#agents(inside, depth + 1)
    }
  }

  #file(entry: Dirent, path: string, suffixes: readonly string[]): void {
    if (!suffixes.some((suffix) => entry.name.endsWith(suffix))) return
    if (entry.isFile()) this.files.push(path)
    else if (entry.isSymbolicLink()) this.#problem('IO', path, 'Links to files are not followed.')
  }

  #entries(path: string): readonly Dirent[] {
    try {
      return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'ENOENT' || code === 'ENOTDIR') return []
      this.unreadable.push(path + sep)
      this.#problem('IO', path, error instanceof Error ? error.message : String(error))
      return []
    }
  }

  #problem(kind: Problem['kind'], location: string, message: string): void {
    this.problems.push({ kind, location, message, sessionId: null })
  }
}

/** Control file of a workflow runner, no transcript. */
const JOURNAL = 'journal.jsonl'

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

function isDirectoryLink(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // A link that leads nowhere, or in a circle, is for the caller to report.
    return true
  }
}

const isInside = (path: string, directory: string): boolean => path === directory || path.startsWith(directory + sep)
