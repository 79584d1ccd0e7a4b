import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pi } from '../../../src/adapters/pi/index.ts'
import { conformance } from '../../conformance/suite.ts'
import { canonical } from '../canonical.ts'
import { Reader, tempDir } from '../read-all.ts'

const base = join(import.meta.dirname, '../../../fixtures/pi')

it('the fixture agent comes out as expected', async () => {
  const root = join(tempDir(), 'agent')
  cpSync(join(base, 'agent'), root, { recursive: true })
  const reader = new Reader(pi, root)
  const { problems } = await reader.sync()
  expect(problems).toEqual([])
  expect(canonical(reader, root)).toEqual(JSON.parse(readFileSync(join(base, 'agent.expected.json'), 'utf8')))
})

// What a damaged line costs is in damage.test.ts: a line here holds a message with its parts, and links to the one before.
conformance('pi', { adapter: pi, fixtures: [{ name: 'agent', path: join(base, 'agent'), damages: () => [] }] })
