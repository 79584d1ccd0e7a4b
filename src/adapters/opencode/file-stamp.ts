import { statSync } from 'node:fs'
import { join } from 'node:path'

/** Size and time of a file in few characters; empty when there is none. */
export function fileStamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? '' : stampOf(stats)
}

export const stampOf = ({ size, mtimeMs }: { readonly size: number; readonly mtimeMs: number }): string =>
  `${size.toString(36)}.${mtimeMs.toString(36)}`

/** The file with a session's changes, which the database generation keeps beside the database. */
export const diffFileOf = (dataDir: string, sessionId: string): string =>
  join(dataDir, 'storage', 'session_diff', `${sessionId}.json`)
