import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dsh } from '../../../src/adapters/dsh/index.ts'
import { conformance } from '../../conformance/suite.ts'
import { canonical } from '../canonical.ts'
import { Reader, tempDir } from '../read-all.ts'

const base = join(import.meta.dirname, '../../../fixtures/dsh')
const homes = readdirSync(base).filter((name) => !name.endsWith('.json'))

it.each(homes)('the fixture home %s comes out as expected', async (name) => {
  const root = join(tempDir(), 'home')
  cpSync(join(base, name), root, { recursive: true })
  const reader = new Reader(dsh, root)
  const { problems } = await reader.sync()
  expect(problems).toEqual([])
  expect(canonical(reader, root)).toEqual(JSON.parse(readFileSync(join(base, `${name}.expected.json`), 'utf8')))
})

// A damaged row ends its session (design §4.7): what that costs is in damage.test.ts.
conformance('dsh', {
  adapter: dsh,
  fixtures: homes.map((name) => ({ name, path: join(base, name), damages: () => [] })),
})
