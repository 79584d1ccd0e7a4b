import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createCodex } from '../../../src/adapters/codex/index.ts'
import { tempDir } from '../read-all.ts'
import { Store } from './fold.ts'
import { type Line, linesText, pathOf } from './rollout.ts'

/** A home of Codex in a temporary directory, and a store that reads it. */
export class Home {
  readonly root = join(tempDir(), '.codex')
  readonly store = new Store(createCodex())

  constructor() {
    mkdirSync(join(this.root, 'sessions'), { recursive: true })
  }

  write(path: string, content: string | Uint8Array): string {
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return file
  }

  rollout(seconds: number, lines: readonly Line[], suffix = ''): string {
    return this.write(pathOf(seconds, suffix), linesText(lines))
  }

  append(file: string, content: string | Uint8Array): void {
    appendFileSync(file, content)
  }

  sync(options: { verify?: boolean; changedPaths?: readonly string[] | null } = {}) {
    return this.store.sync(this.root, options)
  }
}
