import { type DocumentNode, getOperationAST, Kind, type SelectionSetNode } from 'graphql'
import { fragmentsOf } from '../documents/document-size.ts'

/** Matches every document with introspection, and few others. */
const introspectionPattern = /__(?:schema|type)\b/

const introspectionFields: readonly string[] = ['__schema', '__type']

/** A fast check: false means that the text has no introspection. */
export function mentionsSchema(text: string): boolean {
  return text.includes('__') && introspectionPattern.test(text)
}

/** Whether an operation selects introspection fields: alone, so that its response never changes, or beside others. */
export function introspectionIn(document: DocumentNode, operationName?: string): 'alone' | 'beside' | 'none' {
  const operation = getOperationAST(document, operationName)
  const names = operation ? rootNames(document, operation.selectionSet) : []
  if (!names.some((name) => introspectionFields.includes(name))) return 'none'
  return names.every((name) => introspectionFields.includes(name) || name === '__typename')
    ? 'alone'
    : 'beside'
}

/** Ignores `@skip` and `@include`: names count even if a condition leaves them out. */
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
