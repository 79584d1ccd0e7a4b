import { CodedError } from '../model/error.ts'
import type { CommandInput, CommandName, CommandResult } from '../writer/commands.ts'
import type { Scope } from './scope.ts'

/**
 * Gives the writer a command; UNAVAILABLE when this server only reads. What was loaded before is forgotten, so that the answer shows
 * the store as the command left it.
 */
export async function command<N extends CommandName>(
  scope: Scope,
  name: N,
  input: CommandInput<N>,
): Promise<CommandResult<N>> {
  const writer = scope.services.writer()
  if (writer === null) {
    throw new CodedError(
      'UNAVAILABLE',
      'This server only reads, because another process holds the store for writing. Wait until that has ended, or ask its server.',
    )
  }
  const result = await writer.call(name, input)
  scope.forget()
  return result
}
