import { and, eq } from 'drizzle-orm'
import type { SummaryRow } from '../../model/rows.ts'
import { repair } from '../../model/text.ts'
import type { Store } from '../open.ts'
import { summaries } from '../schema.ts'

/** Summaries: those that stand on messages, and those that are none. */
export class SummaryWriter {
  private readonly store: Store

  constructor(store: Store) {
    this.store = store
  }

  /** Whether anything of it was news. */
  put(sessionId: number, summary: SummaryRow, messageId: number | null): boolean {
    const content = summary.content === null ? null : repair(summary.content).text
    const values = {
      sessionId,
      nativeId: summary.nativeId,
      kind: summary.kind,
      time: summary.timeMs,
      content,
      messageId,
    }
    const where = and(eq(summaries.sessionId, sessionId), eq(summaries.nativeId, summary.nativeId))
    const old = this.store.orm.select().from(summaries).where(where).get()
    if (old === undefined) {
      this.store.orm.insert(summaries).values(values).run()
      return true
    }
    const isSame = JSON.stringify({ ...values, id: old.id }) === JSON.stringify({ ...values, ...old })
    if (!isSame) this.store.orm.update(summaries).set(values).where(eq(summaries.id, old.id)).run()
    return !isSame
  }
}
