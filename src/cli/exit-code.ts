/** What the exit codes mean; scripts rely on them. */
export const EXIT = {
  done: 0,
  /** Done, but with problems, which were listed. */
  problems: 1,
  /** The command or the configuration is wrong. */
  usage: 2,
  /** It can't run here and now: the port is taken, the store is damaged, or another process holds it and doesn't answer. */
  unable: 3,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Ends a command with a message for people and an exit code. */
export class CliError extends Error {
  readonly exitCode: ExitCode
  /** Whether something went wrong inside, where `message` doesn't say what. */
  readonly isInternal: boolean
  constructor(exitCode: ExitCode, message: string, isInternal = false) {
    super(message)
    this.name = 'CliError'
    this.exitCode = exitCode
    this.isInternal = isInternal
  }
}
