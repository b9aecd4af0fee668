import {
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { schema } from '../../graphql/schema.ts'

/** Descriptions of the fields of a GraphQL type: REST members of the same name take them. */
export function graphqlDescriptions(type: string): Record<string, string> {
  const namedType = schema.getType(type)
  if (!isObjectType(namedType) && !isInterfaceType(namedType) && !isInputObjectType(namedType))
    throw new Error(`the GraphQL schema has no type ${type}`)
  return Object.fromEntries(
    Object.values(namedType.getFields()).map(({ name, description, type: fieldType }) => [
      name,
      inPlainText(description ?? '', String(getNamedType(fieldType))),
    ]),
  )
}

const membersOf = (type: GraphQLNamedType | undefined) => (isEnumType(type) ? type.getValues() : [])

const allMembers = Object.values(schema.getTypeMap()).flatMap(membersOf)

/**
 * Replaces names of GraphQL enum members by their REST values: `EIP712 when left out.` is `eip712 when left out.`
 * @param type GraphQL type of the described value; if it is an enum, its members come first
 */
export function inPlainText(description: string, type?: string): string {
  const ownMembers = type === undefined ? [] : membersOf(schema.getType(type))
  return description.replace(/\b[A-Z][A-Z0-9_]+\b/g, (name) => {
    const member = [...ownMembers, ...allMembers].find((candidate) => candidate.name === name)
    return member ? String(member.value) : name
  })
}
