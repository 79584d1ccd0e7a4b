import type { Command } from 'commander'
import { z } from 'zod'
import { contextOf, terminalWidth, withConnection } from './command.ts'
import { ask } from './connection.ts'
import { SYNC_PLAN } from './documents.ts'
import { EXIT } from './exit-code.ts'
import { formatCount } from './format.ts'
import { type LocalSource, localSources } from './local-roots.ts'
import { sourceRoots } from './roots.ts'
import { Plan } from './shapes.ts'
import { table } from './table.ts'

export function addPlan(program: Command): void {
  program
    .command('plan')
    .description('say what a sync would do now, without reading a session')
    .argument('[sources...]', 'names of sources; every enabled one when left out')
    .action(async (sources: string[], _: object, command: Command) => {
      const context = contextOf(command)
      await withConnection(context, false, async (connection) => {
        const variables = { sources: sources.length > 0 ? sources : null }
        const { syncPlan } = await ask(connection, z.object({ syncPlan: z.array(Plan) }), SYNC_PLAN, variables)
        if (context.isJson) context.print(JSON.stringify(syncPlan))
        else {
          const local = localSources(sourceRoots(context.config, context.sources))
          context.print([describe(syncPlan), ...notes(local, sources)].join('\n'))
        }
        return EXIT.done
      })
    })
}

/** What a sync would not read, and why. */
function notes(local: readonly LocalSource[], names: readonly string[]): string[] {
  const isNamed = ({ name }: LocalSource) => names.length === 0 || names.includes(name)
  return local.filter(isNamed).flatMap(({ name, isEnabled, roots }) => {
    if (!isEnabled && names.length === 0) return [`${name} is disabled`]
    return roots.flatMap(({ path, state }) => (state === 'there' ? [] : [`${name}: ${path} is ${state}`]))
  })
}

const describe = (plans: readonly z.infer<typeof Plan>[]): string =>
  table(
    plans,
    [
      { title: 'SOURCE', value: ({ source }) => source.name },
      { title: 'SESSIONS', value: ({ sessions }) => formatCount(sessions), isNumber: true },
      { title: 'UNCHANGED', value: ({ fresh }) => formatCount(fresh), isNumber: true },
      { title: 'TO READ', value: ({ pending }) => formatCount(pending), isNumber: true },
    ],
    terminalWidth(),
  )
