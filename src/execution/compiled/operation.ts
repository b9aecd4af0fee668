import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { checkListItems, type Services } from '../../graphql/context/context.ts'
import { schema } from '../../graphql/schema.ts'
import type { Nodes } from '../../graphql/stored/collect.ts'
import { fieldsOf } from '../../graphql/stored/merged-fields.ts'
import {
  type Asking,
  asAnswer,
  decisions,
  isComplete,
  prepareField,
  prepareObject,
  readField,
  readKeyed,
  variablesIn,
} from '../../graphql/stored/reading.ts'
import type { Finds } from '../../graphql/stored/root.ts'
import { type Cost, costOf, costRefusal } from '../admission/cost.ts'
import { fragmentsOf } from '../documents/document-size.ts'
import { coerceVariables } from '../documents/variables.ts'

/**
 * Answers an operation all of which is stored with the text that the database wrote: nothing is executed in between.
 * `undefined` when a request has to be executed: something outside is asked for, a variable does not fit, a token is not stored.
 */
export interface CompiledOperation {
  /** Of the document's one operation. */
  operationName: string | undefined
  answer(variables: Record<string, unknown>, services: Services): Promise<string | undefined>
}

/** Reads a field of the query; `undefined` where its arguments name what is not stored. */
type Reads = (asking: Asking, services: Services) => (() => Promise<string | undefined>) | undefined

type Plan = readonly { key: string; reads: Reads }[]

/** Of one document, by what conditions decide. */
const maxPlans = 32

/** `undefined` for documents that have to be executed whatever their variables are. */
export function compiledOperation(document: DocumentNode): CompiledOperation | undefined {
  const operations = document.definitions.filter(
    (item): item is OperationDefinitionNode => item.kind === Kind.OPERATION_DEFINITION,
  )
  const [operation, second] = operations
  const query = schema.getQueryType()
  if (!operation || second || !query) return undefined
  if (operation.operation !== OperationTypeNode.QUERY || operation.directives?.length) return undefined
  const { selectionSet } = operation
  const fragments = fragmentsOf(document)
  const conditions = variablesIn(selectionSet.selections, fragments)
  const plans = new LRUCache<string, Plan | 'executed'>({ max: maxPlans })

  function planOf(asking: Asking): Plan | 'executed' {
    const key = decisions(conditions, asking.variables)
    const plan = plans.get(key) ?? makePlan(query as GraphQLObjectType, selectionSet, asking)
    plans.set(key, plan)
    return plan
  }

  return {
    operationName: operation.name?.value,
    async answer(given, services) {
      const variables = coerceVariables(schema, operation, given)
      const cost = variables && costOf({ schema, document, variableValues: given })
      const ending = cost && endingOf(cost)
      if (!variables || !ending) return undefined
      const asking: Asking = { schema, fragments, variables }
      const plan = planOf(asking)
      if (plan === 'executed') return undefined
      const started = plan.map(({ reads }) => reads(asking, services))
      if (!started.every((read) => read !== undefined)) return undefined
      const texts = await Promise.all(started.map((read) => read()))
      if (!texts.every((text) => text !== undefined && isComplete(text))) return undefined
      checkListItems(texts as string[])
      const members = plan.map(({ key }, index) => `"${key}":${texts[index]}`)
      return `{"data":{${members.join(',')}${ending}`
    },
  }
}

function makePlan(query: GraphQLObjectType, set: SelectionSetNode, asking: Asking): Plan | 'executed' {
  const fields = fieldsOf([set], asking.variables, asking.fragments)
  const plan = [...fields].map(([key, nodes]) => ({ key, reads: readsOf(query, nodes, asking) }))
  const isStored = (root: { key: string; reads: Reads | undefined }): root is Plan[number] =>
    root.reads !== undefined
  return plan.every(isStored) ? plan : 'executed'
}

const endings = new WeakMap<Cost, string>()

/** What follows the data: the cost. `undefined` for what nobody may ask. */
function endingOf(cost: Cost): string | undefined {
  if (costRefusal(cost)) return undefined
  const known = endings.get(cost)
  if (known) return known
  const text = `},"extensions":${JSON.stringify({ cost })}}`
  endings.set(cost, text)
  return text
}

/** How a field of the query is read; `undefined` where not all of it is stored. */
function readsOf(query: GraphQLObjectType, nodes: Nodes, asking: Asking): Reads | undefined {
  const { name } = nodes[0]
  if (name.value === '__typename') return () => async () => `"${query.name}"`
  const field = query.getFields()[name.value]
  const finds = field?.extensions.finds as Finds | undefined
  if (field && finds) return foundReads(field, finds, nodes)
  const prepared = prepareField(query, nodes, asking)
  if (!prepared?.isPure) return undefined
  return (asking, services) => () => readField(prepared, asking, services, asAnswer)
}

function foundReads(field: GraphQLField<unknown, unknown>, finds: Finds, nodes: Nodes): Reads {
  const isList = String(field.type).startsWith('[')
  return (asking, services) => {
    const found = finds(getArgumentValues(field, nodes[0], asking.variables) as never, services)
    if (!found) return async () => 'null'
    if (found === 'elsewhere') return undefined
    const prepared = prepareObject(schema.getType(found.typeName) as GraphQLObjectType, nodes, asking)
    if (!prepared.isPure) return undefined
    return async () => {
      const texts = await readKeyed(prepared, found.keyed, found.keys as never[], asking, services, asAnswer)
      return isList ? `[${texts.join(',')}]` : texts[0]
    }
  }
}
