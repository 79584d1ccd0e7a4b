import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Item } from '../../../src/adapters/contract.ts'
import { pi } from '../../../src/adapters/pi/index.ts'
import { canonical } from '../canonical.ts'
import { Reader, tempDir } from '../read-all.ts'
import { offPathOf } from './fold.ts'

const PROJECT = join(import.meta.dirname, '../../../fixtures/pi/agent/sessions/--home-ada-app--')

/** Files of the fixture, by the last digit of their session's id. */
export function fixtureFile(n: number): { readonly name: string; readonly text: string } {
  const name = readdirSync(PROJECT).find((file) => file.endsWith(`${n}.jsonl`))
  if (name === undefined) throw new Error(`no fixture file ${n}`)
  return { name, text: readFileSync(join(PROJECT, name), 'utf8') }
}

/** A `sessions` directory with one file in it, that can be written again and again. */
export class OneFile {
  readonly root: string
  readonly path: string
  readonly reader: Reader
  readonly items: Item[] = []

  constructor(name = '2026-03-01T09-00-01-000Z_s1.jsonl') {
    this.root = join(tempDir(), 'sessions')
    const project = join(this.root, '--p--')
    mkdirSync(project, { recursive: true })
    this.path = join(project, name)
    this.reader = new Reader(pi, this.root)
  }

  /** Writes the whole file and syncs. */
  async write(text: string | Uint8Array) {
    writeFileSync(this.path, text)
    const sync = await this.reader.sync()
    this.items.push(...sync.items)
    return sync
  }

  /** Everything that rows came to, with what is off the path. */
  rows(): unknown {
    const ids = [...this.reader.sessions.keys()]
    return {
      sessions: canonical(this.reader, this.root),
      off: ids.map((id) => [...(offPathOf(this.items, id) ?? [])].sort()),
    }
  }
}

type Line = Record<string, unknown>
export const jsonl = (lines: readonly (Line | string)[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')

const iso = (n: number): string => new Date(Date.UTC(2026, 2, 1, 9, 0, n)).toISOString()

export const header = (more: Line = {}): Line => ({
  type: 'session',
  version: 3,
  id: 's1',
  timestamp: iso(0),
  cwd: '/p',
  ...more,
})

export const entry = (n: number, parentId: string | null, message: Line, more: Line = {}): Line => ({
  type: 'message',
  id: `e${n}`,
  parentId,
  timestamp: iso(n),
  message,
  ...more,
})

export const user = (text: string): Line => ({ role: 'user', content: [{ type: 'text', text }] })
export const says = (text: string, more: Line = {}): Line => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  provider: 'p',
  model: 'm',
  stopReason: 'stop',
  ...more,
})
export const calls = (id: string, name: string, args: Line): Line => ({
  ...says(''),
  content: [{ type: 'toolCall', id, name, arguments: args }],
  stopReason: 'toolUse',
})
export const result = (toolCallId: string, text: string, more: Line = {}): Line => ({
  role: 'toolResult',
  toolCallId,
  toolName: 'bash',
  content: [{ type: 'text', text }],
  isError: false,
  ...more,
})
