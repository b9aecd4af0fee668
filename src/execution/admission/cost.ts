import {
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isCompositeType,
  isListType,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
  valueFromAST,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../domain/errors/error.ts'
import { largestPage } from '../../graphql/relay/paging.ts'
import { applies, fieldsOf, type Variables } from '../../graphql/stored/merged-fields.ts'
import { fragmentsOf } from '../documents/document-size.ts'
import { coerceVariables } from '../documents/variables.ts'

type Field = ReturnType<GraphQLObjectType['getFields']>[string]

/** Objects that a result may hold by the estimate, a long value being as much as several. */
const maxEstimatedObjects = 10_000

/** Fields of objects that an estimate looks at; of those that cost nothing there may be many as well. */
const maxVisits = 2_000

/** A list without a page of its own, unless its field says `extensions.items`. */
const defaultItems = 10

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

/** Values that may be kilobytes long count as so many objects; a field's own `extensions.weight` counts before its scalar's. */
const scalarWeights: Readonly<Record<string, number>> = { Hex: 4, JSON: 8 }

/** What clients are told of an operation's cost, in `extensions.cost`. */
export interface Cost {
  /** Objects that its result may hold by the estimate, a long value being as much as several; null when nobody counted to the end of it. */
  requested: number | null
  /** Where it is refused. */
  limit: number
}

/** Costs that are remembered of one document; a client can name any number. */
const maxCosts = 100

/** Costs of a document's operations, by what of their variables they can depend on. */
const known = new WeakMap<DocumentNode, LRUCache<string, Cost>>()

/**
 * What an operation would cost, told before anything is read: list sizes multiply down the path.
 * @returns undefined when there is nothing to execute: no such operation, or variables that do not fit
 */
export function costOf({ schema, document, operationName, variableValues }: ExecutionArgs): Cost | undefined {
  const operation = getOperationAST(document, operationName)
  const costs = known.get(document) ?? new LRUCache<string, Cost>({ max: maxCosts })
  const key = operation ? `${operationName ?? ''} ${sizesIn(operation, variableValues ?? {})}` : ''
  const remembered = costs.get(key)
  if (remembered) return remembered
  const root = operation && schema.getRootType(operation.operation)
  if (!root) return undefined
  const variables = coerceVariables(schema, operation, variableValues ?? {})
  if (!variables) return undefined
  const requested = estimate(schema, root, operation.selectionSet, variables, document)
  const cost = { requested, limit: maxEstimatedObjects }
  known.set(document, costs.set(key, cost))
  return cost
}

/** What of variables a cost can depend on: sizes of lists, conditions, and whether there is a value at all. */
function sizesIn(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): string {
  const sizes = variableDefinitions.map(({ variable: { name } }) => {
    const value = variables[name.value]
    if (Array.isArray(value)) return `[${value.length}]`
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value
  })
  return sizes.join()
}

/** Why an operation of this cost is not executed; undefined when it is. */
export function costRefusal({ requested, limit }: Cost): Refusal | undefined {
  if (requested !== null && requested <= limit) return undefined
  const estimated = requested === null ? '' : ` (${requested} by the estimate)`
  return new Refusal(
    'QueryTooComplex',
    `the result may hold more than ${limit} objects${estimated}: ask for smaller pages, fewer nested lists or fewer long values`,
  )
}

/** @returns null when there are more fields to look at than are worth the time */
function estimate(
  schema: GraphQLSchema,
  root: GraphQLObjectType,
  selectionSet: SelectionSetNode,
  variables: Variables,
  document: DocumentNode,
): number | null {
  const fragments = fragmentsOf(document)
  let objects = 0
  let visits = 0

  /** `times`: how many objects of `type` there are. `page`: the size that was asked of the connection they are. */
  function walk(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    times: number,
    page?: number,
  ): void {
    for (const nodes of fieldsOf(sets, variables, fragments, applies(schema, type)).values()) {
      const [node] = nodes
      const field = node && fieldOf(type, node.name.value)
      const inner = field && getNamedType(field.type)
      if (!field || !inner) continue
      if (!isCompositeType(inner)) {
        objects += times * weightOf(type, field, inner)
        continue
      }
      if (visits++ > maxVisits) return
      const isList = isListType(getNullableType(field.type))
      const sizes = sizingArguments(field, isList).map((sizing) => {
        const given = node.arguments?.find(({ name }) => name.value === sizing.name)?.value
        return sizeOf(sizing, given, variables)
      })
      const params = sizes.find((size) => size !== undefined)
      const count = isList ? times * (params ?? page ?? itemsOf(field)) : times
      if (isList || !type.name.startsWith('__')) objects += count
      const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
      const others = objects
      let most = others
      // Of an interface as if it were the dearest of the types that it can be.
      for (const each of isAbstractType(inner) ? schema.getPossibleTypes(inner) : [inner]) {
        objects = others
        walk(each, below, count, isList ? undefined : params)
        most = Math.max(most, objects)
      }
      objects = most
    }
  }

  walk(root, [selectionSet], 1)
  return visits > maxVisits ? null : Math.min(objects, Number.MAX_SAFE_INTEGER)
}

function fieldOf(type: GraphQLObjectType, name: string): Field | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
  return type.getFields()[name]
}

/** What says how many there will be: the size of a page, or the names of what is looked up. */
function sizingArguments({ args }: Field, isList: boolean): readonly GraphQLArgument[] {
  const pages = args.filter(({ name }) => name === 'first' || name === 'last')
  if (pages.length > 0 || !isList) return pages
  return args.filter(({ type }) => isListType(getNullableType(type))).slice(0, 1)
}

/** One out of bounds is for the resolver to refuse. */
function sizeOf(
  { type, defaultValue }: GraphQLArgument,
  given: ValueNode | undefined,
  variables: Variables,
): number | undefined {
  const value = given ? valueFromAST(given, type, variables) : defaultValue
  const size = Array.isArray(value) ? value.length : value
  const params = typeof size === 'number' ? size : defaultValue
  if (typeof params !== 'number') return undefined
  return Math.min(Math.max(params, 1), largestPage)
}

/** Other values are short: dozens of them weigh less than the object that they are in. */
function weightOf(type: GraphQLObjectType, { name, extensions }: Field, scalar: GraphQLNamedType): number {
  const isProse = type.name.startsWith('__') && name === 'description'
  return Number(extensions.weight ?? scalarWeights[scalar.name] ?? (isProse ? 1 : 0))
}

function itemsOf({ name, extensions }: Field): number {
  return Number(extensions.items ?? schemaItems[name] ?? defaultItems)
}
