import type { CommandError, CommandInput, CommandName, CommandResult, WriterEvent } from './commands.ts'

/** What crosses between the writer's thread and the rest. */
export type ToThread =
  | {
      readonly type: 'call'
      readonly id: number
      readonly name: CommandName
      readonly input: CommandInput<CommandName>
    }
  | { readonly type: 'close' }

export interface ThreadError {
  /** Null for a fault that nobody foresaw. */
  readonly code: CommandError['code'] | null
  readonly message: string
  readonly stack: string | null
}

export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'result'; readonly id: number; readonly result: CommandResult<CommandName> }
  | { readonly type: 'error'; readonly id: number; readonly error: ThreadError }
  | { readonly type: 'fault'; readonly error: ThreadError }
  | { readonly type: 'event'; readonly event: WriterEvent }
