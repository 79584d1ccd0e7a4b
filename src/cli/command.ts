import type { Command } from 'commander'
import { type Config, readConfig } from './config.ts'
import { connect } from './connect.ts'
import type { Connection } from './connection.ts'
import { throwIfDamaged } from './damage.ts'
import { EXIT, type ExitCode } from './exit-code.ts'

/** Options that every command takes. */
export interface GlobalOptions {
  readonly source: readonly string[]
  readonly json: boolean
}

/** What a command works with. */
export interface CommandContext {
  readonly config: Config
  readonly isJson: boolean
  /** Values of `--source`. */
  readonly sources: readonly string[]
  /** Writes for people or scripts on stdout. */
  print(text: string): void
}

/** The context of a command that runs now. */
export function contextOf(command: Command): CommandContext {
  const { source, json } = command.optsWithGlobals<GlobalOptions>()
  return {
    config: readConfig(),
    isJson: json,
    sources: source,
    print: (text) => void process.stdout.write(`${text}\n`),
  }
}

/** Runs `work` on a connection to the store and closes it, whatever comes. */
export async function withConnection(
  context: CommandContext,
  isReadOnly: boolean,
  work: (connection: Connection) => Promise<ExitCode>,
): Promise<void> {
  try {
    const connection = await connect({ config: context.config, sources: context.sources, isReadOnly })
    try {
      process.exitCode = await work(connection)
    } finally {
      await connection.close()
    }
  } catch (error) {
    throwIfDamaged(context.config, error)
    throw error
  }
}

export const done = EXIT.done

/** Columns of the terminal; without end in a pipe, where a script wants whole values. */
export const terminalWidth = (): number => (process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY)
