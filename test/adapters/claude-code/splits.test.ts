import { appendFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../../src/adapters/claude-code/index.ts'
import { parseUnit } from '../read-all.ts'
import { fold, plain } from './fold.ts'
import { bytesOf, fixtures, Home, transcripts } from './home.ts'

/** What one import of a directory gives, without what differs by where it lies. */
async function imported(from: string): Promise<unknown> {
  const home = new Home(from)
  await home.sync()
  return told(home)
}

const told = (home: Home): unknown => JSON.parse(JSON.stringify(plain(fold(home.items))).replaceAll(home.root, ''))

/** Writes one transcript of a copy in pieces, with a sync after each. */
async function inPieces(from: string, path: string, cuts: readonly number[]): Promise<unknown> {
  const home = new Home(from)
  const copy = join(home.root, relative(from, path))
  const whole = bytesOf(path)
  writeFileSync(copy, '')
  let at = 0
  for (const cut of [...cuts.map((share) => Math.floor(share * whole.length)), whole.length].sort((a, b) => a - b)) {
    appendFileSync(copy, whole.subarray(at, cut))
    at = cut
    await home.sync()
  }
  return told(home)
}

describe.each(['v1.0', 'v2.0', 'v2.1'])('cut into appends: %s', (name) => {
  const from = join(fixtures, name)
  it.each(transcripts(from).filter((path) => path.includes('projects')))('%s, anywhere', async (path) => {
    const expected = await imported(from)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }), async (cuts) => {
        expect(await inPieces(from, path, cuts)).toEqual(expected)
      }),
      { numRuns: 8 },
    )
  })

  it('at every line', async () => {
    const expected = await imported(from)
    for (const path of transcripts(from).filter((file) => file.includes('projects'))) {
      const whole = bytesOf(path)
      const ends = [...whole.entries()].flatMap(([n, byte]) => (byte === 10 ? [(n + 1) / whole.length] : []))
      expect(await inPieces(from, path, ends)).toEqual(expected)
    }
  })
})

it.each(['v1.0', 'v2.0', 'v2.1'])('%s: files read in any order give the same rows', async (name) => {
  const from = join(fixtures, name)
  const expected = await imported(from)
  const home = new Home(from)
  const { units } = await home.reader.discover()
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([...units], { minLength: units.length }), async (shuffled) => {
      const items = []
      for (const unit of shuffled) items.push(...(await parseUnit(claudeCode, unit, null)).items)
      expect(JSON.parse(JSON.stringify(plain(fold(items))).replaceAll(home.root, ''))).toEqual(expected)
    }),
    { numRuns: 20 },
  )
})

const corpora = process.env['WEIR_CORPORA']
const base = corpora === undefined ? null : join(corpora, 'claude-code')
const isThere = base !== null && existsSync(base)
if (!isThere) console.log('splits of claude-code corpora: skipped, WEIR_CORPORA names no directory that holds them')

describe.skipIf(!isThere)('real transcripts', () => {
  it.each(isThere ? readdirSync(base) : [])(
    '%s: half of each and then the rest gives the rows of one import',
    async (version) => {
      const from = join(base ?? '', version, '.claude')
      const home = new Home()
      const files = transcripts(join(from, 'projects'))
      for (const share of [0, 0.25, 0.5, 0.75, 1]) {
        for (const path of files) {
          const whole = bytesOf(path)
          home.write(relative(join(from, 'projects'), path), whole.subarray(0, Math.floor(whole.length * share)))
        }
        await home.sync()
      }
      const once = new Home()
      for (const path of files) once.write(relative(join(from, 'projects'), path), bytesOf(path))
      await once.sync()
      expect(told(home)).toEqual(told(once))
    },
  )
})
