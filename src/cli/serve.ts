import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { type Home, openHome } from '../db/home.ts'
import { acquireWriterLock, isLock, type WriterLock } from '../db/lock.ts'
import { openWriter } from '../db/open.ts'
import { type Listener, listen, UnsafeBindError } from '../server/listen.ts'
import type { Writer } from '../writer/commands.ts'
import { type CommandContext, contextOf } from './command.ts'
import { openApi } from './connect.ts'
import { throwIfDamaged } from './damage.ts'
import { LATEST_RUNS, SYNC_PROGRESS } from './documents.ts'
import { CliError, EXIT } from './exit-code.ts'
import { logTo } from './log.ts'
import { progressView } from './progress.ts'
import { hasAnyRoot, type SourceRoots, sourceRoots } from './roots.ts'
import { LatestRuns, Progress } from './shapes.ts'
import { startLogged } from './start-writer.ts'
import { PACKAGE_DIR } from './version.ts'

interface ServeOptions {
  readonly port?: number
  readonly host?: string
  readonly watch: boolean
  readonly sync: boolean
  readonly orDemo: boolean
}

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('serve the API and GraphiQL, sync in the background, then watch for changes')
    .option('--port <port>', 'port to listen on; 0 takes any free one (default: 4680)', port)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1); any but a loopback one needs WEIR_TOKEN')
    .option('--no-watch', 'do not watch for changes')
    .option('--no-sync', 'do not sync at the start')
    .option('--or-demo', 'where no agent left anything, serve bundled samples from a temporary store', false)
    .addHelpText('after', '\nPrints `Weir is ready at URL` on stdout when it answers.')
    .action(async (options: ServeOptions, command: Command) => {
      const context = contextOf(command)
      // Who starts a server waits for its ready line, which is the same everywhere.
      if (context.isJson)
        throw new CliError(EXIT.usage, '`weir serve` takes no --json: its ready line on stdout names the URL.')
      await serve(context, options)
    })
}

function port(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 0 || number > 65535)
    throw new InvalidArgumentError('Give a port from 0 to 65535.')
  return number
}

/** How often a server that can't write looks whether it can. */
const TAKE_OVER_EVERY_MS = 1000

async function serve(context: CommandContext, options: ServeOptions): Promise<void> {
  const { home, sources } = whatToServe(context, options)
  const { config } = context
  const log = logTo(config)
  const writerOptions = { home, sources, watch: options.watch, syncAtStart: options.sync }
  const start = () => startLogged(writerOptions, log)
  const lock = acquireWriterLock(home)
  if (!isLock(lock) && lock.url !== null)
    throw new CliError(
      EXIT.unable,
      `Weir is already running at ${lock.url} (process ${lock.pid ?? 'unknown'}), on the same store.`,
    )
  let held: { lock: WriterLock; writer: Writer } | null = null
  if (isLock(lock))
    held = {
      lock,
      writer: await start().catch((error: unknown) => {
        lock.release()
        throwIfDamaged(config, error)
        throw error
      }),
    }
  else if (!existsSync(home.store)) openWriter(home.store).close()

  const api = openApi(home, held?.writer ?? null, log)
  const port = options.port ?? config.port
  const listener = await bind(port, () =>
    listen(api, {
      host: options.host ?? config.host,
      port,
      token: config.token,
      allowedHosts: config.allowedHosts,
    }),
  ).catch(async (error: unknown) => {
    await held?.writer.close()
    held?.lock.release()
    throw error
  })
  held?.lock.announce(listener.url)
  const stopped = stopSignal()
  context.print(`Weir is ready at ${listener.url}`)

  const takeOver = setInterval(() => {
    if (held !== null) return
    const free = acquireWriterLock(home)
    if (!isLock(free)) return
    clearInterval(takeOver)
    start().then(
      (writer) => {
        held = { lock: free, writer }
        free.announce(listener.url)
        api.setWriter(writer)
      },
      (error: unknown) => log.error({ err: error }, 'The writer could not be taken over'),
    )
  }, TAKE_OVER_EVERY_MS)
  if (held !== null) clearInterval(takeOver)

  if (held !== null && options.sync) await Promise.race([showFirstSync(api), stopped])
  await stopped
  clearInterval(takeOver)
  await listener.close()
  api.close()
  await held?.writer.close()
  held?.lock.release()
  api.closeStore()
}

/** Shows the sync of the start on stderr, as `weir sync` does. */
async function showFirstSync(api: ReturnType<typeof openApi>): Promise<void> {
  // By its id: a short run is over before anybody can ask for the one that goes on.
  const latest = LatestRuns.safeParse((await api.execute({ query: LATEST_RUNS })).data)
  const run = latest.data?.syncRuns.nodes.find(({ trigger }) => trigger === 'STARTUP')?.id ?? null
  const view = progressView(process.stderr, false)
  try {
    for await (const { data } of api.subscribe({ query: SYNC_PROGRESS, variables: { run } })) {
      const event = z.object({ syncProgress: Progress }).safeParse(data)
      if (event.success) view.show(event.data.syncProgress)
    }
  } finally {
    view.end()
  }
}

/** The store and the sources: this machine's, or the demo's. */
function whatToServe(context: CommandContext, options: ServeOptions): { home: Home; sources: SourceRoots } {
  const sources = sourceRoots(context.config, context.sources)
  const isEmpty = !hasAnyRoot(sources) && !existsSync(join(context.config.home, 'weir.db'))
  if (!options.orDemo || !isEmpty || context.sources.length > 0) return { home: openHome(context.config.home), sources }
  const path = mkdtempSync(join(tmpdir(), 'weir-demo-'))
  process.on('exit', () => rmSync(path, { recursive: true, force: true }))
  context.print('No coding agent was found on this machine: serving bundled samples as a demo, from a temporary store.')
  const demo = Object.keys(sources).map((name) => [name, { roots: sampleRoots(name), isEnabled: true }] as const)
  return { home: openHome(path), sources: Object.fromEntries(demo) }
}

/** Each folder of a source's fixtures is a root of its own. */
function sampleRoots(source: string): string[] {
  const directory = join(PACKAGE_DIR, 'fixtures', source)
  if (!existsSync(directory)) return []
  const entries = readdirSync(directory, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name))
}

async function bind(port: number, start: () => Promise<Listener>): Promise<Listener> {
  try {
    return await start()
  } catch (error) {
    if (error instanceof UnsafeBindError) throw new CliError(EXIT.usage, error.message)
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'EADDRINUSE')
      throw new CliError(
        EXIT.unable,
        `Port ${port} is taken. Choose another with --port, or any free one with --port 0.`,
      )
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
      throw new CliError(EXIT.unable, `It can't listen there (${code}). Choose another --host or --port.`)
    throw error
  }
}

/** The first signal ends the program in order, a second one at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
