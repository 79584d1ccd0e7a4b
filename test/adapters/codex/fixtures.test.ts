import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createCodex } from '../../../src/adapters/codex/index.ts'
import { conformance } from '../../conformance/suite.ts'
import { canonical } from '../canonical.ts'
import { Reader, tempDir } from '../read-all.ts'

const base = join(import.meta.dirname, '../../../fixtures/codex')

it('the fixture home comes out as expected', async () => {
  const root = join(tempDir(), 'home')
  cpSync(join(base, 'home'), root, { recursive: true })
  const reader = new Reader(createCodex(), root)
  const { problems } = await reader.sync()
  expect(problems).toEqual([])
  expect(canonical(reader, root)).toEqual(JSON.parse(readFileSync(join(base, 'home.expected.json'), 'utf8')))
})

// What a damaged line costs is in damage.test.ts: a line here holds a message with its parts.
conformance('codex', {
  adapter: createCodex(),
  fixtures: [{ name: 'home', path: join(base, 'home'), damages: () => [] }],
})
