import type { Item } from '../../../src/adapters/contract.ts'
import { TITLE_ORIGINS } from '../../../src/model/enums.ts'
import type { MessageRow, PartRow, SessionRow } from '../../../src/model/rows.ts'

/** What the rows of a session came to, merged as the store merges them. */
export class FoldedSession {
  session: SessionRow | null = null
  readonly messages = new Map<string, MessageRow>()
  readonly parts = new Map<string, PartRow>()
  readonly records = new Map<string | number, Buffer>()
  readonly subagents = new Map<string, Record<string, unknown>>()
  readonly workflows = new Map<string, Record<string, unknown>>()
  readonly workflowAgents = new Map<string, Record<string, unknown>>()
  readonly summaries = new Map<string, unknown>()
  readonly durations = new Map<string, number>()
  readonly titlesElsewhere = new Map<string, string>()
  offPath: ReadonlySet<string> = new Set()

  get inOrder(): readonly MessageRow[] {
    return [...this.messages.values()].sort((a, b) => (a.orderKey < b.orderKey ? -1 : 1))
  }

  partsOf(messageId: string): readonly PartRow[] {
    return [...this.parts.values()].filter((part) => part.messageId === messageId).sort((a, b) => a.ordinal - b.ordinal)
  }

  get texts(): readonly string[] {
    return this.inOrder.flatMap(({ nativeId }) =>
      this.partsOf(nativeId).map((part) => (part.kind === 'TEXT' ? String(part.text) : part.kind)),
    )
  }
}

/** Items in the order in which they came, as a store would take them. */
export function fold(items: readonly Item[]): Map<string, FoldedSession> {
  const sessions = new Map<string, FoldedSession>()
  for (const item of items) {
    if (!('sessionId' in item)) continue
    const folded = sessions.get(item.sessionId) ?? new FoldedSession()
    if (item.kind !== 'message-title') sessions.set(item.sessionId, folded)
    take(folded, item)
  }
  return sessions
}

function take(to: FoldedSession, item: Item): void {
  if (item.kind === 'session') to.session = mergeSession(to.session, item.session)
  else if (item.kind === 'message') to.messages.set(item.message.nativeId, item.message)
  else if (item.kind === 'part') to.parts.set(item.part.nativeId, item.part)
  else if (item.kind === 'record') to.records.set(item.record.ref, Buffer.from(item.record.bytes))
  else if (item.kind === 'subagent') merge(to.subagents, item.subagent.agentId, { ...item.subagent })
  else if (item.kind === 'workflow') merge(to.workflows, item.workflow.runId, { ...item.workflow })
  else if (item.kind === 'workflow-agent') merge(to.workflowAgents, item.agent.agentId, { ...item.agent })
  else if (item.kind === 'summary') to.summaries.set(item.summary.nativeId, item.summary)
  else if (item.kind === 'turn-duration') to.durations.set(item.messageId, item.durationMs)
  else if (item.kind === 'off-path') to.offPath = item.messageIds
  else if (item.kind === 'message-title') to.titlesElsewhere.set(item.messageId, item.title)
}

function merge(rows: Map<string, Record<string, unknown>>, key: string, news: Record<string, unknown>): void {
  const row = rows.get(key) ?? {}
  rows.set(key, row)
  for (const [name, value] of Object.entries(news)) if (value !== null && value !== undefined) row[name] = value
}

function mergeSession(to: SessionRow | null, news: SessionRow): SessionRow {
  if (to === null) return news
  const said = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== null))
  const rank = (row: SessionRow): number => (row.title === null ? -1 : TITLE_ORIGINS.indexOf(row.title.origin))
  return {
    ...to,
    ...said,
    title: rank(news) >= rank(to) ? news.title : to.title,
    projectPath: to.projectPath ?? news.projectPath,
  }
}

/** A folded store as plain values, for comparing. */
export const plain = (sessions: ReadonlyMap<string, FoldedSession>): unknown =>
  [...sessions]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, folded]) => ({
      id,
      session: folded.session,
      messages: folded.inOrder,
      parts: [...folded.parts.values()].sort((a, b) => (a.nativeId < b.nativeId ? -1 : 1)),
      records: [...folded.records].map(([ref, bytes]) => `${ref} ${bytes.toString('latin1')}`).sort(),
      subagents: Object.fromEntries(folded.subagents),
      workflows: Object.fromEntries(folded.workflows),
      workflowAgents: Object.fromEntries(folded.workflowAgents),
      summaries: Object.fromEntries(folded.summaries),
      durations: Object.fromEntries(folded.durations),
      offPath: [...folded.offPath].sort(),
    }))
