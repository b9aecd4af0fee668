import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
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
import { createLruCache, derivedOnce } from '../../domain/derived.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { maxPage } from '../../graphql/paging.ts'
import { schema } from '../../graphql/schema.ts'
import { fieldsOf, typeConditionMatcher, type Variables } from '../../graphql/stored/collect.ts'
import { fragmentsOf } from '../documents/document-size.ts'
import type { Executable } from '../documents/variables.ts'
import type { Use } from './admission.ts'

type Field = ReturnType<GraphQLObjectType['getFields']>[string]

/** Limit of estimated objects in a result; a long value counts as several. */
const maxEstimatedObjects = 10_000

/** Limit of composite fields that an estimate visits: many of them may cost nothing. */
const maxVisits = 2_000

/** Size of a list without paging arguments and `extensions.items`. */
const defaultItems = 10

/** Sizes of introspection lists. */
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
 * Objects that a value of a possibly long scalar counts as. A field's `extensions.weight` takes precedence;
 * on a field with an object it is the cost of finding that object.
 */
const scalarWeights: Readonly<Record<string, number>> = { Hex: 4, JSON: 8 }

/** An operation's cost, which clients get in `extensions.cost`. */
export interface Cost {
  /**
   * Estimated objects in the result, a long value counting as several; null when the estimate was cut off.
   */
  requested: number | null
  /** Operations above this are refused. */
  limit: number
}

/** The end of each response with a cost. */
const costEnd = `"limit":${maxEstimatedObjects}}}}`

/** Adds the units that a request took to the cost at the end of its response, if there is one. */
export function withUse(body: string, { actual, left }: Use): string {
  return body.endsWith(costEnd)
    ? `${body.slice(0, -'}}}'.length)},"actual":${actual},"left":${left}}}}`
    : body
}

/** Cached costs of one operation, because clients can send any number of variables. */
const maxCosts = 100

/** Costs of an operation, by the variables that affect them. */
const costsOf = derivedOnce((_definition: OperationDefinitionNode) =>
  createLruCache<string, Cost>({ max: maxCosts }),
)

/**
 * Estimates an operation's cost before execution: list sizes multiply down the path.
 * @returns undefined if it cannot be executed: no such operation, or variables that do not fit
 */
export function costOf(operation: Executable): Cost | undefined {
  const { definition, document } = operation
  if (!definition) return undefined
  const costs = costsOf(definition)
  const key = sizesIn(definition, operation.variableValues)
  const cached = costs.get(key)
  if (cached) return cached
  const root = schema.getRootType(definition.operation)
  const { variables } = operation
  if (!root || !variables) return undefined
  const requested = estimate(root, definition.selectionSet, variables, document)
  const cost = { requested, limit: maxEstimatedObjects }
  costs.set(key, cost)
  return cost
}

/** The parts of variables that affect a cost: list sizes, numbers, conditions, and presence. */
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

/** The refusal of an operation that is over the limit; undefined for others. */
export function costRefusal({ requested, limit }: Cost): Refusal | undefined {
  if (requested !== null && requested <= limit) return undefined
  const estimated = requested === null ? '' : ` (${requested} by the estimate)`
  return new Refusal(
    'QueryTooComplex',
    `the result may hold more than ${limit} objects${estimated}: ask for smaller pages, fewer nested lists or fewer long values`,
  )
}

/** @returns null when it was cut off at `maxVisits` */
function estimate(
  root: GraphQLObjectType,
  selectionSet: SelectionSetNode,
  variables: Variables,
  document: DocumentNode,
): number | null {
  const fragments = fragmentsOf(document)
  let objects = 0
  let visits = 0

  /**
   * @param times number of objects of `type`
   * @param page size of the connection that `type` is, if requested
   */
  function walk(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    times: number,
    page?: number,
  ): void {
    for (const nodes of fieldsOf(sets, variables, fragments, typeConditionMatcher(schema, type)).values()) {
      const [node] = nodes
      const field = node && fieldOf(type, node.name.value)
      const inner = field && getNamedType(field.type)
      if (!field || !inner) continue
      if (!isCompositeType(inner)) {
        objects += times * weightOf(type, field, inner)
        continue
      }
      if (visits++ > maxVisits) return
      objects += times * Number(field.extensions.weight ?? 0)
      const isList = isListType(getNullableType(field.type))
      const sizes = sizingArguments(field, isList).map((sizing) => {
        const valueNode = node.arguments?.find(({ name }) => name.value === sizing.name)?.value
        return sizeOf(sizing, valueNode, variables)
      })
      const requestedSize = sizes.find((size) => size !== undefined)
      const count = isList ? times * (requestedSize ?? page ?? itemsOf(field)) : times
      if (isList || !type.name.startsWith('__')) objects += count * Number(field.extensions.weight ?? 1)
      const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
      const objectsBefore = objects
      let maxObjects = objectsBefore
      // An interface counts as the most expensive of its types.
      for (const each of isAbstractType(inner) ? schema.getPossibleTypes(inner) : [inner]) {
        objects = objectsBefore
        walk(each, below, count, isList ? undefined : requestedSize)
        maxObjects = Math.max(maxObjects, objects)
      }
      objects = maxObjects
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

/** Arguments that determine the number of results: page sizes, or a list of keys. */
function sizingArguments({ args }: Field, isList: boolean): readonly GraphQLArgument[] {
  const pages = args.filter(({ name }) => name === 'first' || name === 'last')
  if (pages.length > 0 || !isList) return pages
  return args.filter(({ type }) => isListType(getNullableType(type))).slice(0, 1)
}

/** Clamped: the resolver refuses sizes out of bounds. */
function sizeOf(
  { type, defaultValue }: GraphQLArgument,
  valueNode: ValueNode | undefined,
  variables: Variables,
): number | undefined {
  const value = valueNode ? valueFromAST(valueNode, type, variables) : defaultValue
  const size = Array.isArray(value) ? value.length : value
  const requested = typeof size === 'number' ? size : defaultValue
  if (typeof requested !== 'number') return undefined
  return Math.min(Math.max(requested, 1), maxPage)
}

/** Other values count as 0: they are short compared with their object. */
function weightOf(type: GraphQLObjectType, { name, extensions }: Field, scalar: GraphQLNamedType): number {
  const isProse = type.name.startsWith('__') && name === 'description'
  return Number(extensions.weight ?? scalarWeights[scalar.name] ?? (isProse ? 1 : 0))
}

function itemsOf({ name, extensions }: Field): number {
  return Number(extensions.items ?? schemaItems[name] ?? defaultItems)
}
