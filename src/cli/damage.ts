import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { integrityOf } from '../db/integrity.ts'
import { isDamage } from '../db/open.ts'
import type { Config } from './config.ts'
import { CliError, EXIT } from './exit-code.ts'

/** What is broken in the store's file: a word of SQLite's, or null when it is sound or isn't there. */
export function damageOf(file: string): string | null {
  if (!existsSync(file)) return null
  try {
    const integrity = integrityOf(file)
    return integrity === 'ok' ? null : integrity
  } catch (error) {
    if (error instanceof Error && isDamage(error)) return error.message
    throw error
  }
}

/** What a person can do about a damaged store. */
export const DAMAGE_ADVICE = 'restore a copy of it, or move it away and sync again'

/**
 * Throws what to tell instead of `error` where a damaged store is the reason for it. The file is looked at because the error itself
 * doesn't tell: it came through a thread, or through an API that doesn't show what goes on inside.
 */
export function throwIfDamaged({ home }: Pick<Config, 'home'>, error: unknown): void {
  if (error instanceof CliError && !error.isInternal) return
  const file = join(home, 'weir.db')
  let damage: string | null = null
  try {
    damage = damageOf(file)
  } catch {
    // Where the file can't even be looked at, `error` says more.
  }
  if (damage !== null) throw new CliError(EXIT.unable, `${file} is damaged: ${DAMAGE_ADVICE}.`)
}
