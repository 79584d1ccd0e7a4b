import type { Command } from 'commander'
import { z } from 'zod'
import { contextOf, terminalWidth, withConnection } from './command.ts'
import { ask } from './connection.ts'
import { SYNC_PLAN } from './documents.ts'
import { EXIT } from './exit-code.ts'
import { formatCount } from './format.ts'
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
        context.print(context.isJson ? JSON.stringify(syncPlan) : describe(syncPlan))
        return EXIT.done
      })
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
