import { isInterfaceType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../../src/graphql/schema.ts'
import { isForGateways } from '../../../src/graphql/sdl.ts'
import { storedFieldOf } from '../../../src/graphql/stored/collect.ts'
import { Prisma } from '../../../src/storage/generated/client.ts'
import { isKnown } from './oracle/execute.ts'
import { isApart, isElsewhere, placesElsewhere, storedRoots } from './places.ts'

interface Place {
  type: string
  field: string
  isCompiled: boolean
}

/** Every field of the schema except introspection. */
const fields: Place[] = Object.values(schema.getTypeMap()).flatMap((type) => {
  if (type.name.startsWith('__') || !(isObjectType(type) || isInterfaceType(type))) return []
  return Object.values(type.getFields()).map((field) => ({
    type: type.name,
    field: field.name,
    isCompiled: storedFieldOf(field) !== undefined || field.extensions.findKeys !== undefined,
  }))
})
const nameOf = ({ type, field }: Place) => `${type}.${field}`
const compiled = fields.filter(({ isCompiled }) => isCompiled)

/** Compiled fields of object types; a field of an interface stands for those of its types. */
const answered = compiled.filter(({ type }) => !isInterfaceType(schema.getType(type)))

test('every field is compiled, or listed with what else answers it', () => {
  const forClients = fields.filter(({ type, field }) => !isForGateways(type) && !isForGateways(field))
  const others = forClients.filter((field) => !field.isCompiled)
  expect(others.map(nameOf).sort()).toEqual([...placesElsewhere].sort())
  expect(compiled.length).toBeGreaterThan(300)
})

test('every stored column is answered by a compiled read', () => {
  const columnsOf = (type: string): Record<string, string> => {
    const columns = (Prisma as unknown as Record<string, Record<string, string>>)[`${type}ScalarFieldEnum`]
    const isStored = compiled.some((each) => each.type === type && !isApart(type, each.field))
    return isStored ? (columns ?? {}) : {}
  }
  const stored = fields.filter(({ type, field }) => isElsewhere(type, field) && field in columnsOf(type))
  expect(stored.map(nameOf)).toEqual([])
  expect('receiver' in columnsOf('Order')).toBe(true)
})

/**
 * Only streams have them, or a root with a permission of its own: generated documents start from the other
 * queries.
 */
const streamed = ['AuctionEntry', 'CurrentAuction', 'CurrentAuctionOrder', 'OrderEventEntry']

test('the oracle knows every compiled field, so that generated documents cover all of them', () => {
  const unknown = answered.filter(
    ({ type, field }) => !streamed.includes(type) && !isApart(type, field) && !isKnown(type, field),
  )
  expect(unknown.map(nameOf)).toEqual([])
})

test('every compiled field of Query is a root of generated documents', () => {
  const roots = compiled
    .filter(({ type, field }) => type === 'Query' && !isApart(type, field))
    .map(({ field }) => field)
  expect(roots.sort()).toEqual([...storedRoots].sort())
})
