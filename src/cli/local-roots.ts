import { accessSync, constants } from 'node:fs'
import { adapters } from '../adapters/registry.ts'
import type { SourceRoots } from './roots.ts'

/** A root as it is on this machine now, whatever the store remembers of it. */
export interface LocalRoot {
  readonly path: string
  readonly state: 'there' | 'missing' | 'unreadable'
}

export interface LocalSource {
  readonly name: string
  readonly title: string
  readonly isEnabled: boolean
  /** The roots that a sync would read now. */
  readonly roots: readonly LocalRoot[]
}

/** Looks at the roots of every source. */
export const localSources = (sources: SourceRoots): LocalSource[] =>
  adapters.map(({ name, title }) => {
    const { roots = [], isEnabled = false } = sources[name] ?? {}
    return { name, title, isEnabled, roots: roots.map((path) => ({ path, state: stateOf(path) })) }
  })

function stateOf(path: string): LocalRoot['state'] {
  try {
    accessSync(path, constants.R_OK)
    return 'there'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable'
  }
}

/** Whether a sync would find a root gone or closed. */
export const isBroken = ({ isEnabled, roots }: LocalSource): boolean =>
  isEnabled && roots.some(({ state }) => state !== 'there')
