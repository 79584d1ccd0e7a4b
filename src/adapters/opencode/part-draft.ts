import type { JsonObject } from '../../model/json.ts'
import type { RecordRef } from '../../model/record.ts'

/** A part's record on its way to rows, both generations alike. */
export interface PartDraft {
  readonly ref: RecordRef
  readonly id: string
  readonly type: string
  readonly data: JsonObject
}
