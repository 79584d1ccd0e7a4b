import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { asNumber, asString, isObject, type JsonObject } from '../../model/json.ts'
import type { Problem } from '../../model/record.ts'
import { parseTime } from '../../model/time.ts'
import { BusyError, DatabaseError } from '../kit/sqlite-errors.ts'
import type { DatabasePool } from '../kit/sqlite-pool.ts'
import { databaseStamp } from '../kit/sqlite-snapshot.ts'

/** What Codex keeps of threads outside of their rollouts. */
export interface SideFacts {
  /** Name that the person or Codex gave the thread. */
  readonly names: ReadonlyMap<string, string>
  readonly archivedAt: ReadonlyMap<string, number>
  /** First prompts that were typed. */
  readonly firstPrompts: ReadonlyMap<string, string>
  readonly problems: readonly Problem[]
}

export const INDEX = 'session_index.jsonl'
export const HISTORY = 'history.jsonl'
const STATE_DATABASE = /^state_(\d+)\.sqlite$/

interface Rows {
  readonly names: Map<string, string>
  readonly archivedAt: Map<string, number>
}
interface Cached<T> {
  readonly stamp: string
  readonly value: T
}

/** Reads the small files beside the rollouts, again only when they changed. */
export class SideFiles {
  readonly #pool: DatabasePool
  readonly #texts = new Map<string, Cached<ReadonlyMap<string, string>>>()
  readonly #databases = new Map<string, Cached<Rows>>()

  constructor(pool: DatabasePool) {
    this.#pool = pool
  }

  async read(home: string): Promise<SideFacts> {
    const problems: Problem[] = []
    const indexed = this.#lines(join(home, INDEX), problems, (line, into) => {
      const [id, name] = [asString(line['id']), asString(line['thread_name'])]
      if (id !== null && name !== null && name.trim() !== '') into.set(id, name)
    })
    const firstPrompts = this.#lines(join(home, HISTORY), problems, (line, into) => {
      const [id, text] = [asString(line['session_id']), asString(line['text'])]
      if (id !== null && text !== null && !into.has(id) && !/^[!/]/.test(text)) into.set(id, text)
    })
    const rows = await this.#state(home, problems)
    // The index is written with every rename; the database lags behind it in its log.
    return { names: new Map([...rows.names, ...indexed]), archivedAt: rows.archivedAt, firstPrompts, problems }
  }

  #lines(
    path: string,
    problems: Problem[],
    take: (line: JsonObject, into: Map<string, string>) => void,
  ): ReadonlyMap<string, string> {
    const known = this.#texts.get(path)
    try {
      const stats = statSync(path, { throwIfNoEntry: false })
      if (stats === undefined || !stats.isFile()) return new Map()
      const stamp = `${stats.size}:${stats.mtimeMs}`
      if (known?.stamp === stamp) return known.value
      const value = new Map<string, string>()
      for (const text of readFileSync(path, 'utf8').split('\n')) {
        const line = parsed(text)
        if (line !== null) take(line, value)
      }
      this.#texts.set(path, { stamp, value })
      return value
    } catch (error) {
      problems.push({ kind: 'IO', location: path, message: messageOf(error), sessionId: null })
      return known?.value ?? new Map()
    }
  }

  async #state(home: string, problems: Problem[]): Promise<Rows> {
    const path = newestDatabase(home)
    if (path === null) return { names: new Map(), archivedAt: new Map() }
    const known = this.#databases.get(path)
    try {
      const { db, wal } = databaseStamp(path)
      const stamp = `${db}/${wal}`
      if (known?.stamp === stamp) return known.value
      const value = await this.#threads(path)
      this.#databases.set(path, { stamp, value })
      return value
    } catch (error) {
      const kind = error instanceof BusyError ? 'DEFERRED' : error instanceof DatabaseError ? 'SCHEMA' : 'IO'
      problems.push({ kind, location: path, message: messageOf(error), sessionId: null })
      return known?.value ?? { names: new Map(), archivedAt: new Map() }
    }
  }

  async #threads(path: string): Promise<Rows> {
    const lease = await this.#pool.acquire(path, true)
    try {
      const rows = await lease.database.read((query) => {
        const columns = new Set(query.all('select name from pragma_table_info(?)', 'threads').map(({ name }) => name))
        if (!columns.has('id')) return []
        const wanted = ['id', 'title', 'name', 'first_user_message', 'preview', 'archived_at'].filter((name) =>
          columns.has(name),
        )
        return query.all(`select ${wanted.join(', ')} from threads`)
      })
      const value: Rows = { names: new Map(), archivedAt: new Map() }
      for (const row of rows) {
        const id = asString(row['id'])
        if (id === null) continue
        const name = nameIn(row)
        if (name !== null) value.names.set(id, name)
        const archivedAt = asNumber(row['archived_at']) === null ? null : parseTime(row['archived_at'])
        if (archivedAt !== null) value.archivedAt.set(id, archivedAt)
      }
      return value
    } finally {
      lease.release()
    }
  }
}

/** A title that only repeats the first prompt is no name. */
function nameIn(row: JsonObject): string | null {
  const name = asString(row['name'])
  if (name !== null && name.trim() !== '') return name
  const title = asString(row['title'])
  const isName =
    title !== null && title.trim() !== '' && title !== row['first_user_message'] && title !== row['preview']
  return isName && row['first_user_message'] !== undefined ? title : null
}

function newestDatabase(home: string): string | null {
  try {
    const found = readdirSync(home)
      .map((name) => ({ name, version: Number(STATE_DATABASE.exec(name)?.[1] ?? Number.NaN) }))
      .filter(({ version }) => Number.isFinite(version))
      .sort((a, b) => b.version - a.version)[0]
    return found === undefined ? null : join(home, found.name)
  } catch {
    return null
  }
}

function parsed(text: string): JsonObject | null {
  if (text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
