import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

export type Variables = Record<string, unknown>

/** Whether a fragment on a type says something of an object of `type`. */
export function applies(schema: GraphQLSchema, type: GraphQLObjectType) {
  return (condition: string): boolean => {
    const named = schema.getType(condition)
    return named === type || (isAbstractType(named) && schema.isSubType(named, type))
  }
}

/** As execution merges them: by response key, each fragment once. */
export function fieldsOf(
  sets: readonly SelectionSetNode[],
  variables: Variables,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  isMeant: (typeCondition: string) => boolean = () => true,
): Map<string, [FieldNode, ...FieldNode[]]> {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>()
  const seen = new Set<string>()
  const collect = (set: SelectionSetNode | undefined) => {
    for (const node of set?.selections ?? []) {
      if (isLeftOut(node, variables)) continue
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value
        const known = fields.get(key)
        if (known) known.push(node)
        else fields.set(key, [node])
      } else if (node.kind === Kind.INLINE_FRAGMENT) spread(node)
      else if (!seen.has(node.name.value)) {
        seen.add(node.name.value)
        spread(fragments.get(node.name.value))
      }
    }
  }
  const spread = (fragment: InlineFragmentNode | FragmentDefinitionNode | undefined) => {
    const condition = fragment?.typeCondition?.name.value
    if (condition === undefined || isMeant(condition)) collect(fragment?.selectionSet)
  }
  for (const set of sets) collect(set)
  return fields
}

function isLeftOut(node: SelectionNode, variables: Variables): boolean {
  if (!node.directives?.length) return false
  return (
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true ||
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if === false
  )
}
