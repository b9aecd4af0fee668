import { getNamedType, isEnumType, isInputObjectType, isObjectType } from 'graphql'
import { schema } from '../../graphql/schema.ts'

/** Fields that REST and the graph name alike are described once, in the graph. Members of its enums become the interface's words. */
export function graphDescriptions(type: string): Record<string, string> {
  const known = schema.getType(type)
  if (!isObjectType(known) && !isInputObjectType(known)) throw new Error(`the graph has no type ${type}`)
  return Object.fromEntries(
    Object.values(known.getFields()).map(({ name, description, type: fieldType }) => {
      const members = getNamedType(fieldType)
      return [name, inWords(description ?? '', isEnumType(members) ? members.getValues() : [])]
    }),
  )
}

interface Member {
  name: string
  value: unknown
}

const allMembers: readonly Member[] = Object.values(schema.getTypeMap()).flatMap((type) =>
  isEnumType(type) ? type.getValues() : [],
)

/** `EIP712 when left out.` is `eip712 when left out.`; a field's own enum counts before the others. */
function inWords(description: string, own: readonly Member[]): string {
  return description.replace(/\b[A-Z][A-Z0-9_]+\b/g, (name) => {
    const member = [...own, ...allMembers].find((candidate) => candidate.name === name)
    return member ? String(member.value) : name
  })
}
