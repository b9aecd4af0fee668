import {
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLOutputType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { z } from 'zod'
import { schema } from '../../graphql/schema.ts'
import { valueSchemas } from './primitives.ts'

/** Returns a GraphQL type by its name. */
export function graphqlType(name: string): GraphQLNamedType {
  const type = schema.getType(name)
  if (!type) throw new Error(`the GraphQL schema has no type ${name}`)
  return type
}

/** Schemas of members that a body has in place of selected fields, or after them. */
type Members = Readonly<Record<string, z.ZodType>>

/** Returns the kind that a body names in place of the type of a union's object. */
type KindOf = (typeName: string) => string

/**
 * Returns the schema of an object with some fields of a GraphQL type, whose types and descriptions it takes.
 * @param selection the fields as in a document, with their aliases; a token without more than its address is
 *   that address
 */
export function selected(type: string, selection: string, members: Members = {}): z.ZodObject {
  return fragmentSchema(`fragment selected on ${type} { ${selection} }`).extend(members)
}

/** Returns the schema of what a fragment selects. */
export function fragmentSchema(text: string, kindOf?: KindOf): z.ZodObject {
  const [fragment] = parse(text, { noLocation: true }).definitions
  if (fragment?.kind !== Kind.FRAGMENT_DEFINITION) throw new TypeError('a fragment is expected')
  const { typeCondition, selectionSet } = fragment
  return objectSchema(graphqlType(typeCondition.name.value), selectionSet, kindOf)
}

type FieldPath = `${string}.${string}`

/** Returns one field of a GraphQL type. */
export function fieldOf(path: FieldPath) {
  const [name = '', field = ''] = path.split('.')
  const type = graphqlType(name)
  const found = 'getFields' in type ? type.getFields()[field] : undefined
  if (!found) throw new TypeError(`there is no field ${path}`)
  return found
}

/** Returns the description of one field of a GraphQL type. */
export const fieldText = (path: FieldPath) => fieldOf(path).description ?? ''

/** Returns the schema of a field, such as `Pool.address`; or `other`, with the description of the field. */
export function fieldSchema(path: FieldPath, other?: z.ZodType): z.ZodType {
  const [type = '', field = ''] = path.split('.')
  if (other) return other.meta({ description: fieldText(path) })
  return selected(type, field).shape[field] as z.ZodType
}

/** Returns the schema of a body that leaves out members that are null. */
export function withoutNulls(schema: z.ZodObject): z.ZodObject {
  const members = Object.entries(schema.shape).map(([name, member]) => {
    const { description } = member as z.ZodType
    return [
      name,
      member instanceof z.ZodNullable ? z.optional(member.unwrap()).meta({ description }) : member,
    ]
  })
  return z.object(Object.fromEntries(members) as Record<string, z.ZodType>)
}

function objectSchema(type: GraphQLNamedType, selection: SelectionSetNode, kindOf?: KindOf) {
  if (!isObjectType(type) && !isInterfaceType(type)) throw new TypeError(`${type.name} has no fields`)
  const members = selection.selections.map((node) => {
    const field = node.kind === Kind.FIELD ? type.getFields()[node.name.value] : undefined
    if (node.kind !== Kind.FIELD || !field) throw new TypeError(`${type.name} has no such field`)
    const member = outputSchema(field.type, node.selectionSet, kindOf)
    const { value: name } = node.alias ?? node.name
    return [name, field.description ? member.meta({ description: field.description }) : member]
  })
  return z.object(Object.fromEntries(members) as Record<string, z.ZodType>)
}

function outputSchema(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  kindOf?: KindOf,
): z.ZodType {
  if (!isNonNullType(type)) return outputSchema(new GraphQLNonNull(type), selection, kindOf).nullable()
  const inner = type.ofType
  if (isListType(inner)) return z.array(outputSchema(inner.ofType, selection, kindOf))
  if (isEnumType(inner)) return z.enum(inner.getValues().map(({ value }) => String(value)))
  if (isUnionType(inner) && selection && kindOf) return unionSchema(selection, kindOf)
  const isAddress = inner.name === 'Token' && (selection?.selections.length ?? 1) === 1
  if (selection && !isAddress) return objectSchema(inner, selection, kindOf)
  const value = valueSchemas[isAddress ? 'Address' : inner.name]
  if (!value) throw new Error(`there is no JSON schema for ${inner.name}`)
  return value
}

function unionSchema({ selections }: SelectionSetNode, kindOf: KindOf): z.ZodType {
  const [first, ...others] = selections.flatMap((node) => {
    const name = node.kind === Kind.INLINE_FRAGMENT && node.typeCondition?.name.value
    if (!name) return []
    return [objectSchema(graphqlType(name), node.selectionSet).extend({ kind: z.literal(kindOf(name)) })]
  })
  if (!first) throw new TypeError('a union needs a fragment for each of its types')
  return z.discriminatedUnion('kind', [first, ...others])
}
