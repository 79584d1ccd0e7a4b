import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { contextOf, terminalWidth, withConnection } from './command.ts'
import { ask, type Connection } from './connection.ts'
import { SESSIONS } from './documents.ts'
import { EXIT } from './exit-code.ts'
import { formatCount, formatDay, formatTime } from './format.ts'
import { checkSourceNames } from './roots.ts'
import { type Session, SessionPage } from './shapes.ts'
import { table } from './table.ts'

interface SessionsOptions {
  readonly limit: number
  readonly from?: string[]
  readonly project?: string[]
  readonly text?: string
  readonly children: boolean
}

export function addSessions(program: Command): void {
  program
    .command('sessions')
    .description('list sessions, the latest first')
    .option('-n, --limit <count>', 'how many at most', positive, 30)
    .option('--from <source...>', 'only of these sources, e.g. opencode')
    .option('--project <path...>', 'only of these project directories')
    .option('--text <text>', 'only with this in their title or id')
    .option('--children', 'sub-agents and automations too', false)
    .action(async (options: SessionsOptions, command: Command) => {
      const context = contextOf(command)
      checkSourceNames('--from', options.from ?? [])
      await withConnection(context, true, async (connection) => {
        const page = await listSessions(connection, options)
        const isFiltered = options.from !== undefined || options.project !== undefined || options.text !== undefined
        context.print(context.isJson ? JSON.stringify(page) : describe(page, isFiltered))
        return EXIT.done
      })
    })
}

function positive(value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Give a whole number from 1 on.')
  return number
}

type Page = z.infer<typeof SessionPage>
const PAGE_SIZE = 100

async function listSessions(connection: Connection, options: SessionsOptions): Promise<Page> {
  const filter = {
    sources: options.from ?? null,
    projects: options.project ?? null,
    text: options.text ?? null,
    includeChildren: options.children || null,
  }
  const nodes: Session[] = []
  let page: Page
  let after: string | null = null
  do {
    const variables = { first: Math.min(PAGE_SIZE, options.limit - nodes.length), after, filter }
    page = (await ask(connection, z.object({ sessions: SessionPage }), SESSIONS, variables)).sessions
    nodes.push(...page.nodes)
    after = page.pageInfo.endCursor
  } while (page.pageInfo.hasNextPage && nodes.length < options.limit)
  return { ...page, nodes }
}

function describe({ nodes, totalCount }: Page, isFiltered: boolean): string {
  if (nodes.length === 0 && isFiltered) return 'No sessions match.'
  if (nodes.length === 0) return 'No sessions. `weir sync` reads what the agents on this machine left.'
  const width = terminalWidth()
  const isTerminal = Number.isFinite(width)
  const shown = table(
    nodes,
    [
      {
        title: 'UPDATED',
        value: ({ updatedAt }) => (isTerminal ? formatDay(updatedAt, new Date()) : formatTime(updatedAt)),
      },
      { title: 'SOURCE', value: ({ source }) => source.name },
      { title: 'MSGS', value: ({ messageCount }) => formatCount(messageCount), isNumber: true },
      { title: 'COST', value: costOf, isNumber: true, gives: 'all' },
      { title: 'TITLE', value: ({ title, nativeId }) => title ?? nativeId, gives: 'last' },
      { title: 'SESSION', value: ({ nativeId }) => nativeId, gives: 'first' },
    ],
    width,
  )
  return totalCount > nodes.length
    ? `${shown}\n${formatCount(nodes.length)} of ${formatCount(totalCount)}; more with --limit.`
    : shown
}

const costOf = ({ usage }: Session): string => (usage.cost === null ? '' : `$${usage.cost.amount.toFixed(2)}`)
