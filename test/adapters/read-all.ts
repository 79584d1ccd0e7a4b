import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Adapter, Discovery, Item, Unit } from '../../src/adapters/contract.ts'
import type { Problem, SourceRecord } from '../../src/model/record.ts'
import type { MessageRow, PartRow, SessionRow } from '../../src/model/rows.ts'
import { merged } from './merged.ts'

export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'adapter-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** What the rows of one session came to. */
export class ReadSession {
  session: SessionRow | null = null
  readonly messages = new Map<string, MessageRow>()
  readonly parts = new Map<string, PartRow>()
  readonly records = new Map<string | number, SourceRecord>()
  present: ReadonlySet<string> | null = null

  /** Messages in session order. */
  get inOrder(): readonly MessageRow[] {
    return [...this.messages.values()].sort((a, b) => (a.orderKey < b.orderKey ? -1 : a.orderKey > b.orderKey ? 1 : 0))
  }

  partsOf(messageId: string): readonly PartRow[] {
    return [...this.parts.values()].filter((part) => part.messageId === messageId).sort((a, b) => a.ordinal - b.ordinal)
  }
}

/** What one sync of a root by an adapter did. */
export interface Sync {
  readonly discovery: Discovery
  readonly pending: readonly Unit[]
  readonly items: readonly Item[]
  readonly problems: readonly Problem[]
}

/**
 * Stands in for the store: remembers cursors and rows by their ids, as the sync engine does, and takes the mark in when every
 * unit was read to its end.
 */
export class Reader {
  readonly cursors = new Map<string, string>()
  readonly stamps = new Map<string, string>()
  readonly sessions = new Map<string, ReadSession>()
  readonly adapter: Adapter
  readonly root: string

  constructor(adapter: Adapter, root: string) {
    this.adapter = adapter
    this.root = root
  }

  discover(options: { verify?: boolean; changedPaths?: readonly string[] | null } = {}): Promise<Discovery> {
    return this.adapter.discover(this.root, {
      lastCursor: (key) => this.cursors.get(key) ?? null,
      lastStamp: (key) => this.stamps.get(key) ?? null,
      changedPaths: options.changedPaths ?? null,
      verify: options.verify ?? false,
    })
  }

  async sync(options: { verify?: boolean; changedPaths?: readonly string[] | null } = {}): Promise<Sync> {
    const discovery = await this.discover(options)
    const pending = discovery.units.filter((unit) => !unit.isFresh)
    const items: Item[] = []
    for (const unit of pending) items.push(...(await this.parse(unit, options.verify === true)))
    if (discovery.mark !== null) this.cursors.set(discovery.mark.key, discovery.mark.cursor)
    const problems = items.flatMap((item) => (item.kind === 'problem' ? [item.problem] : []))
    return { discovery, pending, items, problems: [...discovery.problems, ...problems] }
  }

  async parse(unit: Unit, verify = false): Promise<readonly Item[]> {
    const { items, cursor } = await parseUnit(this.adapter, unit, verify ? null : (this.cursors.get(unit.key) ?? null))
    if (cursor !== null) this.cursors.set(unit.key, cursor)
    if (unit.stamp !== undefined) this.stamps.set(unit.key, unit.stamp)
    for (const item of items) this.take(item)
    return items
  }

  session(id: string): ReadSession {
    const session = this.sessions.get(id)
    if (session === undefined) throw new Error(`no session ${id}, only ${[...this.sessions.keys()].join(', ')}`)
    return session
  }

  private take(item: Item): void {
    if (!('sessionId' in item)) return
    const session = this.sessions.get(item.sessionId) ?? new ReadSession()
    this.sessions.set(item.sessionId, session)
    if (item.kind === 'session') session.session = merged(session.session, item.session)
    else if (item.kind === 'message') session.messages.set(item.message.nativeId, item.message)
    else if (item.kind === 'part') session.parts.set(item.part.nativeId, item.part)
    else if (item.kind === 'record') session.records.set(item.record.ref, item.record)
    else if (item.kind === 'present') session.present = item.messageIds
  }
}

export async function parseUnit(
  adapter: Adapter,
  unit: Unit,
  cursor: string | null,
): Promise<{ readonly items: readonly Item[]; readonly cursor: string | null }> {
  const items: Item[] = []
  const parsing = adapter.parse(unit, cursor)
  for (;;) {
    const step = await parsing.next()
    if (step.done === true) return { items, cursor: step.value }
    items.push(step.value)
  }
}
