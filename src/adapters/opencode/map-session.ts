import { type SessionRow, UNKNOWN_SESSION } from '../../model/rows.ts'
import { parseTime } from '../../model/time.ts'
import { sessionKey, type UnitPlace } from './keys.ts'
import type { SessionInfo } from './unwrap.ts'

export function sessionRow(
  sessionId: string,
  info: SessionInfo,
  worktree: string | null,
  place: UnitPlace,
): SessionRow {
  const created = parseTime(info.created)
  const isChild = info.parentId !== null
  return {
    kind: isChild ? 'SUBAGENT' : 'MAIN',
    agent: isChild ? `opencode/${info.agent ?? 'subagent'}` : 'opencode',
    title: info.title === null ? null : { text: info.title, origin: 'SOURCE' },
    projectPath: info.directory,
    repository: info.projectId === 'global' || !isRealPath(worktree) ? null : worktree,
    gitBranch: null,
    clientVersion: info.version,
    shareUrl: info.shareUrl,
    parentNativeId: info.parentId,
    relation: isChild ? 'SPAWN' : null,
    parentPair: null,
    parentMessageNativeId: null,
    createdAt: created === null ? null : { ms: created, origin: 'RECORDED' },
    archivedAt: parseTime(info.archived) ?? false,
    revertedFrom: info.revertedFrom ?? false,
    sourcePath: sourceOf(place, info.projectId),
    record: sessionKey(sessionId),
  }
}

/** For messages whose session record is damaged: it says no more than that there is a session. */
export const unnamedSession = (place: UnitPlace): SessionRow => ({
  ...UNKNOWN_SESSION,
  sourcePath: sourceOf(place, null),
})

/** The database, or the session's own file. */
const sourceOf = (place: UnitPlace, projectId: string | null): string =>
  place.kind === 'database'
    ? place.path
    : (place.file ??
      (projectId === null ? place.storage : `${place.storage}/session/${projectId}/${place.sessionId}.json`))

/** Outside of any repository opencode names `/` as its worktree. */
const isRealPath = (path: string | null): boolean =>
  path !== null && path !== '/' && /^([A-Za-z]:[\\/]|[\\/])./.test(path)
