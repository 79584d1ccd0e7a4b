import { readFileSync } from 'node:fs'
import {
  buildSchema,
  findBreakingChanges,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { schema, schemaText } from '../../src/schema/index.ts'
import { PENDING } from './pending.ts'

const contractFile = process.env['WEIR_CONTRACT']

/** Whether the schema has `Type` or `Type.field`. */
function has(within: GraphQLSchema, entry: string): boolean {
  const [typeName = '', fieldName] = entry.split('.')
  const type = within.getType(typeName)
  if (type === undefined || fieldName === undefined) return type !== undefined
  return (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) && fieldName in type.getFields()
}

describe('the schema', () => {
  it.skipIf(contractFile === undefined)(
    `breaks the contract nowhere but in what is pending${contractFile === undefined ? ' (skipped: WEIR_CONTRACT names no contract)' : ''}`,
    () => {
      const contract = buildSchema(readFileSync(contractFile ?? '', 'utf8'))
      const breaches = findBreakingChanges(contract, schema).map(({ type, description }) => {
        const [entry = ''] = /^[\w.]+/.exec(description) ?? []
        return type === 'TYPE_REMOVED' || type === 'FIELD_REMOVED' ? entry : description
      })
      expect(breaches.filter((entry) => !PENDING.has(entry))).toEqual([])
    },
  )

  it('has nothing that is still listed as pending', () => {
    expect([...PENDING].filter((entry) => has(schema, entry))).toEqual([])
  })

  it('is the one that is committed as schema.graphql (else run `npm run schema`)', () => {
    expect(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')).toBe(schemaText)
  })

  it('describes every type, field, argument and value', () => {
    const bare: string[] = []
    const look = (name: string, { description }: { readonly description?: string | null | undefined }) => {
      if (!description) bare.push(name)
    }
    for (const type of Object.values(schema.getTypeMap())) {
      if (type.name.startsWith('__')) continue
      look(type.name, type)
      if (isEnumType(type)) for (const value of type.getValues()) look(`${type.name}.${value.name}`, value)
      if (isInputObjectType(type))
        for (const field of Object.values(type.getFields())) look(`${type.name}.${field.name}`, field)
      if (!isObjectType(type) && !isInterfaceType(type)) continue
      for (const field of Object.values(type.getFields())) {
        look(`${type.name}.${field.name}`, field)
        for (const argument of field.args) look(`${type.name}.${field.name}(${argument.name})`, argument)
      }
    }
    expect(bare).toEqual([])
  })
})
