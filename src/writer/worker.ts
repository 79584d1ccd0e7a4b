import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { asString, at } from '../model/json.ts'
import {
  CommandError,
  type CommandInput,
  type CommandName,
  type CommandResult,
  type Writer,
  type WriterEvent,
} from './commands.ts'
import type { FromThread, ThreadError, ToThread } from './messages.ts'
import type { WriterOptions } from './writer.ts'

/** Space for short-lived objects in the thread. The default of 48 MB would stay taken long after a sync that needed none of it. */
const YOUNG_MB = 24

interface Waiting {
  readonly resolve: (result: CommandResult<CommandName>) => void
  readonly reject: (error: Error) => void
}

/** Starts the writer in a thread of its own; resolves when the store is open and migrated (design §5.2). */
export async function startWriter(options: WriterOptions, onError: (error: Error) => void): Promise<Writer> {
  const isSource = import.meta.url.endsWith('.ts')
  const worker = new Worker(new URL(isSource ? './thread.ts' : './thread.js', import.meta.url), {
    workerData: options,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    // From the source tree, the thread needs the loader that the main thread runs under.
    ...(isSource ? { execArgv: ['--import', 'tsx'] } : {}),
  })
  const proxy = new WorkerWriter(worker, onError)
  await proxy.ready
  return proxy
}

class WorkerWriter implements Writer {
  readonly ready: Promise<void>
  private readonly worker: Worker
  private readonly waiting = new Map<number, Waiting>()
  private readonly listeners = new Set<(event: WriterEvent) => void>()
  private lastId = 0
  private isGone = false

  constructor(worker: Worker, onError: (error: Error) => void) {
    this.worker = worker
    this.ready = new Promise((resolve, reject) => {
      worker.on('message', (message: FromThread) => {
        if (message.type === 'ready') resolve()
        else if (message.type === 'fault') onError(toError(message.error))
        else this.receive(message)
      })
      worker.once('error', (error) => {
        // An error of a class that only the thread knows arrives as a plain object.
        const fault = error instanceof Error ? error : new Error(asString(at(error, 'message')) ?? String(error))
        reject(fault)
        onError(fault)
      })
      worker.once('exit', () => {
        reject(new Error('The writer ended before it was ready.'))
        this.isGone = true
        for (const { reject: fail } of this.waiting.values()) fail(new CommandError('UNAVAILABLE', GONE))
        this.waiting.clear()
      })
    })
  }

  call<N extends CommandName>(name: N, input: CommandInput<N>): Promise<CommandResult<N>>
  call(name: CommandName, input: CommandInput<CommandName>): Promise<CommandResult<CommandName>> {
    if (this.isGone) return Promise.reject(new CommandError('UNAVAILABLE', GONE))
    this.lastId += 1
    const id = this.lastId
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      this.post({ type: 'call', id, name, input })
    })
  }

  listen(listener: (event: WriterEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  async close(): Promise<void> {
    if (this.isGone) return
    const gone = once(this.worker, 'exit')
    this.post({ type: 'close' })
    await gone
  }

  private post(message: ToThread): void {
    this.worker.postMessage(message)
  }

  private receive(message: Exclude<FromThread, { type: 'ready' | 'fault' }>): void {
    if (message.type === 'event') {
      for (const listener of this.listeners) listener(message.event)
      return
    }
    const waiting = this.waiting.get(message.id)
    this.waiting.delete(message.id)
    if (message.type === 'result') waiting?.resolve(message.result)
    else waiting?.reject(toError(message.error))
  }
}

const GONE = 'The writer has ended. Restart Weir to change anything.'

function toError({ code, message, stack }: ThreadError): Error {
  if (code !== null) return new CommandError(code, message)
  const error = new Error(message)
  if (stack !== null) error.stack = stack
  return error
}
