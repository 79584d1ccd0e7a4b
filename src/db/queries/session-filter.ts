import { agesOf, LIVE_MS, SESSION_ENDINGS, type SessionActivity } from '../../model/activity.ts'
import { SESSION_KINDS, type SessionKind } from '../../model/enums.ts'
import { normalPath } from '../../model/path.ts'
import { codeOf } from '../columns.ts'
import { oneOf, type Sql, sql } from '../sql.ts'
import { fold } from '../statement.ts'

type Maybe<T> = T | null | undefined

/** Which sessions; what is left out or null doesn't filter. Times are milliseconds. */
export interface SessionFilter {
  readonly sources?: Maybe<readonly string[]>
  /** By the origins' uids. */
  readonly origins?: Maybe<readonly string[]>
  readonly kinds?: Maybe<readonly SessionKind[]>
  readonly agents?: Maybe<readonly string[]>
  readonly projects?: Maybe<readonly string[]>
  readonly repositories?: Maybe<readonly string[]>
  readonly models?: Maybe<readonly string[]>
  readonly text?: Maybe<string>
  readonly createdAfter?: Maybe<number>
  readonly createdBefore?: Maybe<number>
  readonly updatedAfter?: Maybe<number>
  readonly updatedBefore?: Maybe<number>
  readonly hasFailedToolCall?: Maybe<boolean>
  readonly activities?: Maybe<readonly SessionActivity[]>
  readonly isLive?: Maybe<boolean>
  readonly isStarred?: Maybe<boolean>
  readonly isArchived?: Maybe<boolean>
  readonly tags?: Maybe<readonly string[]>
  readonly includeChildren?: Maybe<boolean>
  /** By the parent's uid, in hexadecimal digits. */
  readonly parent?: Maybe<string>
}

const MAIN = codeOf(SESSION_KINDS, 'MAIN')

/** The conditions of a filter, over `sessions t`; `now` decides what agents do. */
export function sessionConditions(filter: SessionFilter, now: number): Sql[] {
  return [
    filter.sources &&
      sql(
        't.source_id in (select id from sources where name in (select value from json_each(?)))',
        json(filter.sources),
      ),
    filter.origins &&
      sql(
        't.origin_id in (select id from origins where uid in (select value from json_each(?)))',
        json(filter.origins),
      ),
    filter.kinds &&
      oneOf(
        't.kind',
        filter.kinds.map((kind) => codeOf(SESSION_KINDS, kind)),
      ),
    filter.agents && agents(filter.agents),
    filter.projects &&
      sql(
        't.project_id in (select id from projects where path_key in (select value from json_each(?)))',
        json(filter.projects.map(normalPath)),
      ),
    filter.repositories &&
      sql(
        't.project_id in (select id from projects where path_key(repository) in (select value from json_each(?)))',
        json(filter.repositories.map(normalPath)),
      ),
    filter.models &&
      sql(
        'exists (select 1 from json_each(t.models) m where m.value in (select value from json_each(?)))',
        json(filter.models),
      ),
    filter.text && text(filter.text),
    time('t.created_at >= ?', filter.createdAfter),
    time('t.created_at < ?', filter.createdBefore),
    time('t.updated_at >= ?', filter.updatedAfter),
    time('t.updated_at < ?', filter.updatedBefore),
    flag('t.failed_tool_call_count > 0', filter.hasFailedToolCall),
    filter.activities && doing(filter.activities, now),
    live(filter.isLive, now),
    flag('t.is_starred = 1', filter.isStarred),
    flag('t.archived_at is not null', filter.isArchived),
    filter.tags &&
      sql('t.id in (select session_id from tags where tag in (select value from json_each(?)))', json(filter.tags)),
    children(filter),
    filter.parent && sql('t.parent_id = (select id from sessions where uid = unhex(?))', filter.parent),
  ].flatMap((condition) => (typeof condition === 'object' && condition !== null ? [condition] : []))
}

const json = (values: readonly string[]): string => JSON.stringify(values)
const time = (condition: string, value: Maybe<number>) =>
  value === null || value === undefined ? null : sql(condition, value)
const flag = (condition: string, value: Maybe<boolean>) =>
  value === null || value === undefined ? null : sql(value ? condition : `not (${condition})`)

/** The agent itself or a kind of it: `opencode` takes `opencode/general`, never `opencode-x`. */
const agents = (names: readonly string[]): Sql =>
  sql(
    `exists (select 1 from json_each(?) a where t.agent = a.value or substr(t.agent, 1, length(a.value) + 1) = a.value || '/')`,
    json(names),
  )

const text = (part: string): Sql =>
  sql('(instr(fold(t.title), ?) > 0 or instr(fold(t.native_id), ?) > 0)', fold(part), fold(part))

/** Sessions whose end is of an age at which their agent does one of these. */
function doing(activities: readonly SessionActivity[], now: number): Sql {
  const ages = agesOf(activities).map(({ ending, from, until }) => [
    codeOf(SESSION_ENDINGS, ending),
    Number.isFinite(until) ? now - until : Number.MIN_SAFE_INTEGER,
    Number.isFinite(from) ? now - from : Number.MAX_SAFE_INTEGER,
  ])
  return sql(
    `t.id in (select s.id from json_each(?) a join sessions s
       on s.changed_at > a.value ->> 1 and s.changed_at <= a.value ->> 2 and s.ending = a.value ->> 0)`,
    JSON.stringify(ages),
  )
}

const live = (isLive: Maybe<boolean>, now: number): Sql | null =>
  isLive === null || isLive === undefined
    ? null
    : sql(`t.id ${isLive ? '' : 'not '}in (select id from sessions where changed_at > ?)`, now - LIVE_MS)

/** Unless asked for, one way or another, lists leave out what no person started. */
function children({ includeChildren, kinds, parent, agents: names }: SessionFilter): Sql | null {
  if (includeChildren === true) return null
  if (includeChildren === false) return sql('t.kind = ?', MAIN)
  // A kind of agent, with a slash, mostly works for others: without its children a list of it would be empty.
  const namesKind = names?.some((name) => name.includes('/'))
  return kinds || parent || namesKind ? null : sql('t.kind = ?', MAIN)
}
