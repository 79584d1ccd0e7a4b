/** What the main thread may ask of the writer (design §5.2): typed commands in, results out. Sessions are named by uid, as hex. */
export interface Commands {
  startSync: { input: { sources: readonly string[] | null; verify: boolean }; result: { runId: number } }
  /** Without effect on a run that has ended. */
  cancelSync: { input: { runId: number }; result: { runId: number } }
  /** What a sync would do now, found without decoding bodies. */
  plan: { input: { sources: readonly string[] | null }; result: readonly PlannedSource[] }
  annotate: {
    input: {
      uid: string
      /** Left out: stays as it is. */
      isStarred?: boolean
      tags?: readonly string[]
      note?: string | null
    }
    result: { isFound: boolean }
  }
  /** Removes a session and its children for good. Answers when nothing of them is left in the store's files. */
  erase: {
    input: { uid: string }
    result: { isFound: boolean; erasedUids: readonly string[]; copyUids: readonly string[] }
  }
}

export interface PlannedSource {
  readonly source: string
  readonly sessions: number
  readonly fresh: number
  readonly pending: number
}

export type CommandName = keyof Commands
export type CommandInput<N extends CommandName> = Commands[N]['input']
export type CommandResult<N extends CommandName> = Commands[N]['result']

/** Wake-ups only: whoever is woken reads the store. */
export type WriterEvent =
  /** A run's row changed (at most ten times a second, and once at its end). */
  | { readonly type: 'run'; readonly runId: number; readonly isEnded: boolean }
  /** Journals grew; `position` is the feed's newest. */
  | { readonly type: 'commit'; readonly position: number }

/** The writer as everybody else sees it, whichever thread it lives in. */
export interface Writer {
  call<N extends CommandName>(name: N, input: CommandInput<N>): Promise<CommandResult<N>>
  /** Returns the function that ends the listening. */
  listen(listener: (event: WriterEvent) => void): () => void
  /** Ends runs at their next checkpoint, then gives the store back. */
  close(): Promise<void>
}

/** A command that the caller got wrong; its message is for them. */
export class CommandError extends Error {
  readonly code: 'NOT_FOUND' | 'BAD_USER_INPUT' | 'CONFLICT' | 'UNAVAILABLE'
  constructor(code: CommandError['code'], message: string) {
    super(message)
    this.name = 'CommandError'
    this.code = code
  }
}
