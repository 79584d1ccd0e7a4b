import type { StoredMessage } from '../db/queries/messages.ts'
import { readRecord } from './content.ts'
import { shownJson } from './json-value.ts'
import type { Scope } from './scope.ts'

/** Place in a message's record under which adapters give its error. */
const ERROR_PLACE = 'error'

export interface MessageError {
  readonly code: string | null
  readonly message: string
  readonly isRetryable: boolean | null
  readonly of: StoredMessage
}

/** The error as the source wrote it; null where its adapter can't tell. */
export async function messageErrorRaw(scope: Scope, { of }: MessageError): Promise<unknown> {
  if (of.streamId === null || of.recordNo === null) return null
  return readRecord(scope, { streamId: of.streamId, no: of.recordNo }, { place: ERROR_PLACE }, shownJson)
}
