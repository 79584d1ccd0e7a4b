import type { SessionRow } from '../../model/rows.ts'
import { parseTime } from '../../model/time.ts'
import { SESSION_KEY, type UnitPlace } from './keys.ts'
import type { SessionInfo } from './unwrap.ts'

export function sessionRow(info: SessionInfo, worktree: string | null, place: UnitPlace): SessionRow {
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
    parentMessageNativeId: null,
    createdAt: created === null ? null : { ms: created, origin: 'RECORDED' },
    archivedAt: parseTime(info.archived) ?? false,
    revertedFrom: info.revertedFrom ?? false,
    sourcePath: place.isTree
      ? `${place.path}/session/${info.projectId ?? 'global'}/${info.id ?? place.sessionId}.json`
      : place.path,
    record: SESSION_KEY,
  }
}

/** For messages whose session record is damaged: it says no more than that there is a session. */
export const unnamedSession = (place: UnitPlace): SessionRow => ({
  kind: null,
  agent: null,
  title: null,
  projectPath: null,
  repository: null,
  gitBranch: null,
  clientVersion: null,
  shareUrl: null,
  parentNativeId: null,
  relation: null,
  parentMessageNativeId: null,
  createdAt: null,
  archivedAt: null,
  revertedFrom: null,
  sourcePath: place.path,
  record: null,
})

/** Outside of any repository opencode names `/` as its worktree. */
const isRealPath = (path: string | null): boolean =>
  path !== null && path !== '/' && /^([A-Za-z]:[\\/]|[\\/])./.test(path)
