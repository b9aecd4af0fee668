import { type DocumentNode, getOperationAST, Kind, type SelectionSetNode } from 'graphql'
import { fragmentsOf } from '../documents/document-size.ts'

/** Every document that asks about the schema holds this, and few others. */
const mention = /__(?:schema|type)\b/

const ofSchema: readonly string[] = ['__schema', '__type']

/** Whether a text may ask about the schema: what does not hold the words does not. */
export function mentionsSchema(text: string): boolean {
  return text.includes('__') && mention.test(text)
}

/**
 * Whether an operation asks about the schema: alone, so that its answer is always the same, or beside other
 * things.
 */
export function introspectionIn(document: DocumentNode, operationName?: string): 'alone' | 'beside' | 'none' {
  const operation = getOperationAST(document, operationName)
  const names = operation ? rootNames(document, operation.selectionSet) : []
  if (!names.some((name) => ofSchema.includes(name))) return 'none'
  return names.every((name) => ofSchema.includes(name) || name === '__typename') ? 'alone' : 'beside'
}

/** Whatever their directives say: conditions are part of the question. */
function rootNames(document: DocumentNode, selectionSet: SelectionSetNode): string[] {
  const fragments = fragmentsOf(document)
  const seen = new Set<string>()
  const names: string[] = []
  const collect = (set: SelectionSetNode | undefined) => {
    for (const node of set?.selections ?? []) {
      if (node.kind === Kind.FIELD) names.push(node.name.value)
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet)
      else if (!seen.has(node.name.value)) {
        seen.add(node.name.value)
        collect(fragments.get(node.name.value)?.selectionSet)
      }
    }
  }
  collect(selectionSet)
  return names
}
