import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { claudeCode } from '../../../src/adapters/claude-code/index.ts'
import { conformance } from '../../conformance/suite.ts'
import { tempDir } from '../read-all.ts'
import { expectedOf } from './expected.ts'

const base = join(import.meta.dirname, '../../../fixtures/claude-code')
const roots = ['v1.0', 'v2.0', 'v2.1']

it.each(roots)('the fixture %s comes out as expected', async (name) => {
  const root = join(tempDir(), name)
  cpSync(join(base, name), root, { recursive: true })
  const expected: unknown = JSON.parse(readFileSync(join(base, `${name}.expected.json`), 'utf8'))
  expect(JSON.parse(JSON.stringify(await expectedOf(root)))).toEqual(expected)
})

// What a damaged line costs is in damage.test.ts: a line here is part of a message, and others hang on it.
conformance('claude-code', {
  adapter: claudeCode,
  fixtures: roots.map((name) => ({ name, path: join(base, name), damages: () => [] })),
})
