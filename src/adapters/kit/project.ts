import { readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'

export interface Repository {
  /** Root of the repository: the main checkout, also when `path` is in a linked worktree. */
  readonly repository: string
  /** Whether `path` is in a linked worktree. */
  readonly isWorktree: boolean
}

/**
 * The repository that a working directory belongs to, found by walking up to `.git` and its common directory (design §3.14).
 * Null when the directory is gone or in none.
 */
export function findRepository(path: string): Repository | null {
  if (!isAbsolute(path) || kindOf(path) !== 'directory') return null
  for (let here = resolve(path); ; here = dirname(here)) {
    const git = join(here, '.git')
    const kind = kindOf(git)
    if (kind === 'directory') return { repository: here, isWorktree: false }
    if (kind === 'file') return linkedRepository(here, git)
    if (here === dirname(here)) return null
  }
}

/** `.git` as a file names the directory of a linked worktree or of a submodule; only the former has a common directory. */
function linkedRepository(here: string, gitFile: string): Repository | null {
  const named = /^gitdir:\s*(.+?)\s*$/m.exec(textOf(gitFile) ?? '')?.[1]
  if (named === undefined) return null
  const gitDir = resolve(here, named)
  const common = textOf(join(gitDir, 'commondir'))?.trim()
  if (common === undefined || common === '') return { repository: here, isWorktree: false }
  const commonDir = resolve(gitDir, common)
  return { repository: /[\\/]\.git$/.test(commonDir) ? dirname(commonDir) : commonDir, isWorktree: true }
}

function kindOf(path: string): 'file' | 'directory' | null {
  try {
    const found = statSync(path)
    return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : null
  } catch {
    return null
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
