import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { claudeCode } from '../../../src/adapters/claude-code/index.ts'
import type { Item } from '../../../src/adapters/contract.ts'
import { Reader, tempDir } from '../read-all.ts'
import { type FoldedSession, fold } from './fold.ts'

export const SESSION = '5e551000-0000-4000-8000-0000000000aa'
export const fixtures = join(import.meta.dirname, '../../../fixtures/claude-code')

type Line = Record<string, unknown>

/** A `.claude` of a test's own, read by one reader that remembers its cursors. */
export class Home {
  readonly root: string
  readonly reader: Reader
  readonly items: Item[] = []

  constructor(from?: string) {
    this.root = join(tempDir(), '.claude')
    mkdirSync(join(this.root, 'projects'), { recursive: true })
    if (from !== undefined) cpSync(from, this.root, { recursive: true })
    this.reader = new Reader(claudeCode, this.root)
  }

  path(name: string): string {
    return join(this.root, 'projects', '-home-ada-app', name)
  }

  write(name: string, content: string | Buffer): void {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    writeFileSync(this.path(name), content)
  }

  append(name: string, content: string | Buffer): void {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    appendFileSync(this.path(name), content)
  }

  async sync(options: { changedPaths?: readonly string[] } = {}) {
    const sync = await this.reader.sync(options)
    this.items.push(...sync.items)
    return sync
  }

  get sessions(): Map<string, FoldedSession> {
    return fold(this.items)
  }

  session(id = SESSION): FoldedSession {
    const session = this.sessions.get(id)
    if (session === undefined) throw new Error(`no session ${id}, only ${[...this.sessions.keys()].join(', ')}`)
    return session
  }
}

export const main = (id = SESSION): string => `${id}.jsonl`
export const lines = (...of: readonly Line[]): string => of.map((line) => `${JSON.stringify(line)}\n`).join('')

/** A line of a transcript that hangs on the line `parent`. */
export function line(type: string, uuid: string, parent: string | null, more: Line): Line {
  const timestamp = '2026-03-01T09:00:00.000Z'
  return {
    parentUuid: parent,
    isSidechain: false,
    cwd: '/home/ada/app',
    sessionId: SESSION,
    type,
    uuid,
    timestamp,
    ...more,
  }
}

export const user = (uuid: string, parent: string | null, content: unknown, more: Line = {}): Line =>
  line('user', uuid, parent, { message: { role: 'user', content }, ...more })

export const USAGE = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }

export const assistant = (
  uuid: string,
  parent: string | null,
  messageId: string,
  content: readonly Line[],
  more: Line = {},
  usage: Line = {},
): Line =>
  line('assistant', uuid, parent, {
    message: {
      id: messageId,
      role: 'assistant',
      model: 'claude-opus-5-5',
      content,
      stop_reason: null,
      usage: { ...USAGE, ...usage },
    },
    ...more,
  })

export const says = (text: string): Line => ({ type: 'text', text })
export const calls = (id: string, name: string, input: Line = {}): Line => ({ type: 'tool_use', id, name, input })
export const result = (uuid: string, parent: string, callId: string, content: unknown, more: Line = {}): Line =>
  user(uuid, parent, [{ type: 'tool_result', tool_use_id: callId, content }], more)

/** Every transcript below a directory. */
export function transcripts(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

export const bytesOf = (path: string): Buffer => readFileSync(path)
