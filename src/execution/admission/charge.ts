import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type ValueNode,
} from 'graphql'
import { derivedOnce } from '../../domain/derived.ts'
import { schema } from '../../graphql/schema.ts'
import { fieldsOf } from '../../graphql/stored/collect.ts'
import { fragmentsOf, hasDirectives } from '../documents/document-size.ts'
import type { Executable } from '../documents/variables.ts'
import { type Charge, type LimitedKind, limitedKinds, noCharge, oneRead } from './rate-limits.ts'

type Variables = Readonly<Record<string, unknown>>
type Field = ReturnType<GraphQLObjectType['getFields']>[string]
type Nodes = readonly [FieldNode, ...FieldNode[]]

/**
 * The minimum charge of an operation: one for each root field that is executed, including aliases. A mutation
 * counts as an order submission, other fields as reads. Extensions of the root field change this:
 * - `limited`: the kind that it counts in
 * - `units`: its number of reads
 * - `namedPerRead`: items of its list argument per read; 1 where a selected field has `needsOutsideSource`
 * - `chargedFor`: the list in its input of which each item counts, as `units` if there are any
 */
export function chargeOf(operation: Executable): Charge {
  const { definition, document } = operation
  if (!definition) return oneRead
  const fixed = fixedCharge(definition, document)
  if (fixed !== 'varies') return fixed
  // Execution refuses variables that do not fit.
  return operation.variables ? countFields(definition, operation.variables, document) : oneRead
}

/** The charge of an operation with any variables. */
const fixedCharge = derivedOnce((definition: OperationDefinitionNode, document: DocumentNode) =>
  hasDirectives(document) || dependsOnVariables(definition, document)
    ? 'varies'
    : countFields(definition, {}, document),
)

function countFields(
  { operation, selectionSet }: OperationDefinitionNode,
  variables: Variables,
  document: DocumentNode,
): Charge {
  const charge = { ...noCharge }
  const defaultKind = operation === OperationTypeNode.MUTATION ? 'orders' : 'reads'
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
    charge[kindOf(field?.extensions.limited) ?? defaultKind] += field
      ? amountOf(field, nodes, variables, below)
      : 1
  }
  return fields.length > 0 ? charge : oneRead
}

/** The amount that a root field counts as. @param below returns the fields selected below it */
function amountOf(field: Field, [node]: Nodes, variables: Variables, below: () => Iterable<Nodes>): number {
  const { namedPerRead: perRead, units, chargedFor } = field.extensions
  const each = typeof units === 'number' ? units : 1
  if (chargedFor !== undefined) return each * Math.max(1, countNamed(field, node, variables))
  if (typeof units === 'number') return units
  const type = getNamedType(field.type)
  if (typeof perRead !== 'number') return 1
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : []
  // One key may be another field of each type.
  const names = [...below()].flatMap((nodes) => nodes.map(({ name }) => name.value))
  const needsOutsideSource = types.some((each) =>
    names.some((name) => each.getFields()[name]?.extensions.needsOutsideSource === true),
  )
  return Math.max(1, Math.ceil(countNamed(field, node, variables) / (needsOutsideSource ? 1 : perRead)))
}

function countNamed(field: Field, node: FieldNode, variables: Variables): number {
  const { value, member } = listOf(field, node)
  if (value?.kind === Kind.LIST) return value.values.length
  const variable = value?.kind === Kind.VARIABLE ? variables[value.name.value] : undefined
  const list = member === undefined ? variable : (variable as Variables | undefined)?.[member]
  return Array.isArray(list) ? list.length : 1
}

/**
 * The value of the list argument or input member that is counted. `member` is set if a variable is the whole
 * input.
 */
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

/** Reports whether the charge depends on variables. */
function dependsOnVariables(
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
