import type { Adapter, Item, Unit } from '../../../src/adapters/contract.ts'
import type { MessageRow, PartRow, SessionRow, SubagentRow } from '../../../src/model/rows.ts'
import { merged } from '../merged.ts'

/** What the items of one session came to, as the store folds them: the latest row of an id, parts that its message names. */
export class Folded {
  session: SessionRow | null = null
  readonly messages = new Map<string, MessageRow>()
  readonly parts = new Map<string, PartRow>()
  readonly subagents = new Map<string, SubagentRow>()
  readonly records = new Map<string | number, string>()
  offPath: ReadonlySet<string> = new Set()

  get inOrder(): readonly MessageRow[] {
    return [...this.messages.values()].sort((a, b) => (a.orderKey < b.orderKey ? -1 : a.orderKey > b.orderKey ? 1 : 0))
  }

  partsOf(id: string): readonly PartRow[] {
    const named = this.messages.get(id)?.partIds ?? []
    return named.flatMap((part) => this.parts.get(part) ?? [])
  }

  /** Parts that a message names. */
  get shown(): readonly PartRow[] {
    return this.inOrder.flatMap(({ nativeId }) => this.partsOf(nativeId))
  }

  /** All of it as plain values, whatever the order in which it came. */
  get rows(): unknown {
    return {
      session: this.session,
      messages: this.inOrder,
      parts: this.shown,
      subagents: [...this.subagents],
      records: [...this.records].sort(([a], [b]) => Number(a) - Number(b)),
      offPath: [...this.offPath].sort(),
    }
  }
}

/** Cursors and rows by their ids, in memory. */
export class Store {
  readonly sessions = new Map<string, Folded>()
  readonly cursors = new Map<string, string>()
  readonly stamps = new Map<string, string>()
  readonly adapter: Adapter
  readonly items: Item[] = []

  constructor(adapter: Adapter) {
    this.adapter = adapter
  }

  of(id: string): Folded {
    const session = this.sessions.get(id)
    if (session === undefined) throw new Error(`no session ${id}`)
    return session
  }

  async sync(root: string, options: { verify?: boolean; changedPaths?: readonly string[] | null } = {}) {
    const { verify = false, changedPaths = null } = options
    const discovery = await this.adapter.discover(root, {
      lastCursor: (key) => this.cursors.get(key) ?? null,
      lastStamp: (key) => this.stamps.get(key) ?? null,
      changedPaths,
      verify,
    })
    const pending = discovery.units.filter(({ isFresh }) => !isFresh)
    const items: Item[] = []
    for (const unit of pending) items.push(...(await this.parse(unit, verify)))
    const problems = [
      ...discovery.problems,
      ...items.flatMap((item) => (item.kind === 'problem' ? [item.problem] : [])),
    ]
    return { discovery, pending, items, problems }
  }

  async parse(unit: Unit, verify = false): Promise<readonly Item[]> {
    const parsing = this.adapter.parse(unit, verify ? null : (this.cursors.get(unit.key) ?? null))
    const items: Item[] = []
    for (;;) {
      const step = await parsing.next()
      if (step.done === true) {
        if (step.value !== null) this.cursors.set(unit.key, step.value)
        if (unit.stamp !== undefined) this.stamps.set(unit.key, unit.stamp)
        return items
      }
      items.push(step.value)
      this.take(step.value)
    }
  }

  take(item: Item): void {
    if (!('sessionId' in item)) return
    if (item.kind === 'delete-session') {
      this.sessions.delete(item.sessionId)
      return
    }
    const session = this.sessions.get(item.sessionId) ?? new Folded()
    this.sessions.set(item.sessionId, session)
    if (item.kind === 'session') session.session = merged(session.session, item.session)
    else if (item.kind === 'message') session.messages.set(item.message.nativeId, item.message)
    else if (item.kind === 'part') session.parts.set(item.part.nativeId, item.part)
    else if (item.kind === 'subagent') session.subagents.set(item.subagent.agentId, item.subagent)
    else if (item.kind === 'record')
      session.records.set(item.record.ref, Buffer.from(item.record.bytes).toString('latin1'))
    else if (item.kind === 'off-path') session.offPath = item.messageIds
  }
}
