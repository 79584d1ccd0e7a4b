import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A directory that is gone when the test is over. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'weir-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}
