import {
  type FieldNode,
  type FragmentDefinitionNode,
  isAbstractType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { Selected } from '../../storage/hot/noun.ts'
import { schema } from '../schema.ts'

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

interface Collected {
  node: FieldNode
  sets: SelectionSetNode[]
}

/**
 * A valid selection as a plain tree, fragments taken in and equal response keys merged as execution would.
 * `undefined` when it holds what only execution understands: directives, or arguments below the root.
 */
export function collectSelection(
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
): Selected[] | undefined {
  const fields = collectFields(sets, fragments)
  if (!fields) return undefined
  const selection: Selected[] = []
  for (const [key, { node, sets: inner }] of fields) {
    if (node.arguments?.length) return undefined
    const nested = inner.length > 0 ? collectSelection(inner, fragments) : []
    if (!nested) return undefined
    selection.push({ key, field: node.name.value, selection: nested })
  }
  return selection
}

/**
 * By response key, in the order of first appearance. Fragments on objects all apply; on an interface there
 * may be others in them.
 */
export function collectFields(
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
  into = new Map<string, Collected>(),
): Map<string, Collected> | undefined {
  for (const item of sets.flatMap(({ selections }) => selections)) {
    if (item.directives?.length) return undefined
    if (item.kind === Kind.FIELD) {
      const key = item.alias?.value ?? item.name.value
      const known = into.get(key) ?? { node: item, sets: [] }
      if (item.selectionSet) known.sets.push(item.selectionSet)
      into.set(key, known)
    } else {
      const fragment = item.kind === Kind.INLINE_FRAGMENT ? item : fragments.get(item.name.value)
      const condition = fragment?.typeCondition?.name.value
      if (!fragment || (condition && isAbstractType(schema.getType(condition)))) return undefined
      if (!collectFields([fragment.selectionSet], fragments, into)) return undefined
    }
  }
  return into
}
