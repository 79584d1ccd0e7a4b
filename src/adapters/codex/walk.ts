import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Problem } from '../../model/record.ts'
import { breather } from '../kit/breathe.ts'
import { isRollout } from './rollout-name.ts'

export interface FoundFile {
  readonly path: string
  readonly name: string
  readonly size: number
  readonly mtimeMs: number
}

export interface Walk {
  readonly files: readonly FoundFile[]
  readonly problems: readonly Problem[]
  /** Directories that could not be looked into. */
  readonly unreadable: readonly string[]
}

const DEPTH = 8

/** Every rollout below a directory. Links to directories are followed directly below it only (design §4.12). */
export async function walk(root: string): Promise<Walk> {
  const files: FoundFile[] = []
  const problems: Problem[] = []
  const unreadable: string[] = []
  const breathe = breather()
  const seen = new Set<string>()
  const visit = async (path: string, depth: number): Promise<void> => {
    await breathe()
    let entries: Dirent[]
    try {
      seen.add(realpathSync(path))
      entries = readdirSync(path, { withFileTypes: true })
    } catch (error) {
      if (depth === 0 && isMissing(error)) return
      unreadable.push(path)
      problems.push(problem(path, error instanceof Error ? error.message : String(error)))
      return
    }
    for (const entry of entries) {
      const below = join(path, entry.name)
      if (entry.isSymbolicLink()) await link(below, entry.name, depth)
      else if (entry.isDirectory()) {
        if (depth < DEPTH) await visit(below, depth + 1)
        else problems.push(problem(below, 'The directory is nested too deep to be one of Codex.'))
      } else if (isRollout(entry.name)) file(below, entry.name)
    }
  }
  const file = (path: string, name: string): void => {
    try {
      const { size, mtimeMs } = statSync(path)
      files.push({ path, name, size, mtimeMs })
    } catch (error) {
      if (!isMissing(error)) problems.push(problem(path, error instanceof Error ? error.message : String(error)))
    }
  }
  const link = async (path: string, name: string, depth: number): Promise<void> => {
    try {
      const target = realpathSync(path)
      const stats = statSync(target)
      if (stats.isFile()) {
        if (isRollout(name)) file(path, name)
        return
      }
      if (!stats.isDirectory()) return
      const isInside = [...seen].some((known) => known === target || known.startsWith(target + sep))
      if (depth > 0 || isInside)
        problems.push(problem(path, 'The link is not followed: it leads back up, or lies too deep.'))
      else if (!seen.has(target)) await visit(path, depth + 1)
    } catch (error) {
      problems.push(problem(path, error instanceof Error ? error.message : String(error)))
    }
  }
  await visit(root, 0)
  return { files, problems, unreadable }
}

const problem = (location: string, message: string): Problem => ({ kind: 'IO', location, message, sessionId: null })
const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'
