import { readFileSync } from 'node:fs'
import path from 'node:path'
import { getNamedType, isEnumType, isInputObjectType, isObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema, schemaText } from '../../src/graphql/schema.ts'

const ownTypes = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))

describe('the schema', () => {
  test('is the snapshot: after a change run `npm run codegen` and look at the difference', () => {
    const snapshot = readFileSync(path.join(import.meta.dirname, 'schema.graphql'), 'utf8')
    expect(schemaText()).toBe(snapshot)
  })

  test('describes every type, field, argument and enum member of its own', () => {
    const bare: string[] = []
    for (const type of ownTypes) {
      if (!type.description) bare.push(type.name)
      if (isEnumType(type)) {
        for (const member of type.getValues())
          if (!member.description) bare.push(`${type.name}.${member.name}`)
      }
      if (!isObjectType(type) && !isInputObjectType(type)) continue
      for (const field of Object.values(type.getFields())) {
        if (!field.description) bare.push(`${type.name}.${field.name}`)
        const args = 'args' in field ? field.args : []
        for (const argument of args)
          if (!argument.description) bare.push(`${type.name}.${field.name}(${argument.name})`)
      }
    }
    expect(bare).toEqual([])
  })

  test('uses Int for page sizes alone, and SCREAMING_CASE for enum members', () => {
    const ints = ownTypes.flatMap((type) =>
      isObjectType(type)
        ? Object.values(type.getFields()).flatMap((field) => [
            ...(getNamedType(field.type).name === 'Int' ? [`${type.name}.${field.name}`] : []),
            ...field.args.filter((arg) => getNamedType(arg.type).name === 'Int').map(({ name }) => name),
          ])
        : [],
    )
    expect([...new Set(ints)].sort()).toEqual(['first', 'limit'])
    const members = ownTypes.filter(isEnumType).flatMap((type) => type.getValues().map(({ name }) => name))
    expect(members.filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))).toEqual([])
    expect(members).toContain('PRESIGNATURE_PENDING')
    expect(members).toContain('PRICE_IMPROVEMENT')
  })
})
