import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type ValueNode,
} from 'graphql'
import { fieldsOf } from '../../graphql/stored/merged-fields.ts'
import { fragmentsOf, hasDirectives } from '../documents/document-size.ts'
import { coerceVariables } from '../documents/variables.ts'

/** What clients are limited in. */
export const limitedKinds = ['reads', 'quotes', 'orders', 'introspections'] as const
export type LimitedKind = (typeof limitedKinds)[number]

/** How many of each kind a request counts as; reads in cost units. */
export type Charge = Readonly<Record<LimitedKind, number>>

export const noCharge: Charge = { reads: 0, quotes: 0, orders: 0, introspections: 0 }

/** The least that a request counts as, also one that is never executed. */
export const oneRead: Charge = { ...noCharge, reads: 1 }

/** Charges of operations that are always the same. */
const known = new WeakMap<DocumentNode, Map<string, Charge>>()

type Variables = Readonly<Record<string, unknown>>
type Field = ReturnType<GraphQLObjectType['getFields']>[string]
type Nodes = readonly [FieldNode, ...FieldNode[]]

/**
 * The least that an operation counts as: one for each root field that is executed, aliases and all. A mutation
 * counts as an order submission, anything else as a read, unless its field says `extensions.limited`. A field
 * with `extensions.units` is as many reads, whatever it answers. A field with
 * `extensions.namedPerRead` is a read for so many of those that its list names, or for each of them where a
 * field with `extensions.askedOutside` is selected of them. A field with `extensions.chargedFor` counts for
 * each item of the list that this member of its input is.
 */
export function chargeOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string,
  variables: Variables = {},
): Charge {
  const name = operationName ?? ''
  const charge = known.get(document)?.get(name)
  if (charge) return charge
  const operation = getOperationAST(document, operationName)
  if (!operation) return oneRead
  const isFixed = !hasDirectives(document) && !namesByVariable(schema, operation, document)
  const coerced = isFixed ? {} : coerceVariables(schema, operation, variables)
  // What can't be executed for its variables is refused for them.
  if (!coerced) return oneRead
  const counted = count(schema, operation, coerced, document)
  if (isFixed) known.set(document, (known.get(document) ?? new Map()).set(name, counted))
  return counted
}

export function isMutation(document: DocumentNode, operationName?: string): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION
}

function count(
  schema: GraphQLSchema,
  { operation, selectionSet }: OperationDefinitionNode,
  variables: Variables,
  document: DocumentNode,
): Charge {
  const charge = { ...noCharge }
  const usual = operation === OperationTypeNode.MUTATION ? 'orders' : 'reads'
  const root = schema.getRootType(operation)?.getFields() ?? {}
  const fragments = fragmentsOf(document)
  const fields = [...fieldsOf([selectionSet], variables, fragments).values()]
  for (const nodes of fields) {
    const field = root[nodes[0].name.value]
    const below = () =>
      fieldsOf(
        nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
        variables,
        fragments,
      ).values()
    charge[kindOf(field?.extensions.limited) ?? usual] += field ? timesOf(field, nodes, variables, below) : 1
  }
  return fields.length > 0 ? charge : oneRead
}

/** How many reads a field is. `below`: what is selected of those that it names. */
function timesOf(field: Field, [node]: Nodes, variables: Variables, below: () => Iterable<Nodes>): number {
  const { namedPerRead: perRead, units, chargedFor } = field.extensions
  if (chargedFor !== undefined) return Math.max(1, namedBy(field, node, variables))
  if (typeof units === 'number') return units
  const type = getNamedType(field.type)
  if (typeof perRead !== 'number' || !isObjectType(type)) return 1
  const inner = type.getFields()
  const isAsked = [...below()].some(([{ name }]) => inner[name.value]?.extensions.askedOutside === true)
  return Math.max(1, Math.ceil(namedBy(field, node, variables) / (isAsked ? 1 : perRead)))
}

function namedBy(field: Field, node: FieldNode, variables: Variables): number {
  const { value, member } = listOf(field, node)
  if (value?.kind === Kind.LIST) return value.values.length
  const given = value?.kind === Kind.VARIABLE ? variables[value.name.value] : undefined
  const list = member === undefined ? given : (given as Variables | undefined)?.[member]
  return Array.isArray(list) ? list.length : 1
}

/** What stands for the list that names things: an argument, or a member of one; `member` where the variable is the whole argument. */
function listOf(
  { args, extensions }: Field,
  node: FieldNode,
): { value: ValueNode | undefined; member?: string } {
  const argument = (name: string | undefined) => node.arguments?.find((arg) => arg.name.value === name)?.value
  const { chargedFor } = extensions
  if (typeof chargedFor !== 'string')
    return { value: argument(args.find(({ type }) => isListType(getNullableType(type)))?.name) }
  const input = argument('input')
  if (input?.kind !== Kind.OBJECT) return { value: input, member: chargedFor }
  return { value: input.fields.find(({ name }) => name.value === chargedFor)?.value }
}

/** Whether what it counts as depends on what it is given. */
function namesByVariable(
  schema: GraphQLSchema,
  { operation, selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
  document: DocumentNode,
): boolean {
  if (variableDefinitions.length === 0) return false
  const root = schema.getRootType(operation)?.getFields() ?? {}
  const fields = fieldsOf([selectionSet], {}, fragmentsOf(document))
  return [...fields.values()].some(([node]) => {
    const field = root[node.name.value]
    const { namedPerRead, chargedFor } = field?.extensions ?? {}
    if (!field || (namedPerRead === undefined && chargedFor === undefined)) return false
    return listOf(field, node).value?.kind === Kind.VARIABLE
  })
}

function kindOf(limited: unknown): LimitedKind | undefined {
  return limitedKinds.find((kind) => kind === limited)
}
