import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { adapters } from '../adapters/registry.ts'
import type { WriterOptions } from '../writer/writer.ts'
import type { Config } from './config.ts'
import { CliError, EXIT } from './exit-code.ts'

export type SourceRoots = WriterOptions['sources']

/** Which roots each source is read from: those of `--source`, and then no others; else configured ones; else what probing names. */
export function sourceRoots(config: Config, given: readonly string[]): SourceRoots {
  checkSourceNames('config.json', Object.keys(config.sources))
  if (given.length > 0) return givenRoots(given)
  return Object.fromEntries(
    adapters.map((adapter) => {
      const configured = config.sources[adapter.name]
      const roots = configured?.roots ?? adapter.probe(config.env).filter((path) => existsSync(path))
      return [adapter.name, { roots, isEnabled: configured?.enabled ?? true }]
    }),
  )
}

function givenRoots(given: readonly string[]): SourceRoots {
  const roots = new Map<string, string[]>()
  for (const entry of given) {
    const at = entry.indexOf('=')
    const [name, path] = [entry.slice(0, at), entry.slice(at + 1)]
    if (at < 1 || path === '')
      throw new CliError(EXIT.usage, `--source takes NAME=PATH, e.g. --source opencode=${'~'}/backup. Got "${entry}".`)
    if (!adapters.some((adapter) => adapter.name === name))
      throw new CliError(EXIT.usage, `--source: ${unknownSource(name)}`)
    roots.set(name, [...(roots.get(name) ?? []), resolve(path)])
  }
  return Object.fromEntries(
    adapters.map(({ name }) => [name, { roots: roots.get(name) ?? [], isEnabled: roots.has(name) }]),
  )
}

/** Refuses names of sources that there are none of; `where` they were given. */
export function checkSourceNames(where: string, names: readonly string[]): void {
  const unknown = names.find((name) => !adapters.some((adapter) => adapter.name === name))
  if (unknown !== undefined) throw new CliError(EXIT.usage, `${where}: ${unknownSource(unknown)}`)
}

const unknownSource = (name: string): string =>
  `there is no source named "${name}". Known: ${adapters.map((adapter) => adapter.name).join(', ')}.`

/** Whether any agent left anything on this machine. */
export const hasAnyRoot = (sources: SourceRoots): boolean =>
  Object.values(sources).some(({ roots }) => roots.some((path) => existsSync(path)))
