import { basename, sep } from 'node:path'
import type { Problem } from '../../model/record.ts'
import type { DiscoverContext, Discovery, Unit } from '../contract.ts'
import { isSafeId } from '../kit/ids.ts'
import { isKnownVersion } from './header.ts'
import { type LogFile, type LogList, listLogs, type SessionDir } from './list-logs.ts'
import { layoutOf } from './roots.ts'
import type { LogMeta } from './unit.ts'

/**
 * A unit is a session's directory, of which the highest generation is read; its key is the directory, so that a new generation goes on in its
 * place. A generation of the future is kept in a unit of its own, and the session stays as the last known one tells it. No file is opened.
 */
export function discover(root: string, context: DiscoverContext): Discovery {
  const list = listLogs(root)
  const { home } = layoutOf(root)
  const problems: Problem[] = [...list.problems]
  const sessions = withoutTwins(list, problems)
  const read = sessions.flatMap((session) => {
    const known = session.logs.find(({ generation }) => isKnownVersion(generation))
    const [newest] = session.logs
    const unknown = newest !== undefined && !isKnownVersion(newest.generation) ? newest : null
    warnOfTwoEncodings(session, problems)
    return [
      ...(known === undefined ? [] : [{ session, log: known, key: session.path }]),
      ...(unknown === null ? [] : [{ session, log: unknown, key: `${session.path}#v${unknown.generation}` }]),
    ]
  })
  const others = new Map(read.map(({ session, log }) => [session.id, log]))
  const { changedPaths } = context
  const touches = (session: SessionDir): boolean =>
    changedPaths === null ||
    changedPaths.some(
      (path) => path === session.path || path.startsWith(session.path + sep) || session.path.startsWith(withEnd(path)),
    )
  const units = read
    .filter(({ session }) => touches(session))
    .map(({ session, log, key }) => unitOf(key, session, log, { home, others }, context))
  const logs = list.sessions.flatMap((session) => session.logs)
  return {
    units: units.sort((a, b) => b.changedAt - a.changedAt || (a.key < b.key ? -1 : 1)),
    isComplete: changedPaths === null,
    unreadable: list.unreadable,
    generations: [...new Set(logs.map(({ generation }) => `v${generation}`))].sort(),
    superseded: logs.length - read.length,
    warnings: [],
    problems,
    mark: null,
  }
}

const withEnd = (path: string): string => (path.endsWith(sep) ? path : path + sep)

function unitOf(
  key: string,
  { id, path }: SessionDir,
  log: LogFile,
  root: Pick<LogMeta, 'home' | 'others'>,
  context: DiscoverContext,
): Unit {
  const { name, isCompressed, generation, size, mtimeMs } = log
  const stamp = `${name}:${size}:${mtimeMs}`
  const segment = basename(path)
  const meta: LogMeta = { kind: 'log', path: log.path, name, isCompressed, generation, segment, ...root }
  return {
    key,
    path: log.path,
    sessionId: isSafeId(id) ? id : segment,
    changedAt: Math.trunc(mtimeMs),
    stamp,
    isFresh: !context.verify && context.lastStamp(key) === stamp,
    bytes: size,
    meta,
  }
}

/** Of directories with one name in several projects the one that was written last; the others are copies. */
function withoutTwins({ sessions }: LogList, problems: Problem[]): readonly SessionDir[] {
  const best = new Map<string, SessionDir>()
  for (const session of sessions) {
    const other = best.get(session.id)
    if (other === undefined) {
      best.set(session.id, session)
      continue
    }
    const [kept, left] = lastWrite(session) > lastWrite(other) ? [session, other] : [other, session]
    best.set(session.id, kept)
    const message = `This session is read from ${kept.path}, which was written later; remove one of the two.`
    problems.push({ kind: 'SCHEMA', location: left.path, message, sessionId: null })
  }
  return [...best.values()]
}

const lastWrite = ({ logs }: SessionDir): number => Math.max(...logs.map(({ mtimeMs }) => mtimeMs))

function warnOfTwoEncodings({ logs }: SessionDir, problems: Problem[]): void {
  const [read, next] = logs
  if (read === undefined || read.generation !== next?.generation) return
  const message = `This generation is read from ${read.name}, which is newer or larger; remove one of the two.`
  problems.push({ kind: 'SCHEMA', location: next.path, message, sessionId: null })
}

/** Sessions whose directories are watched: those that were written last. */
const WATCHED_SESSIONS = 128

/** The directories of projects, for new sessions, and those of the sessions that were written last. */
export function directoriesToWatch(root: string): readonly string[] {
  const { directories, sessions } = listLogs(root)
  const newest = sessions.toSorted((a, b) => lastWrite(b) - lastWrite(a)).slice(0, WATCHED_SESSIONS)
  return [...directories, ...newest.map(({ path }) => path)]
}
