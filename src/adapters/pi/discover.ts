import { statSync } from 'node:fs'
import { basename, sep } from 'node:path'
import type { DiscoverContext, Discovery, Unit } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import { idOfPath, isTimedName } from './line.ts'
import { listFiles } from './list-files.ts'
import type { UnitMeta } from './unit.ts'

/** A unit is a session's file; its key is the path. Nothing is opened to find out which of them changed. */
export function discover(root: string, context: DiscoverContext): Discovery {
  const list = listFiles(root)
  const { changedPaths } = context
  const isOfInterest = (path: string): boolean =>
    changedPaths === null || changedPaths.some((changed) => path === changed || path.startsWith(changed + sep))
  const units = list.files.flatMap((path) => (isOfInterest(path) ? unitOf(path, context) : []))
  return {
    units: units.sort((a, b) => b.changedAt - a.changedAt || (a.key < b.key ? -1 : 1)),
    isComplete: changedPaths === null,
    unreadable: list.unreadable,
    generations: list.files.length > 0 ? ['jsonl'] : [],
    superseded: 0,
    warnings: [],
    problems: list.problems,
    mark: null,
  }
}

function unitOf(path: string, context: DiscoverContext): readonly Unit[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile() !== true) return []
  const { size, mtimeMs } = stats
  const stamp = `${size}.${mtimeMs}`
  const isFresh = !context.verify && context.lastStamp(path) === stamp
  const id = idOfPath(path)
  const meta: UnitMeta = { size, mtimeMs }
  return [
    {
      key: path,
      path,
      sessionId: id !== null && isTimedName(basename(path)) && isSafeId(id) ? id : null,
      changedAt: Math.trunc(mtimeMs),
      stamp,
      isFresh,
      bytes: size,
      meta,
    },
  ]
}
