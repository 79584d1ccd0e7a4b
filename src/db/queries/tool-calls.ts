import { TOOL_CALL_STATUSES, TOOL_CATEGORIES, type ToolCallStatus, type ToolCategory } from '../../model/enums.ts'
import { normalPath } from '../../model/path.ts'
import { manyByKey } from '../by-key.ts'
import { codeOf } from '../columns.ts'
import type { ListQuery } from '../keyset.ts'
import type { Store } from '../open.ts'
import { rowShape } from '../row-shape.ts'
import { touches } from '../schema.ts'
import { oneOf, type Sql, sql } from '../sql.ts'
import { partShape, type StoredPart } from './parts.ts'
import type { SessionHandle } from './session-handle.ts'

export interface ToolCallFilter {
  readonly names?: readonly string[] | null | undefined
  readonly categories?: readonly ToolCategory[] | null | undefined
  readonly statuses?: readonly ToolCallStatus[] | null | undefined
  readonly filePath?: string | null | undefined
}

/** Tool calls of a session, in session order. Walks the messages in order, so that no sorting is needed. */
export function toolCallsOfSession(filter: ToolCallFilter): ListQuery<SessionHandle, StoredPart> {
  return {
    name: `tool calls ${JSON.stringify(filter)}`,
    from: 'messages m cross join parts t on t.session_id = m.session_id and t.message_id = m.id and t.category is not null',
    fromKeys: 'parts t join messages m on m.id = t.message_id',
    parent: 'm.session_id',
    where: toolCallConditions(filter),
    order: ['m.order_key', 'm.id', 't.ordinal'],
    direction: 'ASC',
    unique: ['t.id'],
    columns: partShape.columns,
    decode: (values, from, session) => ({ ...partShape.decode(values, from), session, message: null }),
  }
}

function toolCallConditions({ names, categories, statuses, filePath }: ToolCallFilter): Sql[] {
  const conditions: Sql[] = []
  if (names) conditions.push(oneOf('t.name', names))
  if (categories)
    conditions.push(
      oneOf(
        't.category',
        categories.map((value) => codeOf(TOOL_CATEGORIES, value)),
      ),
    )
  if (statuses)
    conditions.push(
      oneOf(
        't.status',
        statuses.map((value) => codeOf(TOOL_CALL_STATUSES, value)),
      ),
    )
  if (filePath) {
    conditions.push(
      sql('exists (select 1 from touches f where f.part_id = t.id and f.path_key = ?)', normalPath(filePath)),
    )
  }
  return conditions
}

const shape = rowShape(touches, 't')
export type StoredTouch = typeof touches.$inferSelect

/** Files that each call read or changed. */
export const touchesOfParts = (store: Store, ids: readonly number[]): StoredTouch[][] =>
  manyByKey(
    store,
    `select k.key, ${shape.columns} from json_each(?) k join touches t on t.part_id = k.value order by k.key, t.ordinal`,
    ids,
    (row) => shape.decode(row, 1),
  )
