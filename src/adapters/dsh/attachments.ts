import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Problem, RECORD_CAP_BYTES } from '../../model/record.ts'
import type { FileRow } from '../../model/rows.ts'

/** Where the harness keeps what sessions refer to by its hash, images and other files apart. */
const DIRECTORIES = ['objects', 'file-objects'].map((name) => join('attachments', 'v1', name))

/** Puts the bytes into a file's row that names them by their hash. Files that aren't there leave it as it is. */
export function withBytes(
  file: FileRow,
  home: string,
): { readonly file: FileRow; readonly fault: Pick<Problem, 'kind' | 'location' | 'message'> | null } {
  const { sha256 } = file
  if (sha256 === undefined || file.data !== null) return { file, fault: null }
  for (const directory of DIRECTORIES) {
    const location = join(home, directory, sha256.slice(0, 2), sha256)
    const stats = statSync(location, { throwIfNoEntry: false })
    if (stats?.isFile() !== true) continue
    if (stats.size > RECORD_CAP_BYTES)
      return {
        file,
        fault: { kind: 'OVERSIZE', location, message: `This file has ${stats.size} bytes; it is not kept.` },
      }
    const data = readFileSync(location)
    if (createHash('sha256').update(data).digest('hex') === sha256) return { file: { ...file, data }, fault: null }
    return {
      file,
      fault: { kind: 'SCHEMA', location, message: 'This file is not what its name says; it is not kept.' },
    }
  }
  return { file, fault: null }
}
