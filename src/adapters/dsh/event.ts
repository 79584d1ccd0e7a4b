import type { NativeEvent } from '../../model/journal.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Problem } from '../../model/record.ts'
import type { Item } from '../contract.ts'

/** One event with its data, and the position of the row that holds it. */
export interface LoggedEvent {
  readonly native: NativeEvent
  readonly data: JsonObject
  readonly record: number
}

/** What a session tells of all its events. */
export interface EventFrame {
  readonly sessionId: string
  /** The session that inherited events were copied from. */
  parentId(): string | null
  isInherited(seq: number): boolean
  problem(kind: Problem['kind'], record: number, message: string): Item
}
