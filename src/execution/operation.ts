import {
  type DocumentNode,
  type GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql'
import { type Admission, estimatedUnits, readUnits } from './admission/admission.ts'
import { chargeOf } from './admission/charge.ts'
import { type Cost, costOf } from './admission/cost.ts'
import { fragmentsOf } from './documents/document-size.ts'
import { coerceVariables } from './documents/variables.ts'

/** Parameters of a GraphQL request, not yet validated. */
export interface GraphqlParams {
  query?: unknown
  operationName?: unknown
  variables?: unknown
  extensions?: unknown
}

/** A GraphQL request. Its document is parsed before; each derived value is computed when it is first read. */
export class Operation {
  /** Empty if the request has no text. */
  readonly text: string
  /** An empty name counts as absent. */
  readonly operationName: string | undefined
  /** Empty if the value is not an object. */
  readonly variableValues: Readonly<Record<string, unknown>>
  /** The operation that is executed; undefined if the document has none of this name, or is malformed. */
  readonly definition: OperationDefinitionNode | undefined
  private coercedVariables: Record<string, unknown> | 'unfit' | undefined
  private estimated: Cost | undefined

  constructor(
    /** The parameters as they came. */
    readonly params: GraphqlParams,
    /** The parsed text; without definitions if it is malformed. */
    readonly document: DocumentNode,
    /** Creates the errors of the document, masked for clients. Callers may modify them. */
    readonly errors: () => readonly GraphQLError[] = () => [],
  ) {
    const { query, operationName: name, variables } = params
    this.text = typeof query === 'string' ? query : ''
    this.operationName = typeof name === 'string' && name !== '' ? name : undefined
    this.variableValues =
      typeof variables === 'object' && variables !== null ? (variables as Record<string, unknown>) : {}
    this.definition = getOperationAST(document, this.operationName) ?? undefined
  }

  get isValid(): boolean {
    return this.errors().length === 0
  }

  get isMutation(): boolean {
    return this.definition?.operation === OperationTypeNode.MUTATION
  }

  get isSubscription(): boolean {
    return this.definition?.operation === OperationTypeNode.SUBSCRIPTION
  }

  /** The variables as execution coerces them; undefined if they do not fit, or there is no operation. */
  get variables(): Record<string, unknown> | undefined {
    this.coercedVariables ??=
      (this.definition && coerceVariables(this.definition, this.variableValues)) ?? 'unfit'
    return this.coercedVariables === 'unfit' ? undefined : this.coercedVariables
  }

  /** The estimated cost; undefined if the operation cannot be executed. */
  get cost(): Cost | undefined {
    this.estimated ??= costOf(this)
    return this.estimated
  }

  /** Introspection fields of the operation: alone (its response never changes), or with others. */
  get introspection(): 'alone' | 'with others' | 'none' {
    const names =
      mentionsSchema(this.text) && this.definition
        ? rootNames(this.document, this.definition.selectionSet)
        : []
    if (!names.some((name) => introspectionFields.includes(name))) return 'none'
    return names.every((name) => introspectionFields.includes(name) || name === '__typename')
      ? 'alone'
      : 'with others'
  }

  /**
   * Counts the operation. One that cannot be executed keeps the one unit of its arrival.
   * @param bytes of the request
   * @throws Refusal as `Admission.reserve` does
   */
  reserve(admission: Admission, bytes: number): void {
    if (!admission.isCounted || !this.isValid) return
    const charge = chargeOf(this)
    admission.reserve({
      // Cached answers never get here, so only new documents count.
      charge: this.introspection === 'none' ? charge : { ...charge, introspections: 1 },
      // A subscription's cost is that of one event; their number is unknown.
      estimate: this.isSubscription ? undefined : () => estimatedUnits(this.cost?.requested),
      read: readUnits(bytes, this.text),
    })
  }
}

/** Matches every document with introspection, and few others. */
const introspectionPattern = /__(?:schema|type)\b/

const introspectionFields: readonly string[] = ['__schema', '__type']

/** A fast check: false means that the text has no introspection. */
export function mentionsSchema(text: string): boolean {
  return text.includes('__') && introspectionPattern.test(text)
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
