import type { Command } from 'commander'
import { z } from 'zod'
import { type CommandContext, contextOf, withConnection } from './command.ts'
import { ask, type Connection, follow } from './connection.ts'
import { throwIfDamaged } from './damage.ts'
import { START_SYNC, SYNC_PROGRESS, SYNC_RUN } from './documents.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { formatBytes, formatCount, formatDuration, plural } from './format.ts'
import { localSources } from './local-roots.ts'
import { progressView } from './progress.ts'
import { sourceRoots } from './roots.ts'
import { Progress, SyncRun } from './shapes.ts'
import { printable } from './table.ts'

export function addSync(program: Command): void {
  program
    .command('sync')
    .description('read what is new in every agent’s sessions')
    .argument('[sources...]', 'names of sources; every enabled one when left out')
    .option('--verify', 'read everything again instead of trusting what was seen before', false)
    .addHelpText('after', '\nExit code 1: done, but with problems, which are listed.')
    .action(async (sources: string[], options: { verify: boolean }, command: Command) => {
      const context = contextOf(command)
      await withConnection(context, false, (connection) => sync(context, connection, sources, options.verify))
    })
}

async function sync(
  context: CommandContext,
  connection: Connection,
  sources: readonly string[],
  verify: boolean,
): Promise<ExitCode> {
  const local = localSources(sourceRoots(context.config, context.sources))
  if (sources.length === 0 && connection.url === null && !local.some(({ isEnabled }) => isEnabled))
    process.stderr.write(
      'No source is enabled in config.json: there is nothing to sync. Name one to read it all the same.\n',
    )
  const started = await ask(
    connection,
    z.object({ startSync: z.object({ run: z.object({ id: z.string() }) }) }),
    START_SYNC,
    { sources: sources.length > 0 ? sources : null, verify },
  )
  const { id } = started.startSync.run
  await showProgress(context, connection, id)
  const run = await readRun(connection, id)
  if (context.isJson) context.print(JSON.stringify(run))
  else context.print(describe(run, verify))
  if (run.status === 'FAILED') {
    throwIfDamaged(context.config, new Error('The run failed.'))
    return EXIT.unable
  }
  return run.progress.problemCount > 0 ? EXIT.problems : EXIT.done
}

/** Shows a run on stderr until it ends. */
export async function showProgress(context: CommandContext, connection: Connection, run: string): Promise<void> {
  const view = progressView(process.stderr, context.isJson)
  try {
    for await (const event of follow(connection, z.object({ syncProgress: Progress }), SYNC_PROGRESS, { run }))
      view.show(event.syncProgress)
  } finally {
    view.end()
  }
}

/** The run with all of its problems. */
async function readRun(connection: Connection, id: string): Promise<z.infer<typeof SyncRun>> {
  const Node = z.object({ node: SyncRun })
  const { node: run } = await ask(connection, Node, SYNC_RUN, { id })
  const nodes = [...run.problems.nodes]
  let { pageInfo } = run.problems
  while (pageInfo.hasNextPage) {
    const { node } = await ask(connection, Node, SYNC_RUN, { id, after: pageInfo.endCursor })
    nodes.push(...node.problems.nodes)
    pageInfo = node.problems.pageInfo
  }
  return { ...run, problems: { ...run.problems, nodes, pageInfo } }
}

function describe(run: z.infer<typeof SyncRun>, verify: boolean): string {
  const { progress, problems } = run
  const isUnchanged =
    progress.messagesInserted + progress.messagesUpdated + progress.partsInserted + progress.partsUpdated === 0
  const counts = [
    `${plural(progress.sessionsDone, 'session')}${verify ? ' read again' : ''}`,
    ...(verify ? [] : [`${formatCount(progress.sessionsFresh)} unchanged`]),
    ...(progress.sessionsSuperseded > 0 ? [`${formatCount(progress.sessionsSuperseded)} superseded copies`] : []),
    ...(progress.sessionsUnsupported > 0 ? [`${formatCount(progress.sessionsUnsupported)} unsupported`] : []),
    verify && isUnchanged
      ? 'nothing changed'
      : `${formatCount(progress.messagesInserted)} new and ${formatCount(progress.messagesUpdated)} changed messages`,
    formatBytes(progress.bytesRead),
    formatDuration(progress.elapsedMs),
  ].join(', ')
  const status = run.status === 'COMPLETED' ? 'Synced' : run.status.toLowerCase()
  const found = problems.nodes.map(
    ({ kind, location, message }) => `  ${kind}  ${printable(location)}\n      ${printable(message)}`,
  )
  const list = found.length === 0 ? [] : [`${plural(problems.totalCount, 'problem')}:`, ...found]
  return [`${status}: ${counts}.`, ...list].join('\n')
}
