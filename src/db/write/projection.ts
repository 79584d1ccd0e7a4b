import type { Store } from '../open.ts'

/** A session whose rows an older revision of its adapter made. */
export interface OutdatedSession {
  readonly id: number
  readonly nativeId: string
  readonly createdAt: number
}

/** A stream with what it takes to map its records anew. */
export interface StoredStream {
  readonly id: number
  readonly isKeyed: number
  readonly path: string
  readonly unitId: number
  readonly unitKey: string
  readonly rootId: number
  readonly generation: number
}

export interface ArchivedRecord {
  readonly no: number
  readonly key: string | null
  readonly type: string
}

/** What re-projection reads of the store, and what it takes out of it. */
export class Projection {
  private readonly statements

  constructor(store: Store) {
    const { sqlite } = store
    const record = `select r.no, r.key, n.value as type from records r join names n on n.id = r.type_id where r.stream_id = ?`
    this.statements = {
      outdated: sqlite.prepare<[number, number], OutdatedSession>(`
        select id, native_id as nativeId, created_at as createdAt from sessions
        where source_id = ? and revision < ? order by updated_at desc limit 1`),
      // The stream that most of the session's messages were read from is the one that counts where several tell of the same.
      streams: sqlite.prepare<[number], StoredStream>(`
        select st.id, st.is_keyed as isKeyed, st.path, u.id as unitId, u.key as unitKey, u.root_id as rootId, st.generation
        from streams st join units u on u.id = st.unit_id where st.session_id = ?
        order by st.generation desc, (select count(*) from messages m where m.session_id = st.session_id and m.stream_id = st.id) desc, st.id desc`),
      byNumber: sqlite.prepare<[number, number, number], ArchivedRecord>(
        `${record} and r.no > ? order by r.no limit ?`,
      ),
      byKey: sqlite.prepare<[number, string, number], ArchivedRecord>(
        `${record} and r.key is not null and r.key > ? order by r.key limit ?`,
      ),
      setRevision: sqlite.prepare<[number, number]>('update sessions set revision = ? where id = ?'),
      messages: sqlite.prepare<[number], { id: number; nativeId: string }>(
        'select id, native_id as nativeId from messages where session_id = ?',
      ),
      parts: sqlite.prepare<[number], { id: number; nativeId: string; messageId: number }>(
        'select id, native_id as nativeId, message_id as messageId from parts where session_id = ?',
      ),
      dropPart: sqlite.prepare<[number]>('delete from parts where id = ?'),
      dropMessage: sqlite.prepare<[number]>('delete from messages where id = ?'),
    }
  }

  outdated(sourceId: number, revision: number): OutdatedSession | undefined {
    return this.statements.outdated.get(sourceId, revision)
  }

  streams(sessionId: number): StoredStream[] {
    return this.statements.streams.all(sessionId)
  }

  /** The next records of a stream in the order of their refs. */
  records(stream: StoredStream, after: ArchivedRecord | null, limit: number): ArchivedRecord[] {
    return stream.isKeyed === 1
      ? this.statements.byKey.all(stream.id, after?.key ?? '', limit)
      : this.statements.byNumber.all(stream.id, after?.no ?? -1, limit)
  }

  setRevision(sessionId: number, revision: number): void {
    this.statements.setRevision.run(revision, sessionId)
  }

  /** Rows that mapping no longer makes. */
  unseen(sessionId: number, seen: { readonly messages: ReadonlySet<string>; readonly parts: ReadonlySet<string> }) {
    return {
      parts: this.statements.parts.all(sessionId).filter(({ nativeId }) => !seen.parts.has(nativeId)),
      messages: this.statements.messages.all(sessionId).filter(({ nativeId }) => !seen.messages.has(nativeId)),
    }
  }

  dropPart(id: number): void {
    this.statements.dropPart.run(id)
  }

  dropMessage(id: number): void {
    this.statements.dropMessage.run(id)
  }
}
