import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { z } from 'zod'
import { contextOf, withConnection } from './command.ts'
import { ask } from './connection.ts'
import { ERASE_SESSION } from './documents.ts'
import { CliError, EXIT } from './exit-code.ts'
import { findSession } from './find-session.ts'
import { plural } from './format.ts'
import { Erased } from './shapes.ts'
import { oneLine } from './table.ts'

export function addErase(program: Command): void {
  program
    .command('erase')
    .description('remove a session and its children from the store for good')
    .argument('<session>', 'GraphQL id, source:nativeId, or a native id that only one session has')
    .option('-y, --yes', 'do not ask', false)
    .addHelpText('after', '\nThe agent’s own files stay as they are; Weir never takes the session in again.')
    .action(async (name: string, options: { yes: boolean }, command: Command) => {
      const context = contextOf(command)
      await withConnection(context, false, async (connection) => {
        const session = await findSession(connection, name)
        if (!options.yes && !(await isSure(oneLine(session.title ?? session.nativeId)))) return EXIT.done
        const shape = z.object({ eraseSession: Erased })
        const { eraseSession } = await ask(connection, shape, ERASE_SESSION, { session: session.id })
        if (context.isJson) context.print(JSON.stringify(eraseSession))
        else {
          const copies = eraseSession.inheritedCopies.map(
            ({ title, nativeId }) => `  ${oneLine(title ?? nativeId)} (${nativeId})`,
          )
          context.print(`Erased ${plural(eraseSession.erasedSessionIds.length, 'session')}.`)
          if (copies.length > 0)
            context.print(['These sessions hold copies of its messages, and stay:', ...copies].join('\n'))
        }
        return EXIT.done
      })
    })
}

async function isSure(title: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new CliError(EXIT.usage, 'Erasing can’t be undone. Give --yes to do it without being asked.')
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await prompt.question(`Erase "${title}" and its children for good? [y/N] `)).trim())
  } finally {
    prompt.close()
  }
}
