import { statSync } from 'node:fs'
import type { Command } from 'commander'
import type { z } from 'zod'
import { openHome } from '../db/home.ts'
import { type CommandContext, contextOf, withConnection } from './command.ts'
import { ask, type Connection } from './connection.ts'
import { damageOf } from './damage.ts'
import { describeProblems, describeSource, describeStore, type StoreState } from './doctor-text.ts'
import { DOCTOR } from './documents.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { isBroken, type LocalSource, localSources } from './local-roots.ts'
import { sourceRoots } from './roots.ts'
import { Doctor } from './shapes.ts'

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the store and every source, and say what is wrong')
    .action(async (_: object, command: Command) => {
      const context = contextOf(command)
      const local = localSources(sourceRoots(context.config, context.sources))
      const file = openHome(context.config.home).store
      const damage = damageOf(file)
      // Nothing can be asked of a damaged store: what is left to look at is this machine.
      if (damage !== null) process.exitCode = reportDamage(context, file, damage, local)
      else await withConnection(context, true, (connection) => report(context, connection, file, local))
    })
}

const stateOf = (context: CommandContext, file: string, integrity: string, server: string | null): StoreState => ({
  home: context.config.home,
  bytes: statSync(file).size,
  integrity,
  node: process.version,
  server,
})

function reportDamage(
  context: CommandContext,
  file: string,
  damage: string,
  local: readonly LocalSource[],
): typeof EXIT.problems {
  const store = stateOf(context, file, damage, null)
  if (context.isJson) context.print(JSON.stringify({ store, sources: local.map(withLocalRoots) }))
  else context.print([describeStore(file, store), ...local.map((source) => describeSource(source, null))].join('\n'))
  return EXIT.problems
}

const withLocalRoots = ({ name, title, isEnabled, roots }: LocalSource) => ({
  name,
  title,
  isEnabled,
  localRoots: roots,
})

async function report(
  context: CommandContext,
  connection: Connection,
  file: string,
  local: readonly LocalSource[],
): Promise<ExitCode> {
  const report: z.infer<typeof Doctor> = await ask(connection, Doctor, DOCTOR)
  const store = stateOf(context, file, 'ok', connection.url)
  const known = new Map(report.sources.map((source) => [source.name, source]))
  if (context.isJson) {
    const roots = new Map(local.map((source) => [source.name, source.roots]))
    const sources = report.sources.map((source) => ({ ...source, localRoots: roots.get(source.name) ?? [] }))
    context.print(JSON.stringify({ store, ...report, sources }))
  } else {
    context.print(`Weir ${report.server.version} on Node ${store.node}, ${report.server.origin.name}`)
    context.print(describeStore(file, store))
    context.print(store.server === null ? '  no server runs on it' : `✓ server at ${store.server}`)
    for (const source of local) context.print(describeSource(source, known.get(source.name) ?? null))
    for (const line of describeProblems(report.problems)) context.print(line)
  }
  return report.problems.totalCount === 0 && !local.some(isBroken) ? EXIT.done : EXIT.problems
}
