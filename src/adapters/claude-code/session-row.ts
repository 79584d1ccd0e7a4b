import { type SessionRow, UNKNOWN_SESSION } from '../../model/rows.ts'
import type { SessionName } from './session-id.ts'
import type { SessionFacts } from './state.ts'

/** A session as its transcript tells it. */
export function sessionRow(
  name: SessionName,
  facts: SessionFacts,
  sourcePath: string,
  /** What a sub-agent is called until its meta file says it; null leaves what is known. */
  agent: string | null,
): SessionRow {
  const isChild = name.parentId !== null
  return {
    ...UNKNOWN_SESSION,
    kind: facts.isAutomation ? 'AUTOMATION' : isChild ? 'SUBAGENT' : 'MAIN',
    agent: isChild ? agent : 'claude-code',
    title: facts.title,
    projectPath: facts.cwd,
    gitBranch: facts.gitBranch,
    clientVersion: facts.version,
    parentNativeId: name.parentId,
    relation: isChild ? 'SPAWN' : null,
    createdAt: facts.createdMs === null ? null : { ms: facts.createdMs, origin: 'RECORDED' },
    sourcePath,
  }
}
