import {
  CommandError,
  type CommandInput,
  type CommandName,
  type CommandResult,
  type Writer,
  type WriterEvent,
} from '../../src/writer/commands.ts'

type Handlers = { [N in CommandName]?: (input: CommandInput<N>) => CommandResult<N> }

/** A writer that answers as a test says, and lets it wake whoever listens. */
export class FakeWriter implements Writer {
  readonly listeners = new Set<(event: WriterEvent) => void>()
  private readonly handlers: Handlers

  constructor(handlers: Handlers = {}) {
    this.handlers = handlers
  }

  async call<N extends CommandName>(name: N, input: CommandInput<N>): Promise<CommandResult<N>> {
    const handler = this.handlers[name]
    if (handler === undefined) throw new CommandError('UNAVAILABLE', 'Not in this test.')
    return handler(input)
  }

  listen(listener: (event: WriterEvent) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  wake(): void {
    for (const listener of this.listeners) listener({ type: 'run', runId: 1, isEnded: false })
  }

  async close(): Promise<void> {}
}
