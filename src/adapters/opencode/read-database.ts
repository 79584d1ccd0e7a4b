import { asCount, asObject, asString, at } from '../../model/json.ts'
import type { Problem } from '../../model/record.ts'
import { isSafeId } from '../kit/ids.ts'
import type { ReadItem } from '../kit/parse-with.ts'
import type { ForeignDatabase, SqlRow } from '../kit/sqlite.ts'
import { BusyError, DatabaseError } from '../kit/sqlite-errors.ts'
import type { DatabasePool } from '../kit/sqlite-pool.ts'
import { type DatabaseCursor, decodeDatabaseCursor, encodeDatabaseCursor, FAILED_CURSOR } from './cursor.ts'
import { diffFileOf } from './discover-database.ts'
import { readFileRecord } from './file-record.ts'
import { fileStamp } from './file-stamp.ts'
import { diffKey, locationOf, messageKey, partKey, projectKey, sessionKey, todoKey } from './keys.ts'
import { sessionsOf } from './look.ts'
import { type RowRecord, rowRecord } from './row-json.ts'
import { type BodyRow, bigRecord, inlineRecord, isLastPage, messageRow, partRows } from './rows.ts'
import { quoted } from './schema.ts'
import { spilledOutput } from './spill.ts'
import { changedSince, isUnfinished, stampOf } from './unfinished.ts'
import type { DatabaseMeta } from './unit.ts'

/** A checkpoint stands at least this often: whoever commits decides when he needs one. */
const CHECKPOINT_MESSAGES = 10
const CHECKPOINT_BYTES = 1024 * 1024
const LISTED_IDS = 500
/** Of so many unfinished messages the newest are remembered; the rest is left to a verifying sync. */
const MOST_UNFINISHED = 64

type Reading = AsyncGenerator<ReadItem, void>

/** Reads one session of a database: all of it, or the messages that changed. */
export async function* readDatabaseSession(
  pool: DatabasePool,
  meta: DatabaseMeta,
  cursorText: string | null,
): AsyncGenerator<ReadItem, string | null> {
  try {
    const lease = await pool.acquire(meta.path, false)
    try {
      return yield* new SessionReader(lease.database, meta, decodeDatabaseCursor(cursorText)).read()
    } finally {
      lease.release()
    }
  } catch (error) {
    if (!(error instanceof BusyError || error instanceof DatabaseError)) throw error
    const kind = error instanceof BusyError ? 'DEFERRED' : 'IO'
    const location = `${meta.path}#session/${meta.sessionId}`
    yield { kind: 'problem', problem: { kind, location, message: error.message, sessionId: meta.sessionId } }
    return FAILED_CURSOR
  }
}

class SessionReader {
  readonly #database: ForeignDatabase
  readonly #meta: DatabaseMeta
  readonly #cursor: DatabaseCursor | null
  readonly #isWhole: boolean
  readonly #unfinished: Map<string, string>
  #newestUser: readonly [id: string, stamp: string] | null
  #newestUserTime = -1
  #messages = 0
  #bytes = 0
  #uncommitted = 0
  #uncommittedBytes = 0

  constructor(database: ForeignDatabase, meta: DatabaseMeta, cursor: DatabaseCursor | null) {
    this.#database = database
    this.#meta = meta
    this.#cursor = cursor
    this.#isWhole = cursor === null || meta.changed === null
    this.#unfinished = new Map(this.#isWhole ? [] : (cursor?.unfinished ?? []))
    this.#newestUser = this.#isWhole ? null : (cursor?.newestUser ?? null)
  }

  async *read(): AsyncGenerator<ReadItem, string | null> {
    const digest = yield* this.#head()
    if (digest === null) return null
    yield* this.#isWhole ? this.#allMessages() : this.#changedMessages(this.#meta.changed ?? [])
    yield* this.#tail()
    return encodeDatabaseCursor({
      kind: 'database',
      digest,
      watermark: this.#meta.watermark,
      messages: this.#isWhole ? this.#messages : this.#meta.messages,
      unfinished: [...this.#unfinished].slice(-MOST_UNFINISHED),
      newestUser: this.#newestUser,
    })
  }

  /** Project and session; the digest that tells whether they change. Null when the session is gone. */
  async *#head(): AsyncGenerator<ReadItem, string | null> {
    const { sessionId, schema, dataDir, path } = this.#meta
    // Taken before the file is read: a change in between is seen the next time.
    const diffStamp = fileStamp(diffFileOf(dataDir, sessionId))
    const head = await this.#database.read((query) => {
      const session = query.get(`select ${columnsOf(schema.get('session'))} from session where id = ?`, sessionId)
      if (session === undefined) return null
      const projectId = asString(session['project_id'])
      const project =
        projectId !== null && schema.get('project')?.includes('id') === true
          ? query.get(`select ${columnsOf(schema.get('project'))} from project where id = ?`, projectId)
          : undefined
      return {
        session,
        projectId: projectId ?? '',
        project,
        digest: sessionsOf(query, schema, sessionId)[0]?.digest ?? '',
      }
    })
    if (head === null) {
      yield this.#problem('IO', `${path}#session/${sessionId}`, 'The session vanished while it was read.')
      return null
    }
    if (head.project !== undefined && isSafeId(head.projectId))
      yield* this.#record(projectKey(head.projectId), 'project', rowRecord(schema.get('project') ?? [], head.project))
    yield* this.#record(sessionKey(sessionId), 'session', rowRecord(schema.get('session') ?? [], head.session))
    return `${head.digest}.${diffStamp}`
  }

  async *#allMessages(): Reading {
    const { sessionId, schema, watermark, path } = this.#meta
    const ids = new Set<string>()
    let after: readonly [time: number, id: string] | null = null
    const time = schema.get('message')?.includes('time_created') === true ? 'coalesce(time_created, 0)' : '0'
    for (;;) {
      const from: readonly [time: number, id: string] | null = after
      const page: readonly SqlRow[] = await this.#database.read((query) => {
        const sql = `select id as "id", rowid as "rowid", ${time} as "time" from message where session_id = ?`
        const order = `order by ${time}, id limit ${LISTED_IDS}`
        return from === null
          ? query.all(`${sql} ${order}`, sessionId)
          : query.all(`${sql} and (${time}, id) > (?, ?) ${order}`, sessionId, from[0], from[1])
      })
      for (const row of page) {
        const id = asString(row['id'])
        if (id === null) {
          yield this.#problem('SCHEMA', `${path}#message/rowid:${row['rowid']}`, NO_ID)
          continue
        }
        after = [asCount(row['time']) ?? 0, id]
        if ((asCount(row['rowid']) ?? 0) <= watermark.message) this.#messages += 1
        if (yield* this.#message(id, true)) ids.add(id)
      }
      if (page.length < LISTED_IDS) break
    }
    if (ids.size === 0) yield* this.#otherStore()
    yield { kind: 'present', sessionId, messageIds: ids }
  }

  async *#changedMessages(named: readonly string[]): Reading {
    const { sessionId, schema, mayLack } = this.#meta
    const watched = [
      ...(this.#cursor?.unfinished ?? []),
      ...(this.#cursor?.newestUser ? [this.#cursor.newestUser] : []),
    ]
    const stirred = await this.#database.read((query) => changedSince(query, schema, watched))
    for (const id of new Set([...named, ...stirred])) yield* this.#message(id, !mayLack)
    if (!mayLack) return
    const rows = await this.#database.read((query) =>
      query.all('select id as "id" from message where session_id = ?', sessionId),
    )
    const ids = rows.map((row) => asString(row['id'])).filter((id) => id !== null)
    yield { kind: 'present', sessionId, messageIds: new Set(ids.filter(isSafeId)) }
  }

  /** A message and its parts; false when there is nothing of it. */
  async *#message(id: string, isExpected: boolean): AsyncGenerator<ReadItem, boolean> {
    const { path, schema, sessionId } = this.#meta
    if (!isSafeId(id)) {
      yield this.#problem('HOSTILE_ID', `${path}#message/${id}`, HOSTILE)
      return false
    }
    const found = await this.#database.read((query) => {
      const message = messageRow(query, schema, id)
      if (message === null || asString(message.row['session_id']) !== sessionId) return null
      return { message, parts: partRows(query, schema, id, null) }
    })
    const record = found === null ? null : await this.#recordOf('message', found.message)
    if (found === null || record === null) {
      this.#unfinished.delete(id)
      if (isExpected) yield this.#problem('IO', `${path}#message/${id}`, VANISHED)
      return false
    }
    const data = asObject(record.json['data'])
    yield* this.#record(messageKey(id), typed('message', data?.['role']), record)
    const parts: { row: SqlRow; data: unknown }[] = []
    for (let page = found.parts; ; ) {
      for (const body of page) parts.push({ row: body.row, data: yield* this.#part(id, body) })
      const last = page.at(-1)?.id ?? null
      if (isLastPage(page) || last === null) break
      page = await this.#database.read((query) => partRows(query, schema, id, last))
    }
    this.#remember(id, data, found.message.row, parts)
    yield* this.#checkpoint()
    return true
  }

  /** A part's record; gives what `isUnfinished` looks at, without the body. */
  async *#part(messageId: string, body: BodyRow): AsyncGenerator<ReadItem, unknown> {
    const { path, dataDir, sessionId } = this.#meta
    const { id } = body
    if (id === null) yield this.#problem('SCHEMA', `${path}#part/of:${messageId}`, NO_ID)
    else if (!isSafeId(id)) yield this.#problem('HOSTILE_ID', `${path}#part/${id}`, HOSTILE)
    else {
      const record = await this.#recordOf('part', body)
      const data = record?.json['data']
      if (record === null) yield this.#problem('IO', `${path}#part/${id}`, VANISHED)
      else yield* this.#record(partKey(messageId, id), typed('part', at(data, 'type')), record)
      const spilled = spilledOutput(dataDir, { kind: 'database', path }, sessionId, messageId, id, data)
      if (spilled !== null) yield spilled
      return { type: at(data, 'type'), state: { status: at(data, 'state', 'status') } }
    }
    return null
  }

  async #recordOf(table: 'message' | 'part', body: BodyRow): Promise<RowRecord | null> {
    const { schema } = this.#meta
    return (
      inlineRecord(schema, table, body) ?? (await this.#database.read((query) => bigRecord(query, schema, table, body)))
    )
  }

  /** Keeps in mind what may still change in place. */
  #remember(id: string, message: unknown, row: SqlRow, parts: readonly { row: SqlRow; data: unknown }[]): void {
    const stamp = stampOf(
      row,
      parts.map((part) => part.row),
    )
    this.#unfinished.delete(id)
    if (
      isUnfinished(
        message,
        parts.map((part) => part.data),
      )
    )
      this.#unfinished.set(id, stamp)
    const time = asCount(at(message, 'time', 'created')) ?? 0
    if (at(message, 'role') !== 'user' || (this.#newestUser?.[0] !== id && time < this.#newestUserTime)) return
    this.#newestUser = [id, stamp]
    this.#newestUserTime = time
  }

  async *#tail(): Reading {
    const { sessionId, schema, dataDir } = this.#meta
    const columns = schema.get('todo') ?? []
    if (columns.includes('session_id') && columns.includes('position')) {
      const todos = await this.#database.read((query) =>
        query.all(`select ${columnsOf(columns)} from todo where session_id = ? order by position`, sessionId),
      )
      for (const todo of todos)
        yield* this.#record(todoKey(sessionId, asCount(todo['position']) ?? 0), 'todo', rowRecord(columns, todo))
    }
    const diff = readFileRecord(diffFileOf(dataDir, sessionId), sessionId, diffKey(sessionId), 'session_diff', 'any')
    if (diff !== null) yield diff
  }

  /** The store that opencode prepares to move to: what stands only there isn't read yet, and that is said. */
  async *#otherStore(): Reading {
    const { sessionId, schema, path } = this.#meta
    if (schema.get('session_message')?.includes('session_id') !== true) return
    const row = await this.#database.read((query) =>
      query.get('select 1 as "found" from session_message where session_id = ? limit 1', sessionId),
    )
    if (row === undefined) return
    const message = 'Its messages stand in the table session_message only, which this version of Weir does not read.'
    yield this.#problem('UNSUPPORTED', `${path}#session_message/${sessionId}`, message)
  }

  *#record(key: string, type: string, record: RowRecord): Generator<ReadItem> {
    const { path, sessionId } = this.#meta
    const location = locationOf({ kind: 'database', path }, key)
    const { bytes, cutFrom, json, brokenColumns } = record
    this.#bytes += bytes.length
    yield { kind: 'record', sessionId, location, record: { ref: key, type, bytes, line: null, cutFrom }, json }
    if (brokenColumns.includes('data')) yield this.#problem('PARSE', location, 'What its column data holds is no JSON.')
    else if (key.startsWith('m/') && cutFrom === null && asObject(json['data']) === null)
      yield this.#problem('SCHEMA', location, 'What its column data holds is no object.')
  }

  *#checkpoint(): Generator<ReadItem> {
    const bytes = this.#bytes
    this.#bytes = 0
    this.#uncommitted += 1
    this.#uncommittedBytes += bytes
    if (this.#uncommitted < CHECKPOINT_MESSAGES && this.#uncommittedBytes < CHECKPOINT_BYTES) return
    this.#uncommitted = 0
    this.#uncommittedBytes = 0
    yield { kind: 'checkpoint', cursor: null }
  }

  #problem(kind: Problem['kind'], location: string, message: string): ReadItem {
    return { kind: 'problem', problem: { kind, location, message, sessionId: this.#meta.sessionId } }
  }
}

const VANISHED = 'The row vanished while its session was read.'
const NO_ID = 'A row without an id is left out.'
const HOSTILE = 'This id could name a file elsewhere; the row is left out.'

const columnsOf = (columns: readonly string[] = []): string => columns.map(quoted).join(', ')
const typed = (kind: string, subtype: unknown): string =>
  typeof subtype === 'string' && subtype !== '' ? `${kind}/${subtype}` : kind
