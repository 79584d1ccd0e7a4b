#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { Command, CommanderError } from 'commander'
import { z } from 'zod'
import { addDoctor } from './doctor.ts'
import { addErase } from './erase.ts'
import { CliError, EXIT } from './exit-code.ts'
import { addPlan } from './plan.ts'
import { addServe } from './serve.ts'
import { addSessions } from './sessions.ts'
import { addShow } from './show.ts'
import { addSync } from './sync.ts'
import { VERSION } from './version.ts'

// A server idles most of its life: short-lived objects get little room, which costs reads nothing that can be measured.
setFlagsFromString('--max-semi-space-size=4')

const program = new Command('weir')
  .description('Every session you ever had with a coding agent, in one local store, served as one live GraphQL API.')
  .version(VERSION)
  .option(
    '--source <name=path>',
    'read this root, and only the roots given so (repeatable), e.g. opencode=/backup/opencode',
    (value: string, before: string[]) => [...before, value],
    [],
  )
  .option('--json', 'print one JSON document on stdout, and progress as JSON lines on stderr (not for serve)', false)
  .addHelpText(
    'after',
    `
Environment:
  WEIR_HOME   directory of the store and config.json
              (default: weir in the XDG data directory)
  WEIR_TOKEN  token that clients of \`weir serve\` must send
  WEIR_LOG    level of the log on stderr: error, warn (default), info, debug

Exit codes: 0 done, 1 done with problems, 2 wrong use, 3 can't run here and now.`,
  )
  .showHelpAfterError('(see weir --help)')
  .exitOverride()

for (const add of [addServe, addSync, addPlan, addSessions, addShow, addErase, addDoctor]) add(program)
// Global options may stand behind the command, where people put them.
for (const command of program.commands) {
  command.exitOverride().showHelpAfterError(`(see weir ${command.name()} --help)`)
  for (const option of program.options) {
    const isItsOwn = option.long === '--version' || (option.long === '--json' && command.name() === 'serve')
    if (!isItsOwn) command.addOption(option)
  }
}

// A reader that has seen enough, as `head` has, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(EXIT.done)
})

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (error instanceof CliError) {
    process.stderr.write(`weir: ${error.message}\n`)
    return error.exitCode
  }
  // Nobody foresaw this one: its stack is what a report of it needs.
  const message =
    error instanceof z.ZodError
      ? `The server answered in a way that this version does not understand.\n${z.prettifyError(error)}`
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error)
  process.stderr.write(`weir: ${message}\n`)
  return EXIT.unable
}
