import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { z } from 'zod'
import { derivedOnce } from '../../domain/derived.ts'
import { schema } from '../../graphql/schema.ts'
import {
  type Body,
  isField,
  isOneOf,
  isOptional,
  type ListMember,
  type Member,
} from '../../storage/bodies/body.ts'
import {
  competition as competitionBody,
  competitionV1 as competitionV1Body,
} from '../../storage/bodies/competition.ts'
import { currentAuctionBody } from '../../storage/bodies/current-auction.ts'
import { debugReportBody } from '../../storage/bodies/debug-report.ts'
import { notificationBody } from '../../storage/bodies/notification.ts'
import { fullOrder, orderProgressBody } from '../../storage/bodies/order.ts'
import { listedTrade } from '../../storage/bodies/trade.ts'
import type { Field } from '../../storage/query/model.ts'
import { announcement } from '../account/announcements.ts'
import { valueSchemas } from './primitives.ts'

/** Returns the field of a GraphQL type that a REST member is named after, also with underscores. */
export function fieldNamed(type: GraphQLNamedType | undefined, member: string) {
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return undefined
  return type.getFields()[member.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())]
}

/** Returns the type in a GraphQL union whose name begins with the kind of a REST object. */
export function variantOf(type: GraphQLNamedType | undefined, kind: unknown): GraphQLNamedType | undefined {
  if (!isUnionType(type)) return type
  return type.getTypes().find(({ name }) => name.toLowerCase().startsWith(String(kind).toLowerCase()))
}

const membersOf = (type: GraphQLNamedType | undefined) => (isEnumType(type) ? type.getValues() : [])

const allMembers = Object.values(schema.getTypeMap()).flatMap(membersOf)

/**
 * Replaces names of GraphQL enum members by their REST values: `EIP712 when left out.` is `eip712 when left
 * out.`
 * @param type GraphQL type of the described value; the members of an enum are replaced first
 */
export function inPlainText(description: string, type?: string): string {
  const ownMembers = type === undefined ? [] : membersOf(schema.getType(type))
  return description.replace(/\b[A-Z][A-Z0-9_]+\b/g, (name) => {
    const member = [...ownMembers, ...allMembers].find((candidate) => candidate.name === name)
    return member ? String(member.value) : name
  })
}

/** Returns the same schema for the same body, so that `schemaOf` finds its name. */
export const bodySchema = derivedOnce((body: Body): z.ZodObject => {
  const members = Object.entries(body).map(([key, member]) => {
    const schema = memberSchema(member)
    return [key, isOptional(member) ? schema.optional() : schema]
  })
  return z.object(Object.fromEntries(members))
})

/** Returns a schema of one of several bodies. */
export const unionSchema = derivedOnce(
  (variants: Readonly<Record<string, Body>>): z.ZodType =>
    z.union(Object.values(variants).map((body) => bodySchema(body))),
)

function memberSchema(member: Member): z.ZodType {
  if ('codec' in member) return fieldSchema(member)
  if ('absent' in member) return fieldSchema({ ...member.absent, nullable: false })
  if ('one' in member) return bodySchema(member.one)
  if ('never' in member) return bodySchema(member.never)
  if ('json' in member) return bodySchema(member.holds)
  if ('variants' in member) return unionSchema(member.variants)
  return described(plainSchema(member), member.description)
}

/** Returns the schema without the member's description. */
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
  if (!schema) throw new Error(`there is no JSON schema for ${type}`)
  return schema
}

function described(schema: z.ZodType, description: string | undefined, type?: string): z.ZodType {
  return description ? schema.meta({ description: inPlainText(description, type) }) : schema
}

/** Bodies that the database writes. Orders in lists lack optional members of single orders. */
export const order = bodySchema(fullOrder)
export const orders = z.array(order)
export const wrappedOrders = z.array(z.object({ order }))
export const orderProgress = bodySchema(orderProgressBody)
export const debugReport = bodySchema(debugReportBody)
export const trades = z.array(bodySchema(listedTrade))
export const competitionSchema = bodySchema(competitionBody)
export const competitionV1Schema = bodySchema(competitionV1Body)
export const currentAuction = bodySchema(currentAuctionBody)
export const notification = bodySchema(notificationBody)
export const notifications = z.array(z.union([notification, announcement]))
