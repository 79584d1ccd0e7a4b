import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { Random } from '../lib/random.ts'

export interface DatabaseShape {
  readonly sessions: number
  /** A prompt and an answer count two. */
  readonly messagesPerSession: number
  /** Parts of an answer; a prompt has one. */
  readonly partsPerAnswer: number
  readonly textChars: number
}

const START = Date.UTC(2026, 9, 1)

/** An opencode database (the tables of 1.18 that hold sessions), the same for the same shape; kept where it was made. */
export function opencodeDatabase(file: string, shape: DatabaseShape): void {
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  const partial = `${file}.partial`
  rmSync(partial, { force: true })
  const db = new Database(partial)
  db.pragma('journal_mode = WAL')
  db.exec(TABLES)
  db.transaction(() => fill(db, shape))()
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  renameSync(partial, file)
}

const TABLES = `
  create table project (id text primary key, worktree text not null, vcs text, name text, time_created integer not null, time_updated integer not null, sandboxes text not null);
  create table session (id text primary key, project_id text not null, parent_id text, slug text not null, directory text not null, title text not null,
    version text not null, share_url text, revert text, permission text, agent text, model text, time_created integer not null, time_updated integer not null, time_archived integer);
  create table message (id text primary key, session_id text not null, time_created integer not null, time_updated integer not null, data text not null);
  create table part (id text primary key, message_id text not null, session_id text not null, time_created integer not null, time_updated integer not null, data text not null);
  create table event (id text primary key, aggregate_id text not null, seq integer not null, type text not null, data text not null);
  create index message_session_time_created_id_idx on message (session_id, time_created, id);
  create index part_message_id_id_idx on part (message_id, id);
  create index part_session_idx on part (session_id);
  create index session_parent_idx on session (parent_id);`

/** opencode's ids: 12 hex digits of (ms · 4096 + counter) mod 2^48, then 14 more characters. */
function idOf(prefix: string, ms: number, counter: number): string {
  const number = (BigInt(ms) * 4096n + BigInt(counter)) % 2n ** 48n
  return `${prefix}_${number.toString(16).padStart(12, '0')}${counter.toString(36).padStart(14, '0')}`
}

function fill(db: Database.Database, shape: DatabaseShape): void {
  const random = new Random(1)
  const project = db.prepare('insert into project values (?, ?, ?, ?, ?, ?, ?)')
  const session =
    db.prepare(`insert into session (id, project_id, slug, directory, title, version, agent, time_created, time_updated)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const message = db.prepare('insert into message values (?, ?, ?, ?, ?)')
  const part = db.prepare('insert into part values (?, ?, ?, ?, ?, ?)')
  for (let p = 0; p < 8; p++) project.run(`project${p}`, `/home/dev/project${p}`, 'git', null, START, START, '[]')
  let counter = 0
  for (let s = 0; s < shape.sessions; s++) {
    const directory = `/home/dev/project${s % 8}`
    let now = START + s * 600_000
    const sessionId = idOf('ses', now, counter++)
    session.run(
      sessionId,
      `project${s % 8}`,
      `slug-${s}`,
      directory,
      `Session ${s}: ${random.text(30)}`,
      '1.18.33',
      'build',
      now,
      now,
    )
    let promptId = ''
    for (let m = 0; m < shape.messagesPerSession; m++) {
      now += 1500
      const messageId = idOf('msg', now, counter++ % 4096)
      const isPrompt = m % 2 === 0
      if (isPrompt) promptId = messageId
      message.run(
        messageId,
        sessionId,
        now,
        now,
        JSON.stringify(isPrompt ? prompt(now) : answer(now, promptId, directory, random)),
      )
      const count = isPrompt ? 1 : shape.partsPerAnswer
      for (let n = 0; n < count; n++) {
        const data =
          isPrompt || n % 3 !== 1 ? text(random, shape.textChars, now) : tool(random, shape.textChars, now, counter)
        part.run(idOf('prt', now + n, counter++ % 4096), messageId, sessionId, now, now, JSON.stringify(data))
      }
    }
  }
}

const prompt = (now: number) => ({
  role: 'user',
  time: { created: now },
  agent: 'build',
  model: { providerID: 'anthropic', modelID: 'claude-opus-4-5' },
  summary: { diffs: [] },
})

function answer(now: number, parentID: string, cwd: string, random: Random) {
  const [input, output, read, write] = [random.below(3000), random.below(900), random.below(90_000), random.below(4000)]
  const tokens = { total: input + output + read + write, input, output, reasoning: 0, cache: { read, write } }
  const model = { modelID: random.next() < 0.7 ? 'claude-opus-4-5' : 'gpt-5-codex', providerID: 'anthropic' }
  const time = { created: now, completed: now + 1200 }
  return {
    parentID,
    role: 'assistant',
    mode: 'build',
    agent: 'build',
    path: { cwd, root: cwd },
    cost: output / 1e5,
    tokens,
    ...model,
    time,
    finish: 'stop',
  }
}

const text = (random: Random, chars: number, now: number) => ({
  type: 'text',
  text: random.text(chars),
  time: { start: now, end: now + 10 },
})

function tool(random: Random, chars: number, now: number, call: number) {
  const command = `grep -rn ${random.text(12)} src`
  const state = {
    status: 'completed',
    input: { command, description: random.text(20) },
    output: random.text(chars),
    metadata: { exit: random.next() < 0.9 ? 0 : 1, truncated: false },
    title: command,
    time: { start: now, end: now + random.below(900) },
  }
  return { type: 'tool', tool: 'bash', callID: `call_${call}`, state }
}
