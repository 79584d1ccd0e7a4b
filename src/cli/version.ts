import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringAt } from '../model/json.ts'

/** Directory of this package, whether it runs from its sources or from its build. */
export const PACKAGE_DIR = packageDir(dirname(fileURLToPath(import.meta.url)))

export const VERSION =
  stringAt(JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')), 'version') ?? '0.0.0'

function packageDir(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from
  const parent = dirname(from)
  if (parent === from) throw new Error('package.json of weir-sessions is missing: install the package anew.')
  return packageDir(parent)
}
