import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRollout } from '../../../src/adapters/codex/rollout-name.ts'
import { Home } from './home.ts'

const corpora = process.env['WEIR_CORPORA']
const base = join(corpora ?? '', 'codex')
const isThere = corpora !== undefined && existsSync(base)
if (!isThere) console.log('codex splits: skipped, WEIR_CORPORA names no directory that holds sessions of Codex')

const files = (version: string): readonly string[] =>
  readdirSync(join(base, version, 'home/.codex'), { recursive: true })
    .map(String)
    .filter((name) => isRollout(basename(name)))
    .map((name) => join(base, version, 'home/.codex', name))

async function rowsOf(name: string, bytes: Buffer, cuts: readonly number[]): Promise<unknown> {
  const home = new Home()
  const file = home.write(join('sessions/2026/11/30', name), '')
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    home.append(file, bytes.subarray(from, cut))
    from = cut
    expect((await home.sync()).problems).toEqual([])
  }
  return JSON.parse(
    JSON.stringify([...home.store.sessions].map(([id, read]) => [id, read.rows])).replaceAll(home.root, ''),
  )
}

describe.skipIf(!isThere)('real rollouts, read line by line as they were written', () => {
  it.each(isThere ? readdirSync(base).sort() : [])(
    '%s gives the rows of one import',
    { timeout: 60_000 },
    async (version) => {
      for (const file of files(version)) {
        const bytes = readFileSync(file)
        const ends: number[] = []
        for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) ends.push(at + 1)
        // At line ends, and a little before them, in the middle of a line.
        const cuts = ends.slice(0, -1).flatMap((end, n) => (n % 5 === 0 ? [end - 7, end] : [end]))
        expect(await rowsOf(basename(file), bytes, cuts), basename(file)).toEqual(
          await rowsOf(basename(file), bytes, []),
        )
      }
    },
  )
})
