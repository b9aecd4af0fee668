import {
  type DocumentNode,
  type FieldNode,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql'
import { unixSeconds } from '../../domain/log.ts'
import type { OrderUid } from '../../domain/order-uid.ts'
import { hotOrderRead } from '../../storage/hot/read.ts'
import type { Services } from '../context.ts'
import { schema } from '../schema.ts'
import { costOf, costRefusal } from './cost.ts'
import { hotPage } from './hot-page.ts'
import { type HotRoot, hotChainId, type RootAnswer } from './hot-root.ts'
import { collectFields, collectSelection, type Fragments } from './hot-selection.ts'
import { coerceVariables } from './variables.ts'

/**
 * Answers one document with the text that the database wrote, nothing executed in between. `undefined` when
 * this request needs the ordinary way: a variable that does not fit, a network that is not known, a token
 * that is not stored.
 */
export interface HotAnswer {
  /** Of the document's one operation. */
  operationName: string | undefined
  answer(variables: Record<string, unknown>, services: Services): Promise<string | undefined>
}

/** Sizes of pages whose cost is remembered; a client can name any number. */
const mostSizes = 100

/** Root fields that can be hot, from what is selected of them. */
const roots: Readonly<Record<string, HotRoot>> = {
  order: hotOrder,
  orders: hotPage,
}

function hotRoot(field: string): HotRoot | undefined {
  return Object.hasOwn(roots, field) ? roots[field] : undefined
}

/** The hot way of a valid document with one operation; `undefined` when there is none. */
export function hotAnswer(document: DocumentNode): HotAnswer | undefined {
  const operations = document.definitions.filter(
    (item): item is OperationDefinitionNode => item.kind === Kind.OPERATION_DEFINITION,
  )
  const [operation, second] = operations
  if (!operation || second || operation.operation !== OperationTypeNode.QUERY || operation.directives?.length)
    return undefined
  const fragments: Fragments = new Map(
    document.definitions.flatMap((item) =>
      item.kind === Kind.FRAGMENT_DEFINITION ? [[item.name.value, item]] : [],
    ),
  )
  const fields = collectFields([operation.selectionSet], fragments)
  const [[key, root] = [], another] = fields ?? []
  if (!key || !root || another) return undefined
  const answer = hotRoot(root.node.name.value)?.(root.sets, fragments)
  if (!answer) return undefined
  /**
   * Below the root nothing takes arguments: the size of the page is all that a document's cost can depend on.
   */
  const endings = new Map<unknown, string | undefined>()
  /** What follows the data: the cost. `undefined` for what nobody may ask. */
  const endingFor = (first: unknown, variableValues: Record<string, unknown>): string | undefined => {
    if (endings.has(first)) return endings.get(first)
    const cost = costOf({ schema, document, variableValues })
    const ending = cost && !costRefusal(cost) ? `},"extensions":${JSON.stringify({ cost })}}` : undefined
    if (endings.size < mostSizes) endings.set(first, ending)
    return ending
  }
  return {
    operationName: operation.name?.value,
    async answer(variables, services) {
      const args = argumentsOf(operation, root.node, variables)
      const ending = args && endingFor(args.first, variables)
      const json = args && ending && (await answer(args, services))
      return json === undefined ? undefined : `{"data":{"${key}":${json}${ending}`
    },
  }
}

/** Coerced as execution would; `undefined` when execution would complain. */
function argumentsOf(
  operation: OperationDefinitionNode,
  node: FieldNode,
  variables: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const field = schema.getQueryType()?.getFields()[node.name.value]
  const coerced = coerceVariables(schema, operation, variables)
  if (!field || !coerced) return undefined
  try {
    return getArgumentValues(field, node, coerced)
  } catch {
    return undefined
  }
}

function hotOrder(sets: readonly SelectionSetNode[], fragments: Fragments): RootAnswer | undefined {
  const selection = collectSelection(sets, fragments)
  const read = selection && hotOrderRead(selection)
  if (!read) return undefined
  return async ({ uid, network }, { db, desks, now }) => {
    const chainId = hotChainId(desks, network)
    if (chainId === undefined) return undefined
    const json = await read.one(db, { uid: uid as OrderUid, chainId, now: unixSeconds(now()) })
    return json === 'incomplete' ? undefined : (json ?? 'null')
  }
}
