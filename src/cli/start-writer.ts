import type { ErrorLog } from '../server/client-error.ts'
import type { Writer } from '../writer/commands.ts'
import { startWriter } from '../writer/worker.ts'
import type { WriterOptions } from '../writer/writer.ts'

/** Starts the writer and logs what goes wrong in it. What keeps it from starting is thrown alone: to log it would tell it twice. */
export async function startLogged(options: WriterOptions, log: ErrorLog): Promise<Writer> {
  const early: Error[] = []
  let tell = (error: Error): void => void early.push(error)
  const writer = await startWriter(options, (error) => tell(error))
  tell = (error) => log.error({ err: error }, 'The writer failed')
  early.forEach(tell)
  return writer
}
