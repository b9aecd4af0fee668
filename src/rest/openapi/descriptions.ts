import {
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { schema } from '../../graphql/schema.ts'

/** Fields that REST and the graph name alike are described once, in the graph. */
export function graphDescriptions(type: string): Record<string, string> {
  const known = schema.getType(type)
  if (!isObjectType(known) && !isInterfaceType(known) && !isInputObjectType(known))
    throw new Error(`the graph has no type ${type}`)
  return Object.fromEntries(
    Object.values(known.getFields()).map(({ name, description, type: fieldType }) => [
      name,
      inPlainText(description ?? '', String(getNamedType(fieldType))),
    ]),
  )
}

const membersOf = (type: GraphQLNamedType | undefined) => (isEnumType(type) ? type.getValues() : [])

const allMembers = Object.values(schema.getTypeMap()).flatMap(membersOf)

/**
 * Members of the graph's enums become the interface's words: `EIP712 when left out.` is `eip712 when left out.`
 * @param type of what is described: an enum counts before all others
 */
export function inPlainText(description: string, type?: string): string {
  const own = type === undefined ? [] : membersOf(schema.getType(type))
  return description.replace(/\b[A-Z][A-Z0-9_]+\b/g, (name) => {
    const member = [...own, ...allMembers].find((candidate) => candidate.name === name)
    return member ? String(member.value) : name
  })
}
