import { CodedError } from '../model/error.ts'
import type { Writer } from '../writer/commands.ts'
import type { Scope } from './scope.ts'

/** Who writes; UNAVAILABLE when this server only reads. */
export function writerOf(scope: Scope, purpose: string): Writer {
  const writer = scope.services.writer()
  if (writer !== null) return writer
  throw new CodedError(
    'UNAVAILABLE',
    `This server can't ${purpose}, because another process holds the store for writing. Wait until it has ended, or ask its server.`,
  )
}
