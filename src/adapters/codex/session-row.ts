import { TITLE_ORIGINS } from '../../model/enums.ts'
import { asObject, asString, at, type JsonObject, stringAt } from '../../model/json.ts'
import { type SessionRow, UNKNOWN_SESSION } from '../../model/rows.ts'
import { parseTime } from '../../model/time.ts'
import { isSafeId } from '../kit/ids.ts'

/** What is not null in `row` wins, but no weaker title. */
export function mergedSession(known: SessionRow, row: Partial<SessionRow>): SessionRow {
  const said = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
  const rank = (title: SessionRow['title'] | undefined) => (title ? TITLE_ORIGINS.indexOf(title.origin) : -1)
  const title = rank(row.title) >= rank(known.title) ? (row.title ?? null) : known.title
  return { ...known, ...said, title }
}

/** What the first line of a rollout says of its session. */
export function sessionRow(sessionId: string, meta: JsonObject, record: number): SessionRow {
  const created = parseTime(meta['timestamp'])
  const subagent = subagentOf(meta)
  const parent = parentOf(meta)
  const parentNativeId = parent === sessionId || parent === null || !isSafeId(parent) ? null : parent
  const role =
    stringAt(meta, 'agent_role') ?? stringAt(subagent, 'thread_spawn', 'agent_role') ?? stringAt(subagent, 'other')
  return {
    ...UNKNOWN_SESSION,
    kind: subagent === null ? 'MAIN' : 'SUBAGENT',
    agent: subagent === null ? 'codex' : `codex/${role ?? asString(at(meta, 'source', 'subagent')) ?? 'subagent'}`,
    projectPath: stringAt(meta, 'cwd'),
    gitBranch: stringAt(meta, 'git', 'branch'),
    clientVersion: stringAt(meta, 'cli_version'),
    parentNativeId,
    relation: parentNativeId === null ? null : subagent === null ? 'FORK' : 'SPAWN',
    createdAt: created === null ? null : { ms: created, origin: 'RECORDED' },
    record,
  }
}

/** `source.subagent`, an object or a name such as `review`; null for a person's own thread. */
function subagentOf(meta: JsonObject): JsonObject | null {
  const subagent = at(meta, 'source', 'subagent')
  return typeof subagent === 'string' ? { other: subagent } : asObject(subagent)
}

function parentOf(meta: JsonObject): string | null {
  const subagent = subagentOf(meta)
  const fork = stringAt(meta, 'forked_from_id')
  if (subagent === null) return fork
  return (
    stringAt(subagent, 'thread_spawn', 'parent_thread_id') ??
    stringAt(subagent, 'parent_thread_id') ??
    stringAt(meta, 'parent_thread_id') ??
    fork
  )
}

/** A thread that reviews others on the harness's behalf: nobody's session. */
export const isGuardian = (meta: JsonObject): boolean => stringAt(meta, 'source', 'subagent', 'other') === 'guardian'
export const AUTO_REVIEW_MODEL = 'codex-auto-review'
