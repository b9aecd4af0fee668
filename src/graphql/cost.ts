import {
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  type InlineFragmentNode,
  isAbstractType,
  isCompositeType,
  isListType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromAST,
} from 'graphql'
import { Refusal } from '../domain/error.ts'
import { largestPage } from './paging.ts'

type Field = ReturnType<GraphQLObjectType['getFields']>[string]
type Variables = Record<string, unknown>

/** Objects that a result may hold by the estimate. */
export const maxEstimatedObjects = 10_000

/** A list without a page of its own, unless its field says `extensions.items`. */
const usualItems = 10

/** Lists of introspection. */
const schemaItems: Readonly<Record<string, number>> = {
  types: 80,
  fields: 12,
  args: 3,
  inputFields: 5,
  enumValues: 5,
  interfaces: 1,
  possibleTypes: 1,
  directives: 6,
}

/**
 * What an operation would cost, told before anything is read: list sizes multiply down the path.
 * @returns the refusal when that is too much; undefined also when the variables do not fit, which execution tells better
 */
export function costRefusal(args: ExecutionArgs): Refusal | undefined {
  const { schema, document, operationName, variableValues } = args
  const operation = getOperationAST(document, operationName)
  const root = operation && schema.getRootType(operation.operation)
  if (!root) return undefined
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {})
  if (!coerced) return undefined
  if (isWithin(schema, root, operation.selectionSet, coerced, fragmentsOf(document))) return undefined
  return new Refusal(
    'QueryTooComplex',
    `the result may hold more than ${maxEstimatedObjects} objects: ask for smaller pages or fewer nested lists`,
  )
}

export function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((item) => (item.kind === Kind.FRAGMENT_DEFINITION ? [[item.name.value, item]] : [])),
  )
}

function isWithin(
  schema: GraphQLSchema,
  root: GraphQLObjectType,
  selectionSet: SelectionSetNode,
  variables: Variables,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): boolean {
  let objects = 0
  // Of objects that cost nothing there may be many as well: documents multiply by fragments and aliases.
  let visits = 0

  /** `times`: how many objects of `type` there are. `page`: the size that was asked of the connection they are. */
  function walk(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    times: number,
    page?: number,
  ): boolean {
    for (const nodes of fieldsOf(sets, variables, fragments, applies(schema, type)).values()) {
      const [node] = nodes
      const field = node && fieldOf(type, node.name.value)
      const inner = field && getNamedType(field.type)
      if (!field || !isCompositeType(inner)) continue
      const asked = sizeOf(field, node, variables)
      const isList = isListType(getNullableType(field.type))
      const count = isList ? times * (asked ?? page ?? itemsOf(field)) : times
      if (isList || !type.name.startsWith('__')) objects += count
      visits++
      if (objects > maxEstimatedObjects || visits > maxEstimatedObjects) return false
      const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
      // Of an interface as if it were every type that it can be.
      const types = isAbstractType(inner) ? schema.getPossibleTypes(inner) : [inner]
      if (!types.every((each) => walk(each, below, count, isList ? undefined : asked))) return false
    }
    return true
  }

  return walk(root, [selectionSet], 1)
}

/** Whether a fragment on a type says something of an object of `type`. */
function applies(schema: GraphQLSchema, type: GraphQLObjectType) {
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

function fieldOf(type: GraphQLObjectType, name: string): Field | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
  return type.getFields()[name]
}

/** The size of a page; one out of bounds is for the resolver to refuse. */
function sizeOf(field: Field, node: FieldNode, variables: Variables): number | undefined {
  const argument = field.args.find(({ name }) => name === 'first' || name === 'limit')
  if (!argument) return undefined
  const given = node.arguments?.find(({ name }) => name.value === argument.name)
  const size = given ? valueFromAST(given.value, argument.type, variables) : argument.defaultValue
  const asked = typeof size === 'number' ? size : Number(argument.defaultValue ?? usualItems)
  return Math.min(Math.max(asked, 1), largestPage)
}

function itemsOf({ name, extensions }: Field): number {
  return Number(extensions.items ?? schemaItems[name] ?? usualItems)
}
