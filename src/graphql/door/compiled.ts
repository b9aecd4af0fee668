import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import { checkListItems, type Services } from '../context.ts'
import { schema } from '../schema.ts'
import type { Nodes } from '../stored/collect.ts'
import {
  type Asking,
  asAnswer,
  isComplete,
  prepareField,
  prepareObject,
  readField,
  readKeyed,
} from '../stored/reading.ts'
import type { Finds } from '../stored/root.ts'
import { type Cost, costOf, costRefusal, fieldsOf } from './cost.ts'
import { fragmentsOf } from './document-size.ts'
import { coerceVariables } from './variables.ts'

/**
 * Answers an operation all of which is stored with the text that the database wrote: nothing is executed in between.
 * `undefined` when a request has to be executed: something outside is asked for, a variable does not fit, a token is not stored.
 */
export interface CompiledOperation {
  /** Of the document's one operation. */
  operationName: string | undefined
  answer(variables: Record<string, unknown>, services: Services): Promise<string | undefined>
}

/** `undefined` for documents that have to be executed whatever their variables are. */
export function compiledOperation(document: DocumentNode): CompiledOperation | undefined {
  const operations = document.definitions.filter(
    (item): item is OperationDefinitionNode => item.kind === Kind.OPERATION_DEFINITION,
  )
  const [operation, second] = operations
  const query = schema.getQueryType()
  if (!operation || second || !query) return undefined
  if (operation.operation !== OperationTypeNode.QUERY || operation.directives?.length) return undefined
  const fragments = fragmentsOf(document)
  return {
    operationName: operation.name?.value,
    async answer(given, services) {
      const variables = coerceVariables(schema, operation, given)
      const cost = variables && costOf({ schema, document, variableValues: given })
      const ending = cost && endingOf(cost)
      if (!variables || !ending) return undefined
      const asking: Asking = { schema, fragments, variables }
      const fields = fieldsOf([operation.selectionSet], variables, fragments)
      const roots = [...fields].map(([key, nodes]) => ({
        key,
        read: reading(query, nodes, asking, services),
      }))
      if (!roots.every(({ read }) => read)) return undefined
      const texts = await Promise.all(roots.map(({ read }) => read?.()))
      if (!texts.every((text) => text !== undefined && isComplete(text))) return undefined
      checkListItems(texts as string[])
      const members = roots.map(({ key }, index) => `"${key}":${texts[index]}`)
      return `{"data":{${members.join(',')}${ending}`
    },
  }
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
function reading(
  query: GraphQLObjectType,
  nodes: Nodes,
  asking: Asking,
  services: Services,
): (() => Promise<string | undefined>) | undefined {
  const [node] = nodes
  const { name } = node
  if (name.value === '__typename') return async () => `"${query.name}"`
  const field = query.getFields()[name.value]
  const finds = field?.extensions.finds as Finds | undefined
  if (field && finds) return foundReading(field, finds, nodes, asking, services)
  const prepared = prepareField(query, nodes, asking)
  return prepared?.isPure ? () => readField(prepared, asking, services, asAnswer) : undefined
}

function foundReading(
  field: GraphQLField<unknown, unknown>,
  finds: Finds,
  nodes: Nodes,
  asking: Asking,
  services: Services,
): (() => Promise<string | undefined>) | undefined {
  const found = finds(getArgumentValues(field, nodes[0], asking.variables) as never, services)
  if (!found) return async () => 'null'
  if (found === 'elsewhere') return undefined
  const prepared = prepareObject(schema.getType(found.typeName) as GraphQLObjectType, nodes, asking)
  if (!prepared.isPure) return undefined
  return async () => {
    const texts = await readKeyed(prepared, found.keyed, found.keys as never[], asking, services, asAnswer)
    return String(field.type).startsWith('[') ? `[${texts.join(',')}]` : texts[0]
  }
}
