import { dirname, join, sep } from 'node:path'
import type { Problem } from '../../model/record.ts'
import type { DiscoverContext, Discovery, Unit } from '../contract.ts'
import { breather } from '../kit/breathe.ts'
import type { DatabasePool } from '../kit/sqlite-pool.ts'
import type { DatabaseView } from './database-view.ts'
import { discoverDatabase } from './discover-database.ts'
import { discoverTree, treeUnit } from './discover-tree.ts'
import { decodeMark, encodeMark, type Mark } from './mark.ts'
import { type Merged, mergeCopies } from './merge.ts'
import { type Layout, layoutOf, namesIn } from './roots.ts'

/** Finds the sessions of a root in its databases and its tree, each once, and which of them changed. */
export async function discover(pool: DatabasePool, root: string, context: DiscoverContext): Promise<Discovery> {
  const layout = layoutOf(root)
  const markKey = `${root}#mark`
  const known = decodeMark(context.lastCursor(markKey))
  const scope = scopeOf(layout, context.changedPaths)
  const changedPaths = scope.isEverything ? null : context.changedPaths
  // What the tree holds is weighed against the databases, and databases against each other: then all sessions count.
  const isAlone = !scope.tree && layout.databases.length === 1

  const views: DatabaseView[] = []
  for (const path of layout.databases) {
    if (!scope.databases.has(path) && !scope.tree) continue
    const place = { path, dataDir: layout.dataDir }
    const narrowed: DiscoverContext = {
      lastCursor: (key) => context.lastCursor(key),
      lastStamp: (key) => context.lastStamp(key),
      verify: context.verify,
      changedPaths: isAlone ? changedPaths : null,
    }
    views.push(await discoverDatabase(pool, place, narrowed, known.databases.get(path) ?? null))
  }
  const tree = layout.storage === null || !scope.tree ? null : discoverTree(layout.storage, changedPaths)
  const merged = await mergeCopies(pool, layout, views, tree, known)

  const problems: Problem[] = [...views.flatMap((view) => view.problems), ...(tree?.problems ?? []), ...merged.problems]
  const units: Unit[] = []
  const breathe = breather()
  for (const view of views) {
    if (!scope.databases.has(view.path)) continue
    for (const sessionId of view.sessions.keys()) {
      if (merged.winnerOf(sessionId) === view.path) units.push(view.unitOf(sessionId))
      await breathe()
    }
  }
  if (tree !== null && layout.storage !== null) {
    for (const session of tree.sessions.values()) {
      if (merged.winnerOf(session.sessionId) !== layout.storage) continue
      units.push(treeUnit(layout.storage, layout.dataDir, session, context, problems))
      await breathe()
    }
  }
  const isComplete = scope.isEverything && (layout.storage === null || tree?.isWhole === true)
  return {
    units,
    isComplete,
    unreadable: views.filter((view) => !view.isReadable).map((view) => `${view.path}#`),
    generations: [
      ...(layout.databases.length > 0 ? ['sqlite'] : []),
      ...((tree?.sessions.size ?? 0) > 0 ? ['json-tree'] : []),
    ],
    superseded: merged.superseded,
    warnings: warningsOf(merged),
    problems,
    mark: { key: markKey, cursor: encodeMark(nextMark(known, views, scope, merged)) },
  }
}

interface Scope {
  readonly databases: ReadonlySet<string>
  readonly tree: boolean
  readonly isEverything: boolean
}

const DATABASE_SUFFIX = /-(wal|shm|journal)$/

/** Which generations the changed paths touch. */
function scopeOf({ databases, storage, dataDir }: Layout, changedPaths: readonly string[] | null): Scope {
  const all = new Set(databases)
  if (changedPaths === null || changedPaths.includes(dataDir))
    return { databases: all, tree: storage !== null, isEverything: true }
  const touched = changedPaths.map((path) => path.replace(DATABASE_SUFFIX, ''))
  const isDiff = (path: string): boolean => path.includes(`${sep}session_diff`)
  const inTree = changedPaths.some((path) => storage !== null && (path === storage || path.startsWith(storage + sep)))
  // A new database, or several that may hold one session: then all of them are of interest.
  const isNew = (path: string): boolean => dirname(path) === dataDir && path.endsWith('.db') && !all.has(path)
  const isTouched = databases.some((path) => touched.includes(path)) || changedPaths.some(isDiff) || touched.some(isNew)
  return {
    databases: isTouched ? all : new Set(),
    // A database keeps its diff files in the same place, without a tree around them.
    tree: inTree && storage !== null && namesIn(join(storage, 'session')).length > 0,
    isEverything: false,
  }
}

function nextMark(known: Mark, views: readonly DatabaseView[], scope: Scope, merged: Merged): Mark {
  const databases = new Map(scope.isEverything ? [] : known.databases)
  for (const view of views) {
    const mark = scope.databases.has(view.path) ? view.mark : null
    // Of a database that can't be looked into now, what was known is good for the day when it can.
    const kept = mark ?? known.databases.get(view.path)
    if (kept !== undefined) databases.set(view.path, kept)
  }
  const { treeWins, superseded, richer, treeTimes } = merged
  return { databases, treeWins, superseded, richer, treeTimes }
}

const MOST_NAMED = 10

function warningsOf({ richer }: Merged): Discovery['warnings'] {
  if (richer.length === 0) return []
  const named = richer.slice(0, MOST_NAMED).join(', ')
  const more = richer.length > MOST_NAMED ? ` and ${richer.length - MOST_NAMED} more` : ''
  return [
    {
      code: 'SUPERSEDED_COPY_HAS_MORE',
      message: `An older copy of these sessions holds messages that the copy in use lacks: ${named}${more}.`,
    },
  ]
}
