import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory that is gone when the process ends. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  process.on('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}
