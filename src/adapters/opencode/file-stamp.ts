import { statSync } from 'node:fs'

/** Size and time of a file in few characters; empty when there is none. */
export function fileStamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.size.toString(36)}.${Math.trunc(stats.mtimeMs).toString(36)}`
}
