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

/** Whether a fragment's type condition includes objects of `type`. */
export function typeConditionMatcher(schema: GraphQLSchema, type: GraphQLObjectType) {
  return (condition: string): boolean => {
    const conditionType = schema.getType(condition)
    return conditionType === type || (isAbstractType(conditionType) && schema.isSubType(conditionType, type))
  }
}

/** Fields as execution merges them: by response key, each fragment once. */
export function fieldsOf(
  sets: readonly SelectionSetNode[],
  variables: Variables,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  matchesType: (condition: string) => boolean = () => true,
): Map<string, [FieldNode, ...FieldNode[]]> {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>()
  const seen = new Set<string>()
  const collect = (set: SelectionSetNode | undefined) => {
    for (const node of set?.selections ?? []) {
      if (isSkipped(node, variables)) continue
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value
        const nodes = fields.get(key)
        if (nodes) nodes.push(node)
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
    if (condition === undefined || matchesType(condition)) collect(fragment?.selectionSet)
  }
  for (const set of sets) collect(set)
  return fields
}

function isSkipped(node: SelectionNode, variables: Variables): boolean {
  if (!node.directives?.length) return false
  return (
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true ||
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if === false
  )
}
