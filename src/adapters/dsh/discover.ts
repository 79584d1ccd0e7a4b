import { basename, sep } from 'node:path'
import type { Problem } from '../../model/record.ts'
import type { DiscoverContext, Discovery, Unit } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import { isKnownVersion } from './header.ts'
import { type LogFile, type LogList, listLogs, type SessionDir, type SessionPlace } from './list-logs.ts'
import { layoutOf } from './roots.ts'
import type { LogMeta } from './unit.ts'

/** When the logs of a session's directory were last seen to be written, ms since 1970, by its path. */
export type LastWrites = Map<string, number>

/**
 * A unit is a session's directory, of which the highest generation is read; its key is the directory, so that a new generation goes on in its
 * place. A generation of the future is kept in a unit of its own, and the session stays as the last known one tells it. No file is opened,
 * and only directories of sessions that are of interest are looked into.
 */
export function discover(root: string, context: DiscoverContext, lastWrites: LastWrites): Discovery {
  const list = listLogs(root)
  const problems: Problem[] = []
  const groups = byId(list.places)
  const { changedPaths } = context
  const found: Found[] = []
  let logs = 0
  const generations = new Set<string>()
  for (const group of groups.values()) {
    if (!group.some((place) => isTouched(place, changedPaths))) continue
    const sessions = group.map((place) => list.session(place)).filter((session) => session.logs.length > 0)
    for (const session of sessions) {
      lastWrites.set(session.path, lastWrite(session))
      logs += session.logs.length
      for (const { generation } of session.logs) generations.add(`v${generation}`)
    }
    const session = withoutTwins(sessions, problems)
    if (session !== null) found.push(...unitsOf(session, problems))
  }
  const shared = { home: layoutOf(root).home, others: (id: string) => logOf(list, groups.get(id) ?? []) }
  const units = found.map((unit) => unitOf(unit, shared, context))
  return {
    units: units.sort((a, b) => b.changedAt - a.changedAt || (a.key < b.key ? -1 : 1)),
    isComplete: changedPaths === null,
    unreadable: list.unreadable,
    generations: [...generations].sort(),
    superseded: logs - found.length,
    warnings: [],
    problems: [...list.problems, ...problems],
    mark: null,
  }
}

function byId(places: readonly SessionPlace[]): ReadonlyMap<string, readonly SessionPlace[]> {
  const groups = new Map<string, SessionPlace[]>()
  for (const place of places) {
    const group = groups.get(place.id)
    if (group === undefined) groups.set(place.id, [place])
    else group.push(place)
  }
  return groups
}

interface Found {
  readonly key: string
  readonly session: SessionDir
  readonly log: LogFile
}

const isTouched = ({ path }: SessionPlace, changedPaths: readonly string[] | null): boolean =>
  changedPaths === null ||
  changedPaths.some(
    (changed) => changed === path || changed.startsWith(path + sep) || path.startsWith(withEnd(changed)),
  )

const withEnd = (path: string): string => (path.endsWith(sep) ? path : path + sep)

/** The newest log that can be read, and a newer one that can't. */
function unitsOf(session: SessionDir, problems: Problem[]): readonly Found[] {
  warnOfTwoEncodings(session, problems)
  const known = session.logs.find(isKnown)
  const newest = session.logs[0]
  return [
    ...(known === undefined ? [] : [{ key: session.path, session, log: known }]),
    ...(newest === undefined || isKnown(newest)
      ? []
      : [{ key: `${session.path}#v${newest.generation}`, session, log: newest }]),
  ]
}

const isKnown = ({ generation }: LogFile): boolean => isKnownVersion(generation)

/** The log of another session that can be read. */
const logOf = (list: LogList, group: readonly SessionPlace[]): LogFile | null =>
  group.flatMap((place) => list.session(place).logs.find(isKnown) ?? [])[0] ?? null

function unitOf(
  { key, session, log }: Found,
  shared: Pick<LogMeta, 'home' | 'others'>,
  context: DiscoverContext,
): Unit {
  const { name, isCompressed, generation, size, mtimeMs } = log
  const stamp = `${name}:${size}:${mtimeMs}`
  const segment = basename(session.path)
  const meta: LogMeta = { kind: 'log', path: log.path, name, isCompressed, generation, segment, ...shared }
  return {
    key,
    path: log.path,
    sessionId: isSafeId(session.id) ? session.id : segment,
    changedAt: Math.trunc(mtimeMs),
    stamp,
    isFresh: !context.verify && context.lastStamp(key) === stamp,
    bytes: size,
    meta,
  }
}

/** Of directories with one name in several projects the one that was written last; the others are copies. */
function withoutTwins(sessions: readonly SessionDir[], problems: Problem[]): SessionDir | null {
  const [kept, ...left] = sessions.toSorted((a, b) => lastWrite(b) - lastWrite(a))
  for (const { path } of left) {
    const message = `This session is read from ${kept?.path}, which was written later; remove one of the two.`
    problems.push({ kind: 'SCHEMA', location: path, message, sessionId: null })
  }
  return kept ?? null
}

const lastWrite = ({ logs }: SessionDir): number => Math.max(0, ...logs.map(({ mtimeMs }) => mtimeMs))

function warnOfTwoEncodings({ logs }: SessionDir, problems: Problem[]): void {
  const [read, next] = logs
  if (read === undefined || read.generation !== next?.generation) return
  const message = `This generation is read from ${read.name}, which is newer or larger; remove one of the two.`
  problems.push({ kind: 'SCHEMA', location: next.path, message, sessionId: null })
}

/** Sessions whose directories are watched: those that were written last. */
const WATCHED_SESSIONS = 128

/** The directories of projects, for new sessions, and those of the sessions that were written last. A session is looked at once. */
export function directoriesToWatch(root: string, lastWrites: LastWrites): readonly string[] {
  const list = listLogs(root)
  const written = list.places.map((place) => {
    const at = lastWrites.get(place.path) ?? lastWrite(list.session(place))
    lastWrites.set(place.path, at)
    return { path: place.path, at }
  })
  const newest = written.sort((a, b) => b.at - a.at).slice(0, WATCHED_SESSIONS)
  return [...list.directories, ...newest.map(({ path }) => path)]
}
