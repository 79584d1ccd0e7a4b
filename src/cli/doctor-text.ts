import type { z } from 'zod'
import { DAMAGE_ADVICE } from './damage.ts'
import { formatBytes, formatCount, plural } from './format.ts'
import { isBroken, type LocalSource } from './local-roots.ts'
import type { Doctor } from './shapes.ts'
import { printable } from './table.ts'

/** What `weir doctor` tells of the store's file. */
export interface StoreState {
  readonly home: string
  readonly bytes: number
  /** `ok`, or what is broken. */
  readonly integrity: string
  readonly node: string
  /** Where a server answers for it; null when none does. */
  readonly server: string | null
}

type Report = z.infer<typeof Doctor>
type KnownSource = Report['sources'][number]

export const describeStore = (file: string, { bytes, integrity }: StoreState): string =>
  integrity === 'ok'
    ? `✓ store ${file} (${formatBytes(bytes)}): ok`
    : `✗ store ${file} (${formatBytes(bytes)}) is damaged: ${DAMAGE_ADVICE}\n    ${printable(integrity).replaceAll('\n', '\n    ')}`

/** A source on this machine now, beside what the store knows of it (null: nothing can be asked of the store). */
export function describeSource(local: LocalSource, known: KnownSource | null): string {
  const facts = [
    ...(known === null ? [] : [plural(known.sessionCount, 'session')]),
    ...(local.isEnabled ? [] : ['disabled']),
  ]
  const lines = [`${markOf(local)} ${local.title}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}`]
  if (local.isEnabled && local.roots.length === 0) lines.push('    nothing found on this machine')
  for (const { path, state } of local.roots) {
    const then = known?.roots.find((root) => root.path === path)
    lines.push(`    ${path}: ${state}${known === null ? '' : `; ${thenOf(then)}`}`)
    for (const { message } of then?.warnings ?? []) lines.push(`    ! ${printable(message)}`)
  }
  // A server may have been started with other roots than those that this command would read.
  const others = known?.roots.filter(({ path }) => !local.roots.some((root) => root.path === path)) ?? []
  for (const root of others) lines.push(`    ${root.path}: not read from here; ${thenOf(root)}`)
  return lines.join('\n')
}

function markOf(local: LocalSource): string {
  if (!local.isEnabled || local.roots.length === 0) return '–'
  return isBroken(local) ? '✗' : '✓'
}

/** What the store says of a root; its state there is that of the last look, which may be long ago. */
function thenOf(root: KnownSource['roots'][number] | undefined): string {
  if (root === undefined) return 'not synced yet'
  const forms = root.generations.length === 0 ? '' : ` (${root.generations.join(', ')})`
  return `${root.status} at the last sync${forms}, ${formatCount(root.sessionCount)} from it`
}

export function describeProblems({ totalCount, nodes }: Report['problems']): string[] {
  if (totalCount === 0) return []
  return [
    `✗ ${plural(totalCount, 'open problem')}:`,
    ...nodes.map(({ kind, location, message }) => `    ${kind} ${printable(location)}: ${printable(message)}`),
  ]
}
