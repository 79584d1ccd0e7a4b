import { setTimeout as delay } from 'node:timers/promises'
import type { SyncDeps } from '../sync/deps.ts'
import { settleCopies } from '../sync/lineage.ts'
import type { CommandResult } from './commands.ts'

/** A reader holds the log for as long as one statement takes: a few tries are plenty. */
const TRIES = 200
const PAUSE_MS = 10

/** Erases a session and what it spawned; done when nothing of them is left in the store's files (design §7.3). */
export async function erase(deps: SyncDeps, uidHex: string): Promise<CommandResult<'erase'>> {
  const { writer, journal, now } = deps
  const { eraser } = writer
  const session = writer.sessions.find(Buffer.from(uidHex, 'hex'))
  if (session === undefined) return { isFound: false, erasedUids: [], copyUids: [] }
  const result = eraser.securely(() =>
    writer.transaction(() => {
      const tree = eraser.tree(session.id)
      const ids = tree.map(({ id }) => id)
      const copyUids = eraser.copiesOf(ids)
      for (const { uid } of tree) eraser.bury(uid, now())
      const deleted = eraser.delete(ids)
      settleCopies(writer, new Set(deleted.flatMap(({ copyKeys }) => copyKeys)))
      for (const { id, uid } of deleted) journal.announce(id, 'session/erased', now(), { uid: uid.toString('hex') })
      return {
        isFound: true,
        erasedUids: tree.map(({ uid }) => uid.toString('hex')),
        copyUids: copyUids.map((uid) => uid.toString('hex')),
      }
    }),
  )
  for (let tries = 0; !eraser.truncateLog(); tries++) {
    if (tries === TRIES)
      throw new Error('The session is erased, but a reader keeps the log with its traces. Restart Weir to empty it.')
    await delay(PAUSE_MS)
  }
  return result
}
