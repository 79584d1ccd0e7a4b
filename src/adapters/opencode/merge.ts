import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asString, at } from '../../model/json.ts'
import type { Problem } from '../../model/record.ts'
import { parseTime } from '../../model/time.ts'
import { breather } from '../kit/breathe.ts'
import { BusyError, DatabaseError } from '../kit/sqlite-errors.ts'
import type { DatabasePool } from '../kit/sqlite-pool.ts'
import type { DatabaseView } from './database-view.ts'
import type { TreeView } from './discover-tree.ts'
import type { Mark } from './mark.ts'
import { type Layout, namesIn } from './roots.ts'
import type { TreeSession } from './tree-walk.ts'

/** Which copy of each session counts, where several generations or databases hold one. */
export interface Merged {
  /** Path of the database, or of the tree's directory. */
  winnerOf(sessionId: string): string | undefined
  readonly superseded: number
  readonly treeWins: readonly string[]
  /** Sessions with a superseded copy that holds messages which the winner lacks. */
  readonly richer: readonly string[]
  readonly treeTimes: Mark['treeTimes']
  readonly problems: readonly Problem[]
}

/**
 * The database's copy counts, unless the tree's session was updated later; of several databases the one that updated it last.
 * Copies that don't count are compared by message ids.
 */
export async function mergeCopies(
  pool: DatabasePool,
  layout: Layout,
  views: readonly DatabaseView[],
  tree: TreeView | null,
  known: Mark,
): Promise<Merged> {
  const winners = new Map<string, string>()
  const losers: { sessionId: string; path: string }[] = []
  const updated = new Map<string, number>()
  for (const view of views) {
    for (const [sessionId, time] of view.sessions) {
      const other = winners.get(sessionId)
      const isLater = other === undefined || time > (updated.get(sessionId) ?? 0)
      if (other !== undefined) losers.push({ sessionId, path: isLater ? other : view.path })
      if (!isLater) continue
      winners.set(sessionId, view.path)
      updated.set(sessionId, time)
    }
  }
  const treeTimes: Record<string, readonly [string, number]> = tree?.isWhole === true ? {} : { ...known.treeTimes }
  const storage = layout.storage
  const treeWins = new Set(tree?.isWhole === true ? [] : known.treeWins)
  if (storage !== null) {
    for (const session of tree?.sessions.values() ?? []) {
      const { sessionId } = session
      const database = winners.get(sessionId)
      treeWins.delete(sessionId)
      if (database !== undefined && !isTreeLater(session, updated.get(sessionId) ?? 0, known, treeTimes)) {
        losers.push({ sessionId, path: storage })
        continue
      }
      if (database !== undefined) {
        losers.push({ sessionId, path: database })
        treeWins.add(sessionId)
      }
      winners.set(sessionId, storage)
    }
    // What the tree is known to win, while it isn't looked at.
    for (const sessionId of treeWins) if (winners.has(sessionId)) winners.set(sessionId, storage)
  }
  const winnerOf = (sessionId: string): string | undefined => winners.get(sessionId)
  const isWhole = tree?.isWhole === true || storage === null
  if (!isWhole) {
    const { superseded, richer } = known
    return { winnerOf, superseded, richer, treeWins: [...treeWins], treeTimes, problems: [] }
  }
  const problems: Problem[] = []
  const richer = new Set<string>()
  const breathe = breather()
  for (const { sessionId, path } of losers) {
    const winner = winners.get(sessionId)
    if (winner === undefined || winner === path) continue
    try {
      if (await holdsMore(pool, storage, sessionId, path, winner)) richer.add(sessionId)
    } catch (error) {
      if (!(error instanceof BusyError || error instanceof DatabaseError)) throw error
      const kind = error instanceof BusyError ? 'DEFERRED' : 'IO'
      problems.push({ kind, location: `${error.path}#session/${sessionId}`, message: error.message, sessionId })
    }
    await breathe()
  }
  return {
    winnerOf,
    superseded: losers.length + (tree?.superseded ?? 0),
    richer: [...richer].sort(),
    treeWins: [...treeWins],
    treeTimes,
    problems,
  }
}

/** The file is written when the session is updated: an older file needs no reading. A newer one may be a mere copy. */
function isTreeLater(
  session: TreeSession,
  databaseTime: number,
  known: Mark,
  treeTimes: Record<string, readonly [string, number]>,
): boolean {
  if (session.mtimeMs <= databaseTime) return false
  const { sessionId, stamp, file } = session
  const before = known.treeTimes[sessionId]
  const time = before?.[0] === stamp ? before[1] : updatedIn(file)
  treeTimes[sessionId] = [stamp, time]
  return time > databaseTime
}

function updatedIn(file: string): number {
  try {
    const info: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return parseTime(at(info, 'time', 'updated')) ?? 0
  } catch {
    return 0
  }
}

async function holdsMore(
  pool: DatabasePool,
  storage: string | null,
  sessionId: string,
  loser: string,
  winner: string,
): Promise<boolean> {
  const inTree = (): readonly string[] =>
    namesIn(join(storage ?? '', 'message', sessionId))
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
  if (loser === storage) {
    const sql =
      'select 1 as "found" from json_each(?) where value not in (select id from message where session_id = ?) limit 1'
    return (await ask(pool, winner, sql, JSON.stringify(inTree()), sessionId)).length > 0
  }
  const has =
    winner === storage
      ? inTree()
      : await ask(pool, winner, 'select id as "found" from message where session_id = ?', sessionId)
  const sql =
    'select id as "found" from message where session_id = ? and id not in (select value from json_each(?)) limit 1'
  return (await ask(pool, loser, sql, sessionId, JSON.stringify(has))).length > 0
}

async function ask(pool: DatabasePool, path: string, sql: string, ...values: string[]): Promise<readonly string[]> {
  const lease = await pool.acquire(path, false)
  try {
    const rows = await lease.database.read((query) => query.all(sql, ...values))
    return rows.map((row) => asString(row['found']) ?? '')
  } finally {
    lease.release()
  }
}
