import { asCount, asObject, asString, at } from '../../model/json.ts'
import type { Problem } from '../../model/record.ts'
import { isSafeId } from '../kit/ids.ts'
import type { ReadItem } from '../kit/parse-with.ts'
import type { ForeignDatabase, SqlRow } from '../kit/sqlite.ts'
import { type DatabaseCursor, encodeDatabaseCursor } from './cursor.ts'
import { readFileRecord } from './file-record.ts'
import { diffFileOf, fileStamp } from './file-stamp.ts'
import { diffKey, locationOf, messageKey, partKey, projectKey, sessionKey, todoKey } from './keys.ts'
import { sessionsOf } from './look.ts'
import { Memory, type SeenPart } from './memory.ts'
import { type RowRecord, rowRecord } from './row-json.ts'
import { type BodyRow, bigRecord, inlineRecord, isLastPage, messageRow, partRows } from './rows.ts'
import { columnList } from './schema.ts'
import { spilledOutput } from './spill.ts'
import { changedSince } from './unfinished.ts'
import type { DatabaseMeta } from './unit.ts'

const LISTED_IDS = 500

/** Items that belong together: a checkpoint may stand between two batches, never inside one. */
type Batch = readonly ReadItem[]

/**
 * Reads one session of a database in short reads, message by message, so that its owner is never kept waiting and memory is
 * bounded by a message.
 */
export class SessionReader {
  readonly #database: ForeignDatabase
  readonly #meta: DatabaseMeta
  readonly #isWhole: boolean
  readonly #memory: Memory
  /** Messages that discovery can have counted. */
  #messages = 0

  constructor(database: ForeignDatabase, meta: DatabaseMeta, cursor: DatabaseCursor | null) {
    this.#database = database
    this.#meta = meta
    this.#isWhole = cursor === null || meta.changed === null
    this.#memory = new Memory(this.#isWhole ? null : cursor)
  }

  async *read(): AsyncGenerator<Batch, string | null> {
    const { watermark, messages, changed } = this.#meta
    const [head, digest] = await this.#head()
    yield head
    if (digest === null) return null
    yield* this.#isWhole ? this.#allMessages() : this.#changedMessages(changed ?? [])
    yield await this.#tail()
    return encodeDatabaseCursor({
      kind: 'database',
      digest,
      watermark,
      messages: this.#isWhole ? this.#messages : messages,
      unfinished: this.#memory.unfinished,
      newestUser: this.#memory.newestUser,
    })
  }

  /** Project and session, and the digest that tells whether they change: null when the session is gone. */
  async #head(): Promise<readonly [Batch, string | null]> {
    const { sessionId, schema, dataDir } = this.#meta
    // Taken before the file is read: a change in between is seen the next time.
    const diffStamp = fileStamp(diffFileOf(dataDir, sessionId))
    const found = await this.#database.read((query) => {
      const session = query.get(`select ${columnList(schema, 'session')} from session where id = ?`, sessionId)
      if (session === undefined) return null
      const projectId = asString(session['project_id'])
      const project =
        projectId !== null && schema.get('project')?.includes('id') === true
          ? query.get(`select ${columnList(schema, 'project')} from project where id = ?`, projectId)
          : undefined
      const [seen] = sessionsOf(query, schema, { ids: [sessionId], updatedSince: null })
      return { session, project, projectId: projectId ?? '', digest: seen?.digest }
    })
    if (found === null) return [[this.#problem('IO', sessionKey(sessionId), VANISHED)], null]
    const { session, project, projectId, digest = '' } = found
    const items: ReadItem[] = []
    if (project !== undefined && isSafeId(projectId))
      items.push(...this.#record(projectKey(projectId), 'project', rowRecord(schema.get('project') ?? [], project)))
    items.push(...this.#record(sessionKey(sessionId), 'session', rowRecord(schema.get('session') ?? [], session)))
    return [items, `${digest}.${diffStamp}`]
  }

  async *#allMessages(): AsyncGenerator<Batch, void> {
    const { sessionId, watermark, path } = this.#meta
    const ids = new Set<string>()
    for await (const page of this.#listedIds()) {
      for (const { id, rowid } of page) {
        if (id === null) {
          yield [this.#problemAt('SCHEMA', `${path}#message/rowid:${rowid}`, NO_ID)]
          continue
        }
        if (rowid <= watermark.message) this.#messages += 1
        const items = await this.#message(id, true)
        if (items.some(({ kind }) => kind === 'record')) ids.add(id)
        yield items
        yield [CHECKPOINT]
      }
    }
    if (ids.size === 0) yield await this.#otherStore()
    yield [{ kind: 'present', sessionId, messageIds: ids }]
  }

  async *#listedIds(): AsyncGenerator<readonly { readonly id: string | null; readonly rowid: number }[], void> {
    const { sessionId, schema } = this.#meta
    const time = schema.get('message')?.includes('time_created') === true ? 'coalesce(time_created, 0)' : '0'
    const select = `select id as "id", rowid as "rowid", ${time} as "time" from message where session_id = ?`
    const order = `order by ${time}, id limit ${LISTED_IDS}`
    let after: readonly [time: number, id: string] | null = null
    for (;;) {
      const from: readonly [time: number, id: string] | null = after
      const page: readonly SqlRow[] = await this.#database.read((query) =>
        from === null
          ? query.all(`${select} ${order}`, sessionId)
          : query.all(`${select} and (${time}, id) > (?, ?) ${order}`, sessionId, ...from),
      )
      yield page.map((row) => ({ id: asString(row['id']), rowid: asCount(row['rowid']) ?? 0 }))
      const last = page.at(-1)
      const lastId = asString(last?.['id'])
      if (page.length < LISTED_IDS || lastId === null) return
      after = [asCount(last?.['time']) ?? 0, lastId]
    }
  }

  async *#changedMessages(named: readonly string[]): AsyncGenerator<Batch, void> {
    const { sessionId, schema, mayLack } = this.#meta
    const { watched } = this.#memory
    const stirred = await this.#database.read((query) => changedSince(query, schema, watched))
    for (const id of new Set([...named, ...stirred])) {
      yield await this.#message(id, !mayLack)
      yield [CHECKPOINT]
    }
    if (!mayLack) return
    const rows = await this.#database.read((query) =>
      query.all('select id as "id" from message where session_id = ?', sessionId),
    )
    const ids = rows.map((row) => asString(row['id'])).filter((id) => id !== null)
    yield [{ kind: 'present', sessionId, messageIds: new Set(ids.filter(isSafeId)) }]
  }

  /** A message and its parts. With `isExpected` it is a problem when it is gone. */
  async #message(id: string, isExpected: boolean): Promise<Batch> {
    const { schema, sessionId, path } = this.#meta
    if (!isSafeId(id)) return [this.#problemAt('HOSTILE_ID', `${path}#message/${id}`, HOSTILE)]
    const found = await this.#database.read((query) => {
      const message = messageRow(query, schema, id)
      if (message === null || asString(message.row['session_id']) !== sessionId) return null
      return { message, parts: partRows(query, schema, id, null) }
    })
    const record = found === null ? null : await this.#recordOf('message', found.message)
    if (found === null || record === null) {
      this.#memory.forget(id)
      return isExpected ? [this.#problem('IO', messageKey(id), VANISHED)] : []
    }
    const data = asObject(record.json['data'])
    const items = this.#record(messageKey(id), typed('message', data?.['role']), record)
    const parts: SeenPart[] = []
    for (let page = found.parts; ; ) {
      for (const body of page) parts.push({ row: body.row, data: await this.#part(id, body, items) })
      const last = page.at(-1)?.id ?? null
      if (isLastPage(page) || last === null) break
      page = await this.#database.read((query) => partRows(query, schema, id, last))
    }
    this.#memory.see(id, found.message.row, data, parts)
    return items
  }

  /** Adds a part's record to `items`; gives what tells whether it is over. */
  async #part(messageId: string, body: BodyRow, items: ReadItem[]): Promise<unknown> {
    const { path, dataDir, sessionId } = this.#meta
    const { id } = body
    if (id === null) items.push(this.#problemAt('SCHEMA', `${path}#part/of:${messageId}`, NO_ID))
    else if (!isSafeId(id)) items.push(this.#problemAt('HOSTILE_ID', `${path}#part/${id}`, HOSTILE))
    else {
      const record = await this.#recordOf('part', body)
      const data = record?.json['data']
      const key = partKey(messageId, id)
      if (record === null) items.push(this.#problem('IO', key, VANISHED))
      else items.push(...this.#record(key, typed('part', at(data, 'type')), record))
      const spilled = spilledOutput(dataDir, { kind: 'database', path }, sessionId, messageId, id, data)
      if (spilled !== null) items.push(spilled)
      return { type: at(data, 'type'), state: { status: at(data, 'state', 'status') } }
    }
    return null
  }

  async #recordOf(table: 'message' | 'part', body: BodyRow): Promise<RowRecord | null> {
    const { schema } = this.#meta
    const inline = inlineRecord(schema, table, body)
    return inline ?? (await this.#database.read((query) => bigRecord(query, schema, table, body)))
  }

  /** Todos, and the file with the session's changes. */
  async #tail(): Promise<Batch> {
    const { sessionId, schema, dataDir } = this.#meta
    const columns = schema.get('todo') ?? []
    const items: ReadItem[] = []
    if (columns.includes('session_id') && columns.includes('position')) {
      const sql = `select ${columnList(schema, 'todo')} from todo where session_id = ? order by position`
      for (const todo of await this.#database.read((query) => query.all(sql, sessionId)))
        items.push(
          ...this.#record(todoKey(sessionId, asCount(todo['position']) ?? 0), 'todo', rowRecord(columns, todo)),
        )
    }
    const file = diffFileOf(dataDir, sessionId)
    if (fileStamp(file) === '') return items
    const diff = readFileRecord(file, sessionId, diffKey(sessionId), 'session_diff', 'any')
    return diff === null ? items : [...items, diff]
  }

  /** The store that opencode prepares to move to: what stands only there isn't read yet, and that is said. */
  async #otherStore(): Promise<Batch> {
    const { sessionId, schema, path } = this.#meta
    if (schema.get('session_message')?.includes('session_id') !== true) return []
    const sql = 'select 1 as "found" from session_message where session_id = ? limit 1'
    const row = await this.#database.read((query) => query.get(sql, sessionId))
    return row === undefined
      ? []
      : [this.#problemAt('UNSUPPORTED', `${path}#session_message/${sessionId}`, OTHER_STORE)]
  }

  #record(key: string, type: string, record: RowRecord): ReadItem[] {
    const { path, sessionId } = this.#meta
    const location = locationOf({ kind: 'database', path }, key)
    const { bytes, cutFrom, json, brokenColumns } = record
    const item: ReadItem = {
      kind: 'record',
      sessionId,
      location,
      record: { ref: key, type, bytes, line: null, cutFrom },
      json,
    }
    if (brokenColumns.includes('data')) return [item, this.#problemAt('PARSE', location, NO_JSON)]
    const hasBody = key.startsWith('m/') && cutFrom === null
    return hasBody && asObject(json['data']) === null ? [item, this.#problemAt('SCHEMA', location, NO_OBJECT)] : [item]
  }

  #problem(kind: Problem['kind'], key: string, message: string): ReadItem {
    return this.#problemAt(kind, locationOf({ kind: 'database', path: this.#meta.path }, key), message)
  }

  #problemAt(kind: Problem['kind'], location: string, message: string): ReadItem {
    return { kind: 'problem', problem: { kind, location, message, sessionId: this.#meta.sessionId } }
  }
}

/** Behind every message, so that whoever commits may do so when he needs to. */
const CHECKPOINT: ReadItem = { kind: 'checkpoint', cursor: null }

const NO_ID = 'A row without an id is left out.'
const HOSTILE = 'This id could name a file elsewhere; the row is left out.'
const VANISHED = 'The row vanished while its session was read.'
const NO_JSON = 'What its column data holds is no JSON.'
const NO_OBJECT = 'What its column data holds is no object.'
const OTHER_STORE = 'Its messages stand in the table session_message only, which this version of Weir does not read.'

const typed = (kind: string, subtype: unknown): string =>
  typeof subtype === 'string' && subtype !== '' ? `${kind}/${subtype}` : kind
