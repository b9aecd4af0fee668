import { z } from 'zod'
import {
  type Body,
  isField,
  isOneOf,
  isOptional,
  type ListMember,
  type Member,
} from '../../storage/bodies/body.ts'
import type { Field } from '../../storage/query/model.ts'
import { inPlainText } from './descriptions.ts'
import {
  address,
  amount,
  bytes32,
  count,
  decimal,
  hex,
  orderUid,
  share,
  timestamp,
} from './schemas/primitives.ts'

/** Schemas of values, by the type that their codec names. */
const valueSchemas: Readonly<Record<string, z.ZodType>> = {
  Address: address,
  Bytes32: bytes32,
  OrderUid: orderUid,
  Hex: hex,
  Uint256: amount,
  Decimal: decimal,
  Share: share,
  Uint32: count,
  SafeInt: count,
  Int: count,
  DateTime: timestamp,
  Boolean: z.boolean(),
  String: z.string(),
  ID: z.string(),
  JSON: z.record(z.string(), z.unknown()),
}

const bodySchemas = new WeakMap<Body, z.ZodObject>()
const unionSchemas = new WeakMap<object, z.ZodType>()

/** Always the same schema for a body, so that `schemaOf` finds its name. */
export function bodySchema(body: Body): z.ZodObject {
  return cached(bodySchemas, body, () => {
    const members = Object.entries(body).map(([key, member]) => {
      const schema = memberSchema(member)
      return [key, isOptional(member) ? schema.optional() : schema]
    })
    return z.object(Object.fromEntries(members))
  })
}

/** One of several bodies. */
export function unionSchema(variants: Readonly<Record<string, Body>>): z.ZodType {
  return cached(unionSchemas, variants, () => z.union(Object.values(variants).map(bodySchema)))
}

function cached<Key extends object, Value>(cache: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const value = cache.get(key) ?? make()
  cache.set(key, value)
  return value
}

function memberSchema(member: Member): z.ZodType {
  if ('codec' in member) return fieldSchema(member)
  if ('absent' in member) return fieldSchema({ ...member.absent, nullable: false })
  if ('one' in member) return bodySchema(member.one)
  if ('never' in member) return bodySchema(member.never)
  if ('json' in member) return bodySchema(member.holds)
  if ('variants' in member) return unionSchema(member.variants)
  return described(plainSchema(member), member.description)
}

/** Without the description of the member. */
function plainSchema(member: Extract<Member, { description?: string }>): z.ZodType {
  if ('object' in member) {
    return member.unless ? bodySchema(member.object).nullable() : bodySchema(member.object)
  }
  if ('perhaps' in member) return z.array(bodySchema(member.perhaps))
  if ('list' in member) return listSchema(member)
  if ('map' in member)
    return z.record(valueSchema(member.map.key) as z.core.$ZodRecordKey, valueSchema(member.map.value))
  return z.null()
}

function listSchema({ list }: ListMember): z.ZodType {
  if (isField(list)) return z.array(valueSchema(list))
  return z.array(isOneOf(list) ? unionSchema(list.variants) : bodySchema(list))
}

function fieldSchema(field: Field): z.ZodType {
  const schema = valueSchema(field)
  const { description, codec } = field
  return described(field.nullable ? schema.nullable() : schema, description, codec.type)
}

function valueSchema({ codec: { type, values } }: Field): z.ZodType {
  if (values) return z.enum(values as readonly string[])
  const schema = valueSchemas[type]
  if (!schema) throw new Error(`nothing says what a ${type} is in JSON`)
  return schema
}

function described(schema: z.ZodType, description: string | undefined, type?: string): z.ZodType {
  return description ? schema.meta({ description: inPlainText(description, type) }) : schema
}
