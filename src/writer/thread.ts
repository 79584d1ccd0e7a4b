import { parentPort, workerData } from 'node:worker_threads'
import { CommandError } from './commands.ts'
import type { FromThread, ToThread } from './messages.ts'
import { LocalWriter } from './writer.ts'

/** Entry of the writer's thread: commands come in as messages, results and wake-ups go out. */
if (parentPort === null) throw new Error('This file runs in a worker thread only.')
const port = parentPort
const post = (message: FromThread) => port.postMessage(message)

const describe = (error: unknown) => ({
  code: error instanceof CommandError ? error.code : null,
  message: error instanceof Error ? error.message : String(error),
  stack: error instanceof Error ? (error.stack ?? null) : null,
})

const writer = new LocalWriter(workerData, (error) => post({ type: 'fault', error: describe(error) }))
writer.listen((event) => post({ type: 'event', event }))

port.on('message', (message: ToThread) => {
  if (message.type === 'close') {
    writer.close().then(
      () => port.close(),
      (error: unknown) => post({ type: 'fault', error: describe(error) }),
    )
    return
  }
  writer.call(message.name, message.input).then(
    (result) => post({ type: 'result', id: message.id, result }),
    (error: unknown) => post({ type: 'error', id: message.id, error: describe(error) }),
  )
})
post({ type: 'ready' })
