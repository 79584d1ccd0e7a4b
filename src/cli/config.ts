import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'
import type { ProbeEnv } from '../adapters/contract.ts'
import { CliError, EXIT } from './exit-code.ts'

/** `config.json` in WEIR_HOME; everything in it may be left out. */
const ConfigFile = z.strictObject({
  /** Port of `weir serve`; 0 takes any free one. */
  port: z.int().min(0).max(65535).default(4680),
  /** Address of `weir serve`. Anything but a loopback one needs `WEIR_TOKEN`. */
  host: z.string().min(1).default('127.0.0.1'),
  /** Further host names, with or without a port, under which the server may be reached; pages from there may ask it, too. */
  allowedHosts: z.array(z.string().min(1)).default([]),
  /** By source name. */
  sources: z
    .record(
      z.string(),
      z.strictObject({
        /** False leaves it out of every sync. */
        enabled: z.boolean().default(true),
        /** Absolute paths to read instead of what probing finds. */
        roots: z.array(z.string().refine(isAbsolute, 'must be an absolute path')).optional(),
      }),
    )
    .default({}),
})

export interface Config extends z.infer<typeof ConfigFile> {
  /** WEIR_HOME. */
  readonly home: string
  /** WEIR_TOKEN: asked of every client when set. */
  readonly token: string | null
  /** WEIR_LOG: level of the log on stderr. */
  readonly logLevel: string
  readonly env: ProbeEnv
}

/** Everything that the environment and `config.json` say. The only place that reads the environment. */
export function readConfig(): Config {
  const variables = process.env
  const home = variables['HOME'] ?? homedir()
  const weirHome = resolve(variables['WEIR_HOME'] || defaultHome(variables, home))
  return {
    ...readConfigFile(join(weirHome, 'config.json')),
    home: weirHome,
    token: variables['WEIR_TOKEN'] || null,
    logLevel: logLevel(variables['WEIR_LOG'] || 'warn'),
    env: { home, variables },
  }
}

/** The levels of the log; `fatal`, `trace` and `silent` are the library's own, and do no harm. */
const LOG_LEVELS: readonly string[] = ['error', 'warn', 'info', 'debug', 'fatal', 'trace', 'silent']

function logLevel(level: string): string {
  if (LOG_LEVELS.includes(level)) return level
  throw new CliError(EXIT.usage, `WEIR_LOG is "${level}"; it takes error, warn, info or debug.`)
}

/** The data directory of the XDG base directory rules. */
function defaultHome(variables: ProbeEnv['variables'], home: string): string {
  const data = variables['XDG_DATA_HOME']
  return join(data !== undefined && isAbsolute(data) ? data : join(home, '.local', 'share'), 'weir')
}

function readConfigFile(file: string): z.infer<typeof ConfigFile> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ConfigFile.parse({})
    throw new CliError(EXIT.usage, `${file} can't be read: ${error instanceof Error ? error.message : error}`)
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new CliError(EXIT.usage, `${file} is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
  const parsed = ConfigFile.safeParse(json)
  if (parsed.success) return parsed.data
  throw new CliError(EXIT.usage, `${file} is wrong:\n${z.prettifyError(parsed.error)}`)
}
