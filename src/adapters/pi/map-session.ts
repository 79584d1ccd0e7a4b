import type { RecordRef } from '../../model/record.ts'
import type { SessionRow } from '../../model/rows.ts'

/** What a session's lines told of it so far. */
export interface SessionFacts {
  readonly createdAt: number | null
  readonly cwd: string | null
  readonly parentId: string | null
  readonly name: string | null
  readonly record: RecordRef | null
}

export const NO_FACTS: SessionFacts = { createdAt: null, cwd: null, parentId: null, name: null, record: null }

export function sessionRow(facts: SessionFacts, sourcePath: string): SessionRow {
  const isFork = facts.parentId !== null
  return {
    kind: 'MAIN',
    agent: 'pi',
    title: facts.name === null ? null : { text: facts.name, origin: 'PERSON' },
    projectPath: facts.cwd,
    repository: null,
    gitBranch: null,
    clientVersion: null,
    shareUrl: null,
    parentNativeId: facts.parentId,
    relation: isFork ? 'FORK' : null,
    parentPair: null,
    parentMessageNativeId: null,
    createdAt: facts.createdAt === null ? null : { ms: facts.createdAt, origin: 'RECORDED' },
    archivedAt: null,
    revertedFrom: null,
    sourcePath,
    record: facts.record,
  }
}
