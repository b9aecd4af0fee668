import { readFileSync } from 'node:fs'
import path from 'node:path'
import {
  type GraphQLArgument,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema, schemaText } from '../../src/graphql/schema.ts'

const ownTypes = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))

const ownDirectives = schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive))

type Described = [name: string, description: string | null | undefined]

interface WithArguments {
  name: string
  description?: string | null | undefined
  args?: readonly GraphQLArgument[]
}

function withArguments({ name, description, args = [] }: WithArguments): Described[] {
  return [[name, description], ...args.map((arg): Described => [`${name}(${arg.name})`, arg.description])]
}

/** A type of any kind, with its fields, their arguments, and its members. */
function partsOf(type: GraphQLNamedType): Described[] {
  const own: Described[] = isSpecifiedScalarType(type) ? [] : [[type.name, type.description]]
  const within = isEnumType(type)
    ? type.getValues()
    : isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
      ? Object.values(type.getFields())
      : []
  return [...own, ...within.flatMap((part) => withArguments({ ...part, name: `${type.name}.${part.name}` }))]
}

describe('the schema', () => {
  test('matches the snapshot: after a change run `npm run codegen` and review the difference', () => {
    const snapshot = readFileSync(path.join(import.meta.dirname, '..', '..', 'schema.graphql'), 'utf8')
    expect(schemaText()).toBe(snapshot)
  })

  test('has a description for each of its own types, fields and arguments', () => {
    const described = [...ownTypes.flatMap(partsOf), ...ownDirectives.flatMap(withArguments)]
    expect(described.filter(([, description]) => !description?.trim()).map(([name]) => name)).toEqual([])
    // One of each kind, to see that no kind is left out.
    const names = described.map(([name]) => name)
    for (const name of [
      'Query.order(uid)',
      'Mutation.placeOrder',
      'Subscription.notifications(after)',
      'Node.id',
      'Address',
      'OrderStatus.OPEN',
      'OrderInput.sellAmount',
    ])
      expect(names).toContain(name)
    expect(new Set(names).size).toBe(names.length)
  })

  test('uses Int only for page sizes and counts, and SCREAMING_CASE for enum members', () => {
    const ints = ownTypes.flatMap((type) =>
      isObjectType(type)
        ? Object.values(type.getFields()).flatMap((field) => [
            ...(getNamedType(field.type).name === 'Int' ? [`${type.name}.${field.name}`] : []),
            ...field.args.filter((arg) => getNamedType(arg.type).name === 'Int').map(({ name }) => name),
          ])
        : [],
    )
    const names = ints.map((name) => name.replace(/^\w+Connection\.(?=totalCount$)/, ''))
    expect([...new Set(names)].sort()).toEqual(['first', 'last', 'totalCount'])
    const members = ownTypes.filter(isEnumType).flatMap((type) => type.getValues().map(({ name }) => name))
    expect(members.filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))).toEqual([])
    expect(members).toContain('PRESIGNATURE_PENDING')
    expect(members).toContain('PRICE_IMPROVEMENT')
  })
})
