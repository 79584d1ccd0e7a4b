import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Item } from '../../../src/adapters/contract.ts'
import { dsh } from '../../../src/adapters/dsh/index.ts'
import { Reader, tempDir } from '../read-all.ts'
import { id, type Log, PIXEL, sha256 } from './log.ts'

/** A home of the harness in a temporary directory, and a reader of it. */
export class Home {
  readonly root = join(tempDir(), '.dsh')
  readonly reader = new Reader(dsh, this.root)

  constructor() {
    mkdirSync(join(this.root, 'sessions'), { recursive: true })
  }

  /** Where the log of session `n` lies. */
  pathOf(name: string, n = 1): string {
    return join(this.root, 'sessions', '--home-ada-app--', id(n), name)
  }

  write(path: string, content: string | Uint8Array): string {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }

  raw(log: Log, n = 1): string {
    return this.write(this.pathOf(log.name, n), log.text)
  }

  compressed(log: Log, n = 1): string {
    return this.write(this.pathOf(`${log.name}.zstd`, n), Buffer.concat(log.frames()))
  }

  attach(data: Uint8Array = PIXEL): string {
    const hash = sha256(data)
    return this.write(join(this.root, 'attachments/v1/objects', hash.slice(0, 2), hash), data)
  }

  append(path: string, content: string | Uint8Array): void {
    appendFileSync(path, content)
  }

  sync(options: { verify?: boolean; changedPaths?: readonly string[] | null } = {}) {
    return this.reader.sync(options)
  }

  of(n = 1) {
    return this.reader.session(id(n))
  }

  /** Texts that people and models said, in order. */
  texts(n = 1): readonly (string | null)[] {
    const read = this.of(n)
    return read.inOrder.flatMap(({ nativeId }) =>
      read
        .partsOf(nativeId)
        .flatMap((part) => (part.kind === 'TEXT' && part.provenance === 'CONVERSATIONAL' ? [part.text] : [])),
    )
  }
}

export const eventsIn = (items: readonly Item[]) => items.flatMap((item) => (item.kind === 'event' ? [item.event] : []))
export const recordsIn = (items: readonly Item[]) =>
  items.flatMap((item) => (item.kind === 'record' ? [item.record] : []))
