import Database from 'better-sqlite3'

const TABLES = `
  create table project (id text primary key, worktree text not null, vcs text, name text, time_created integer not null, time_updated integer not null, sandboxes text not null);
  create table session (id text primary key, project_id text not null, parent_id text, slug text not null, directory text not null, title text not null,
    version text not null, share_url text, revert text, agent text, model text, time_created integer not null, time_updated integer not null,
    time_archived integer);
  create table message (id text primary key, session_id text not null, time_created integer not null, time_updated integer not null, data text not null);
  create table part (id text primary key, message_id text not null, session_id text not null, time_created integer not null, time_updated integer not null, data text not null);
  create index message_session_time_created_id_idx on message (session_id, time_created, id);
  create index part_message_id_id_idx on part (message_id, id);
  create index part_session_idx on part (session_id);
  insert into project values ('p1', '/home/dev/demo', 'git', null, 1790000000000, 1790000000000, '[]');`

/** An opencode database that a test writes as the agent would; the connection stays open, as the agent's does. */
export class OpencodeDatabase {
  private readonly db: Database.Database
  private clock = 1_790_000_000_000

  constructor(file: string) {
    this.db = new Database(file)
    this.db.pragma('journal_mode = WAL')
    this.db.exec(TABLES)
  }

  session(id: string, { title = id, parent = null as string | null, created = this.tick() }): void {
    this.db
      .prepare(`insert into session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated)
        values (?, 'p1', ?, 'slug', '/home/dev/demo', ?, '1.18.33', ?, ?)`)
      .run(id, parent, title, created, created)
  }

  message(sessionId: string, id: string, data: { time: { created: number } }): void {
    const now = data.time.created
    this.db
      .prepare(
        'insert into message values (?, ?, ?, ?, ?) on conflict do update set data = excluded.data, time_updated = excluded.time_updated',
      )
      .run(id, sessionId, now, this.tick(), JSON.stringify(data))
  }

  part(messageId: string, id: string, data: object): void {
    const now = this.tick()
    this.db
      .prepare(`insert into part values (?, ?, (select session_id from message where id = ?), ?, ?, ?)
        on conflict do update set data = excluded.data, time_updated = excluded.time_updated`)
      .run(id, messageId, messageId, now, now, JSON.stringify(data))
  }

  /** The session's row changes, as it does with whatever the agent does in it. */
  touch(sessionId: string): void {
    this.db.prepare('update session set time_updated = ? where id = ?').run(this.tick(), sessionId)
  }

  deleteSession(id: string): void {
    for (const table of ['part', 'message']) this.db.prepare(`delete from ${table} where session_id = ?`).run(id)
    this.db.prepare('delete from session where id = ?').run(id)
  }

  raw(sql: string, ...values: unknown[]): void {
    this.db.prepare(sql).run(...values)
  }

  close(): void {
    this.db.close()
  }

  private tick(): number {
    this.clock += 1000
    return this.clock
  }
}

export const prompt = (created: number) => ({
  role: 'user',
  time: { created },
  agent: 'build',
  model: { providerID: 'anthropic', modelID: 'claude-opus-4-5' },
})

export const answer = (created: number, { parentID = 'msg_1', cost = 0.01 }) => ({
  role: 'assistant',
  parentID,
  mode: 'build',
  agent: 'build',
  path: { cwd: '/home/dev/demo', root: '/home/dev/demo' },
  modelID: 'claude-opus-4-5',
  providerID: 'anthropic',
  cost,
  tokens: { total: 1500, input: 1000, output: 300, reasoning: 0, cache: { read: 200, write: 0 } },
  time: { created, completed: created + 500 },
  finish: 'stop',
})

export const text = (value: string) => ({ type: 'text', text: value, time: { start: 1, end: 2 } })

/** A tool part; without output it still runs. */
export const tool = (name: string, input: object, output: string | null) => ({
  type: 'tool',
  tool: name,
  callID: `call_${name}`,
  state:
    output === null
      ? { status: 'running', input, time: { start: 1_790_000_002_000 } }
      : {
          status: 'completed',
          input,
          output,
          title: name,
          metadata: { exit: 0 },
          time: { start: 1_790_000_002_000, end: 1_790_000_002_500 },
        },
})
