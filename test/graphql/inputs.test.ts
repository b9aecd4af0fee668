import { type GraphQLInputObjectType, isInputObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  addressField,
  flagField,
  graphqlTypeOf,
  membersOf,
  oneOf,
  textField,
} from '../../src/graphql/input/fields.ts'
import { orderInput, placeOrderInput } from '../../src/graphql/order/placement.ts'
import { quoteBody, quoteInput } from '../../src/graphql/quote/input.ts'
import { schema } from '../../src/graphql/schema.ts'
import { numbered } from '../fakes/order.ts'

const typeOf = (name: string) => schema.getType(name) as GraphQLInputObjectType

describe('a GraphQL input', () => {
  test('has exactly the members of the zod schema that parses it', () => {
    const members = Object.keys(membersOf(orderInput.schema))
    expect(Object.keys(typeOf('OrderInput').getFields()).sort()).toEqual(members.toSorted())
    expect(Object.keys(membersOf(placeOrderInput.schema)).sort()).toEqual([...members, 'network'].sort())
    // GraphQL groups in objects what REST has side by side; nothing else differs.
    const sides = [
      'kind',
      'sellAmountBeforeFee',
      'sellAmountAfterFee',
      'buyAmountAfterFee',
      'validTo',
      'validFor',
    ]
    const same = Object.keys(membersOf(quoteBody)).filter((name) => !sides.includes(name))
    expect(Object.keys(membersOf(quoteInput.schema)).sort()).toEqual(
      [...same, 'amount', 'validity', 'network'].sort(),
    )
  })

  const withoutInput = ['createSignInChallenge', 'signOut']

  test('is an object: every mutation takes one argument, called input, or none', () => {
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {})
    expect(mutations.length).toBeGreaterThan(8)
    for (const { name, args, type } of mutations) {
      expect([name, args.map((arg) => arg.name)]).toEqual([
        name,
        withoutInput.includes(name) ? [] : ['input'],
      ])
      expect(String(type)).toMatch(/(Payload|QuoteResponse)!$/)
    }
  })

  test('has the types and the optional members of its zod schema', () => {
    const types = Object.fromEntries(
      Object.values(typeOf('QuoteInput').getFields()).map(({ name, type }) => [name, String(type)]),
    )
    expect(types).toMatchObject({
      amount: 'QuoteAmountInput!',
      validity: 'QuoteValidityInput',
      network: 'NetworkName',
      sellToken: 'Address!',
      receiver: 'Address',
      appDataHash: 'Bytes32',
      signingScheme: 'SigningScheme',
      onchainOrder: 'Boolean',
      timeout: 'Milliseconds',
    })
    expect(String(typeOf('PlaceOrdersInput').getFields().orders?.type)).toBe('[OrderInput!]!')
    const ones = Object.values(schema.getTypeMap()).filter((type) => isInputObjectType(type) && type.isOneOf)
    expect(ones.map(({ name }) => name).sort()).toEqual(['QuoteAmountInput', 'QuoteValidityInput'])
  })
})

describe('the GraphQL type of a zod schema', () => {
  test('is found inside wrappers such as nullish', () => {
    const wrapped = addressField.meta({ description: 'Whose.' }).nullish().meta({ description: 'Whose.' })
    expect(graphqlTypeOf(wrapped)).toEqual({ type: 'Address', isList: false, required: false })
    expect(graphqlTypeOf(z.array(textField).min(1))).toEqual({ type: 'String', isList: true, required: true })
    expect(graphqlTypeOf(flagField)).toMatchObject({ type: 'Boolean', required: true })
  })

  test('throws when the program starts if no type is registered', () => {
    expect(() => graphqlTypeOf(z.date())).toThrow('no GraphQL type is registered for a date')
    expect(() => membersOf(z.array(textField))).toThrow('an input is made of an object')
  })
})

test('a one-of input gives the one member that is set; none and two are refused', () => {
  const either = oneOf({ a: addressField.nullish(), b: textField.nullish() })
  expect(either.parse({ a: numbered('AA') })).toEqual({ member: 'a', value: numbered('aa') })
  expect(either.parse({ a: null, b: 'x' })).toEqual({ member: 'b', value: 'x' })
  for (const bad of [{}, { a: null }, { a: numbered('aa'), b: 'x' }])
    expect(either.safeParse(bad).error?.issues[0]?.message).toBe('must have exactly one of a, b')
})
