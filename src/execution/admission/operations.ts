import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind, type SelectionSetNode } from 'graphql'
import { fragmentsOf } from '../documents/document-size.ts'
import type { Documents } from '../documents/documents.ts'
import { excessOfVariables } from '../documents/variables.ts'
import type { Admission } from './admission.ts'
import { type Charge, chargeOf, isSubscription } from './charge.ts'
import { costOf } from './cost.ts'
import { estimatedUnits, readUnits } from './units.ts'

/** Matches every document with introspection, and few others. */
const introspectionPattern = /__(?:schema|type)\b/

const introspectionFields: readonly string[] = ['__schema', '__type']

/** A fast check: false means that the text has no introspection. */
export function mentionsSchema(text: string): boolean {
  return text.includes('__') && introspectionPattern.test(text)
}

/** Reports introspection fields of an operation: alone (its response never changes), or with others. */
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

/** Parameters of a GraphQL request, not yet validated. */
export interface GraphqlParams {
  query?: unknown
  operationName?: unknown
  variables?: unknown
}

/**
 * Counts an operation once its text is known. An operation that cannot be executed keeps the one unit of its
 * arrival.
 * @param bytes of the request
 * @throws Refusal as `Admission.reserve` does; QueryTooComplex also for variables over a limit
 */
export type ReserveOperation = (admission: Admission, params: GraphqlParams, bytes: number) => void

export function createOperationGate(
  schema: GraphQLSchema,
  documents: Pick<Documents, 'parse' | 'validate'>,
): ReserveOperation {
  /** Undefined for invalid documents, which execution reports. */
  function validDocument({ query }: GraphqlParams): DocumentNode | undefined {
    try {
      const document = typeof query === 'string' ? documents.parse(query) : undefined
      return document && documents.validate(document).length === 0 ? document : undefined
    } catch {
      return undefined
    }
  }

  return (admission, params, bytes) => {
    const refusal = excessOfVariables(params.variables)
    if (refusal) throw refusal
    const document = admission.isCounted ? validDocument(params) : undefined
    if (!document) return
    const operationName = operationNameOf(params)
    const variableValues = asObject(params.variables)
    const charge = chargeOf(schema, document, operationName, variableValues)
    // A subscription's cost is that of one event; their number is unknown.
    const isStream = isSubscription(document, operationName)
    const estimate = () =>
      estimatedUnits(costOf({ schema, document, operationName, variableValues })?.requested)
    admission.reserve({
      charge: withIntrospection(charge, document, params, operationName),
      estimate: isStream ? undefined : estimate,
      read: readUnits(bytes, String(params.query)),
    })
  }
}

/** Cached answers never get here, so only new documents count. */
function withIntrospection(
  charge: Charge,
  document: DocumentNode,
  { query }: GraphqlParams,
  operationName: string | undefined,
): Charge {
  if (!mentionsSchema(String(query)) || introspectionIn(document, operationName) === 'none') return charge
  return { ...charge, introspections: 1 }
}

/** The name of the operation that a request selects; an empty name counts as absent. */
export function operationNameOf({ operationName }: GraphqlParams): string | undefined {
  return typeof operationName === 'string' && operationName !== '' ? operationName : undefined
}

/** Variables; empty if the value is not an object. */
export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
