import { existsSync } from 'node:fs'
import { type Home, openHome } from '../db/home.ts'
import { acquireWriterLock, type Holder, isLock, type WriterLock } from '../db/lock.ts'
import { openReader } from '../db/open.ts'
import { stringAt } from '../model/json.ts'
import { type Api, createApi } from '../server/api.ts'
import type { ErrorLog } from '../server/client-error.ts'
import type { Writer } from '../writer/commands.ts'
import type { Config } from './config.ts'
import { type Answer, type Connection, remoteConnection } from './connection.ts'
import { contentOf, locateOf } from './content.ts'
import { CliError, EXIT } from './exit-code.ts'
import { commandLog } from './log.ts'
import { sourceRoots } from './roots.ts'
import { startLogged } from './start-writer.ts'
import { VERSION } from './version.ts'

export interface ConnectOptions {
  readonly config: Config
  /** Values of `--source`. */
  readonly sources: readonly string[]
  /** Whether the command can do with reading alone. */
  readonly isReadOnly: boolean
}

/**
 * Reaches the store: through the server that holds it, else in this process (design §5.2). What a command can't do through a server
 * it refuses.
 */
export async function connect({ config, sources, isReadOnly }: ConnectOptions): Promise<Connection> {
  const home = openHome(config.home)
  const lock = acquireWriterLock(home)
  if (isLock(lock)) return localConnection(home, config, sources, lock)
  if (lock.url !== null) {
    if (sources.length > 0) throw new CliError(EXIT.usage, refuseSource(lock.url))
    return reachable(remoteConnection(lock.url, config.token), lock, config.token)
  }
  if (!isReadOnly || !existsSync(home.store)) throw new CliError(EXIT.unable, heldBy(lock))
  return inProcess(openApi(home, null, commandLog(config)), async () => {})
}

const refuseSource = (url: string): string =>
  `A running Weir at ${url} holds the store, and --source can't be changed through it. Stop it first, or give the roots in config.json.`

const refuseToken = (url: string | null, token: string | null): string =>
  token === null
    ? `The Weir that runs at ${url} asks for its token: set WEIR_TOKEN to it.`
    : `The Weir that runs at ${url} has another token than WEIR_TOKEN: set WEIR_TOKEN to the one that it was started with.`

const heldBy = ({ pid }: Holder): string =>
  `The store is held by ${pid === null ? 'another process' : `process ${pid}`}, which doesn't answer. Wait until it has ended, or stop it.`

async function reachable(connection: Connection, holder: Holder, token: string | null): Promise<Connection> {
  let answer: Answer
  try {
    answer = await connection.execute('{ __typename }')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CliError(EXIT.unable, `${heldBy(holder)} (${connection.url}: ${why})`)
  }
  if (stringAt(answer.errors?.[0]?.extensions, 'code') === 'UNAUTHENTICATED')
    throw new CliError(EXIT.usage, refuseToken(connection.url, token))
  return connection
}

async function localConnection(
  home: Home,
  config: Config,
  sources: readonly string[],
  lock: WriterLock,
): Promise<Connection> {
  try {
    const options = { home, sources: sourceRoots(config, sources), watch: false, syncAtStart: false }
    const log = commandLog(config)
    const writer = await startLogged(options, log)
    return inProcess(openApi(home, writer, log), async () => {
      await writer.close()
      lock.release()
    })
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The API over the store of this machine. */
export function openApi(home: Home, writer: Writer | null, log: ErrorLog): Api & { readonly closeStore: () => void } {
  const store = openReader(home.store)
  const api = createApi({
    store,
    origin: home.origin,
    content: contentOf,
    locate: locateOf,
    writer,
    version: VERSION,
    log,
  })
  return { ...api, closeStore: () => store.close() }
}

function inProcess(api: ReturnType<typeof openApi>, release: () => Promise<void>): Connection {
  return {
    url: null,
    execute: (query, variables = {}) => api.execute({ query, variables }),
    subscribe: (query, variables = {}) => api.subscribe({ query, variables }),
    async close() {
      api.close()
      await release()
      api.closeStore()
    },
  }
}
