import Database from 'better-sqlite3'

/** Generations of opencode's schema that tests build, by the first version that has it. */
export type Generation = '1.2' | '1.14' | '1.18'

const TIMES = 'time_created integer not null, time_updated integer not null'

function schemaOf(generation: Generation): string {
  const session14 = generation === '1.2' ? '' : ', path text, agent text, model text'
  const session18 =
    generation === '1.18'
      ? `, metadata text, cost real default 0 not null, tokens_input integer default 0 not null,
         tokens_output integer default 0 not null, tokens_reasoning integer default 0 not null,
         tokens_cache_read integer default 0 not null, tokens_cache_write integer default 0 not null`
      : ''
  const events =
    generation === '1.2'
      ? ''
      : `create table event (id text primary key, aggregate_id text not null, seq integer not null, type text not null,
           data text not null);
         create table session_message (id text primary key, session_id text not null, type text not null, ${TIMES},
           data text not null);`
  return `
    create table project (id text primary key, worktree text not null, vcs text, name text, ${TIMES}, sandboxes text not null);
    create table session (id text primary key, project_id text not null, parent_id text, slug text not null,
      directory text not null, title text not null, version text not null, share_url text, summary_additions integer,
      summary_deletions integer, summary_files integer, summary_diffs text, revert text, permission text, ${TIMES},
      time_compacting integer, time_archived integer, workspace_id text${session14}${session18});
    create table message (id text primary key, session_id text not null, ${TIMES}, data text not null);
    create table part (id text primary key, message_id text not null, session_id text not null, ${TIMES}, data text not null);
    create table todo (session_id text not null, content text not null, status text not null, priority text not null,
      position integer not null, ${TIMES}, primary key (session_id, position));
    create table account (id text primary key, email text not null, access_token text not null);
    create index part_session_idx on part (session_id);
    create index message_session_time_created_id_idx on message (session_id, time_created, id);
    create index part_message_id_id_idx on part (message_id, id);
    ${events}`
}

export type Fields = Readonly<Record<string, unknown>>

/** A database as opencode writes it, made for one test. */
export class OpencodeDatabase {
  readonly path: string
  readonly generation: Generation
  readonly sql: Database.Database
  #clock = 0
  #seq = 0

  constructor(path: string, generation: Generation = '1.18', journalMode: 'wal' | 'delete' = 'wal') {
    this.path = path
    this.generation = generation
    this.sql = new Database(path)
    this.sql.pragma(`journal_mode = ${journalMode}`)
    this.sql.exec(schemaOf(generation))
    this.insert('project', {
      id: 'prj',
      worktree: '/home/ann/shop',
      vcs: 'git',
      time_created: T0,
      time_updated: T0,
      sandboxes: '[]',
    })
  }

  session(id: string, fields: Fields = {}): this {
    const given = {
      id,
      project_id: 'prj',
      slug: 'calm-fox',
      directory: '/home/ann/shop',
      title: 'A session',
      version: '1.18.33',
    }
    return this.insert('session', { ...given, time_created: T0, time_updated: T0, ...fields })
  }

  message(sessionId: string, id: string, data: unknown): this {
    return this.row('message', { id, session_id: sessionId }, data)
  }

  part(sessionId: string, messageId: string, id: string, data: unknown): this {
    return this.row('part', { id, message_id: messageId, session_id: sessionId }, data)
  }

  /** Changes a row in place, as opencode does. */
  update(table: 'message' | 'part', id: string, data: unknown): this {
    this.sql.prepare(`update ${table} set data = ?, time_updated = ? where id = ?`).run(text(data), this.tick(), id)
    return this
  }

  set(table: string, id: string, fields: Fields): this {
    const sets = Object.keys(fields).map((name) => `${name} = ?`)
    this.sql.prepare(`update ${table} set ${sets.join(', ')} where id = ?`).run(...Object.values(fields), id)
    return this
  }

  delete(table: string, id: string): this {
    this.sql.prepare(`delete from ${table} where id = ?`).run(id)
    return this
  }

  event(sessionId: string, type: string, data: unknown): this {
    this.#seq += 1
    return this.insert('event', {
      id: `evt_${this.#seq}`,
      aggregate_id: sessionId,
      seq: this.#seq,
      type,
      data: text(data),
    })
  }

  insert(table: string, fields: Fields): this {
    const names = Object.keys(fields)
    this.sql
      .prepare(`insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`)
      .run(...Object.values(fields))
    return this
  }

  close(): void {
    this.sql.close()
  }

  private row(table: 'message' | 'part', ids: Fields, data: unknown): this {
    const time = this.tick()
    return this.insert(table, { ...ids, time_created: time, time_updated: time, data: text(data) })
  }

  private tick(): number {
    this.#clock += 1
    return T0 + this.#clock
  }
}

/** The moment at which the sessions of these tests begin. */
export const T0 = Date.UTC(2026, 2, 1, 12)

const text = (data: unknown): string => (typeof data === 'string' ? data : JSON.stringify(data))

/** An id as opencode makes it of a time: 12 hex digits of 48 bits, then letters. */
export function idAt(prefix: 'msg' | 'prt', ms: number, counter = 0, tail = 'AAAAAAAAAAAAAA'): string {
  const ticks = (BigInt(ms) * 4096n + BigInt(counter)) & 0xffffffffffffn
  return `${prefix}_${ticks.toString(16).padStart(12, '0')}${tail}`
}

export const user = (created: number, more: Fields = {}): Fields => ({
  role: 'user',
  time: { created },
  agent: 'build',
  model: { providerID: 'acme', modelID: 'acme-1' },
  summary: { diffs: [] },
  ...more,
})

export const assistant = (created: number, more: Fields = {}): Fields => ({
  role: 'assistant',
  time: { created, completed: created + 900 },
  parentID: 'msg_parent',
  modelID: 'acme-1',
  providerID: 'acme',
  mode: 'build',
  agent: 'build',
  path: { cwd: '/home/ann/shop', root: '/home/ann/shop' },
  cost: 0.5,
  tokens: { input: 100, output: 20, reasoning: 0, cache: { read: 0, write: 0 } },
  finish: 'stop',
  ...more,
})

export const textPart = (content: string, more: Fields = {}): Fields => ({ type: 'text', text: content, ...more })

export const toolPart = (tool: string, state: Fields, more: Fields = {}): Fields => ({
  type: 'tool',
  callID: 'call_1',
  tool,
  state: {
    status: 'completed',
    input: {},
    output: '',
    title: '',
    metadata: {},
    time: { start: T0, end: T0 + 50 },
    ...state,
  },
  ...more,
})
