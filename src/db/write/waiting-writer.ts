import type { Store } from '../open.ts'

/** What came before the message that it belongs to, and waits for it, also across runs (design §4.4). */
export class WaitingWriter {
  private readonly statements

  constructor(store: Store) {
    const { sqlite } = store
    this.statements = {
      addDuration: sqlite.prepare<[number, string, number]>(`
        insert into turn_durations (session_id, message_native_id, duration_ms) values (?, ?, ?)
        on conflict do update set duration_ms = excluded.duration_ms`),
      durations: sqlite.prepare<[number], { messageId: string; durationMs: number }>(`
        select message_native_id as messageId, duration_ms as durationMs from turn_durations where session_id = ?`),
      dropDuration: sqlite.prepare<[number, string]>(
        'delete from turn_durations where session_id = ? and message_native_id = ?',
      ),
      // Where several files have one, it is always the same file's, whichever is read first.
      addTitle: sqlite.prepare<[number, string, string, string]>(`
        insert into message_titles (source_id, message_native_id, title, unit_key) values (?, ?, ?, ?)
        on conflict do update set title = excluded.title, unit_key = excluded.unit_key
          where excluded.unit_key >= message_titles.unit_key`),
      titled: sqlite.prepare<[number], { messageId: string }>(
        'select message_native_id as messageId from message_titles where source_id = ?',
      ),
      titleOf: sqlite.prepare<{ session: number; source: number }, { title: string }>(`
        select t.title, m.order_key, 0 as ordinal
        from message_titles t join messages m on m.session_id = @session and m.native_id = t.message_native_id
        where t.source_id = @source
        union all
        select t.title, m.order_key, p.ordinal
        from message_titles t join parts p on p.session_id = @session and p.native_id = t.message_native_id
        join messages m on m.id = p.message_id
        where t.source_id = @source order by 2 desc, 3 desc limit 1`),
      sessionsWith: sqlite.prepare<{ source: number; id: string }, { id: number }>(`
        select s.id from sessions s where s.source_id = @source
          and (exists (select 1 from messages m where m.session_id = s.id and m.native_id = @id)
            or exists (select 1 from parts p where p.session_id = s.id and p.native_id = @id))`),
    }
  }

  addDuration(sessionId: number, messageId: string, durationMs: number): void {
    this.statements.addDuration.run(sessionId, messageId, durationMs)
  }

  /** By message. */
  durations(sessionId: number): Map<string, number> {
    return new Map(this.statements.durations.all(sessionId).map(({ messageId, durationMs }) => [messageId, durationMs]))
  }

  dropDuration(sessionId: number, messageId: string): void {
    this.statements.dropDuration.run(sessionId, messageId)
  }

  /** Titles stay: a copy of the message may come later. */
  addTitle(sourceId: number, nativeId: string, title: string, unitKey: string): void {
    this.statements.addTitle.run(sourceId, nativeId, title, unitKey)
  }

  /** Messages and parts that there are titles for. */
  titles(sourceId: number): Set<string> {
    return new Set(this.statements.titled.all(sourceId).map(({ messageId }) => messageId))
  }

  /** The title for the latest message or part of a session that there is one for. */
  titleOf(sourceId: number, sessionId: number): string | null {
    return this.statements.titleOf.get({ session: sessionId, source: sourceId })?.title ?? null
  }

  /** Sessions of a source that have a message or part. */
  sessionsWith(sourceId: number, nativeId: string): number[] {
    return this.statements.sessionsWith.all({ source: sourceId, id: nativeId }).map(({ id }) => id)
  }
}
