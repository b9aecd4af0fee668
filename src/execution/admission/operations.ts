import type { DocumentNode, GraphQLSchema } from 'graphql'
import type { Documents } from '../documents/documents.ts'
import { excessOfVariables } from '../documents/variables.ts'
import type { Admission } from './admission.ts'
import { type Charge, chargeOf, isSubscription } from './charge.ts'
import { costOf } from './cost.ts'
import { introspectionIn, mentionsSchema } from './introspection.ts'
import { estimatedUnits, readUnits } from './units.ts'

/** Parameters of a GraphQL request, not yet validated. */
export interface GraphqlParams {
  query?: unknown
  operationName?: unknown
  variables?: unknown
}

/**
 * Counts an operation once its text is known. An operation that cannot be executed keeps the one unit of its arrival.
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
