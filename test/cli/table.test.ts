import { describe, expect, it } from 'vitest'
import { type Column, table } from '../../src/cli/table.ts'

interface Row {
  readonly cost: string
  readonly title: string
  readonly id: string
}

const columns: readonly Column<Row>[] = [
  { title: 'UPDATED', value: () => '11-30 21:28' },
  { title: 'SOURCE', value: () => 'claude-code' },
  { title: 'MSGS', value: () => '12,345', isNumber: true },
  { title: 'COST', value: ({ cost }) => cost, isNumber: true, gives: 'all' },
  { title: 'TITLE', value: ({ title }) => title, gives: 'last' },
  { title: 'SESSION', value: ({ id }) => id, gives: 'first' },
]
const rows: readonly Row[] = [{ cost: '$10.00', title: 't'.repeat(90), id: '019a1b2c-3d4e-7f00-8000-000000000001' }]

describe('a table', () => {
  it('leaves its title 30 columns at 80, and fits', () => {
    const [head = '', line = ''] = table(rows, columns, 80).split('\n')
    expect(head).not.toContain('COST')
    expect(line).toContain(`  ${'t'.repeat(29)}…  019a1b2c`)
    expect(line.length).toBeLessThanOrEqual(80)
  })

  it('gives its title what there is when all fits otherwise', () => {
    const line = table(rows, columns, 140).split('\n')[1] ?? ''
    expect(line).toContain('$10.00')
    expect(line).toContain(rows[0]?.id)
    expect(line).toHaveLength(140)
  })

  it('cuts nothing where there is no width', () => {
    const line = table(rows, columns, Number.POSITIVE_INFINITY).split('\n')[1] ?? ''
    expect(line).toContain('t'.repeat(90))
  })
})
