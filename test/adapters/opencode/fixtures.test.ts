import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createOpencode } from '../../../src/adapters/opencode/index.ts'
import { conformance } from '../../conformance/suite.ts'
import { canonical } from '../canonical.ts'
import { Reader, tempDir } from '../read-all.ts'
import { databaseDamages, treeDamages } from './damages.ts'

const base = join(import.meta.dirname, '../../../fixtures/opencode')

it.each(['database', 'tree'])('the fixture %s comes out as expected', async (name) => {
  const root = join(tempDir(), name)
  cpSync(join(base, name), root, { recursive: true })
  const reader = new Reader(createOpencode(), root)
  const { problems } = await reader.sync()
  expect(problems).toEqual([])
  expect(canonical(reader, root)).toEqual(JSON.parse(readFileSync(join(base, `${name}.expected.json`), 'utf8')))
})

conformance('opencode', {
  adapter: createOpencode(),
  fixtures: [
    { name: 'database', path: join(base, 'database'), damages: databaseDamages },
    { name: 'tree', path: join(base, 'tree'), damages: treeDamages },
  ],
})
