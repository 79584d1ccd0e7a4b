import type { SyncDeps } from '../sync/deps.ts'
import type { CommandInput } from './commands.ts'

/** Sets what a person says of a session; false when there is no such session. */
export function annotate(deps: SyncDeps, input: CommandInput<'annotate'>): boolean {
  const { writer, journal, now } = deps
  return writer.transaction(() => {
    const session = writer.sessions.find(Buffer.from(input.uid, 'hex'))
    if (session === undefined) return false
    writer.sessions.annotate(session, input)
    journal.announce(session.id, 'session/annotated', now())
    return true
  })
}
