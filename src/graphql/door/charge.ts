import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
} from 'graphql'
import { fieldsOf } from './cost.ts'
import { fragmentsOf, hasDirectives } from './document-size.ts'
import { coerceVariables } from './variables.ts'

/** What clients are limited in. */
export const limitedKinds = ['reads', 'quotes', 'orders'] as const
export type LimitedKind = (typeof limitedKinds)[number]

/** How many of each kind a request counts as. */
export type Charge = Readonly<Record<LimitedKind, number>>

/** The least that a request counts as, also one that is never executed. */
export const oneRead: Charge = { reads: 1, quotes: 0, orders: 0 }

/** Charges of operations that are always the same. */
const known = new WeakMap<DocumentNode, Map<string, Charge>>()

/**
 * What an operation counts as: one for each root field that is executed, aliases and all. A mutation counts as an order
 * submission, anything else as a read, unless its field says `extensions.limited`.
 */
export function chargeOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string,
  variables: Readonly<Record<string, unknown>> = {},
): Charge {
  const name = operationName ?? ''
  const charge = known.get(document)?.get(name)
  if (charge) return charge
  const operation = getOperationAST(document, operationName)
  if (!operation) return oneRead
  const isFixed = !hasDirectives(document)
  const coerced = isFixed ? {} : coerceVariables(schema, operation, variables)
  // What can't be executed for its variables is refused for them.
  if (!coerced) return oneRead
  const fields = fieldsOf([operation.selectionSet], coerced, fragmentsOf(document))
  const counted = count(schema, operation.operation, [...fields.values()])
  if (isFixed) known.set(document, (known.get(document) ?? new Map()).set(name, counted))
  return counted
}

export function isMutation(document: DocumentNode, operationName?: string): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.MUTATION
}

function count(
  schema: GraphQLSchema,
  operation: OperationTypeNode,
  fields: readonly [FieldNode, ...FieldNode[]][],
): Charge {
  const charge = { reads: 0, quotes: 0, orders: 0 }
  const usual = operation === OperationTypeNode.MUTATION ? 'orders' : 'reads'
  const known = schema.getRootType(operation)?.getFields() ?? {}
  for (const [{ name }] of fields) charge[kindOf(known[name.value]?.extensions.limited) ?? usual]++
  return fields.length > 0 ? charge : oneRead
}

function kindOf(limited: unknown): LimitedKind | undefined {
  return limitedKinds.find((kind) => kind === limited)
}
