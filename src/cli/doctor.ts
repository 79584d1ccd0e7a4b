import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { openHome } from '../db/home.ts'
import { integrityOf } from '../db/integrity.ts'
import { contextOf, withConnection } from './command.ts'
import { ask } from './connection.ts'
import { DOCTOR } from './documents.ts'
import { EXIT } from './exit-code.ts'
import { formatBytes, formatCount, plural } from './format.ts'
import { Doctor } from './shapes.ts'
import { printable } from './table.ts'

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the store and every source, and say what is wrong')
    .action(async (_: object, command: Command) => {
      const context = contextOf(command)
      await withConnection(context, true, async (connection) => {
        const report = await ask(connection, Doctor, DOCTOR)
        const home = openHome(context.config.home)
        const store = {
          home: home.path,
          bytes: statSync(home.store).size,
          integrity: integrityOf(home.store),
          node: process.version,
          server: connection.url,
        }
        if (context.isJson) context.print(JSON.stringify({ store, ...report }))
        else {
          context.print(`Weir ${report.server.version} on Node ${store.node}, ${report.server.origin.name}`)
          context.print(
            `${store.integrity === 'ok' ? '✓' : '✗'} store ${home.store} (${formatBytes(store.bytes)}): ${store.integrity}`,
          )
          context.print(store.server === null ? '  no server runs on it' : `✓ server at ${store.server}`)
          for (const source of report.sources) {
            context.print(`${source.isEnabled ? '✓' : '–'} ${source.title}: ${plural(source.sessionCount, 'session')}`)
            if (source.roots.length === 0) context.print('    nothing found on this machine')
            for (const root of source.roots) {
              context.print(
                `    ${root.path}: ${root.status} ${root.generations.join(', ')} (${formatCount(root.sessionCount)})`,
              )
              for (const warning of root.warnings) context.print(`    ! ${printable(warning.message)}`)
            }
          }
          const { totalCount, nodes } = report.problems
          if (totalCount > 0) context.print(`✗ ${plural(totalCount, 'open problem')}:`)
          for (const { kind, location, message } of nodes)
            context.print(`    ${kind} ${printable(location)}: ${printable(message)}`)
        }
        return store.integrity === 'ok' && report.problems.totalCount === 0 ? EXIT.done : EXIT.problems
      })
    })
}
