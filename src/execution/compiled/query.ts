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
import { createLruCache, derivedOnce } from '../../domain/derived.ts'
import { checkListItems } from '../../graphql/context/context.ts'
import { isFollowing } from '../../graphql/context/networks.ts'
import { schema } from '../../graphql/schema.ts'
import { type Environment, fieldsOf, type Nodes, type OperationScope } from '../../graphql/stored/collect.ts'
import { isLacking, mayBeElsewhere, ownedBy } from '../../graphql/stored/elsewhere.ts'
import type { Entity, FindKeys, MayLack } from '../../graphql/stored/expose.ts'
import {
  conditionKey,
  conditionVariables,
  isComplete,
  isPartElsewhere,
  prepareField,
  prepareObject,
  readField,
  readKeyed,
  responseReading,
} from '../../graphql/stored/reading.ts'
import type { Keyed } from '../../storage/query/statement.ts'
import { isStillRead } from '../../storage/query/stored-refusals.ts'
import { type Cost, costRefusal } from '../admission/cost.ts'
import { fragmentsOf } from '../documents/document-size.ts'
import type { Operation } from '../operation.ts'

/**
 * Answers a query with the text that the database writes, without resolvers. Resolves to undefined when the
 * query has to be executed: a field is not stored, a variable does not fit, or a token is not stored.
 */
type CompiledQuery = (operation: Operation, services: Environment) => Promise<string | undefined>

const executed: CompiledQuery = async () => undefined

/** Prepares the read of a root field; undefined if its arguments name something that is not stored. */
type FieldReader = (
  scope: OperationScope,
  services: Environment,
) => (() => Promise<string | undefined>) | undefined

type Plan = readonly { key: string; reader: FieldReader }[]

/** Cached plans of one document, by the values of its conditions. */
const maxPlans = 32

/** Compiles the only query of a valid document. */
export const compiledQuery = derivedOnce((document: DocumentNode): CompiledQuery => {
  const [definition, second] = document.definitions.filter(
    (item): item is OperationDefinitionNode => item.kind === Kind.OPERATION_DEFINITION,
  )
  const query = schema.getQueryType()
  if (!definition || second || !query) return executed
  if (definition.operation !== OperationTypeNode.QUERY || definition.directives?.length) return executed
  const { selectionSet } = definition
  const fragments = fragmentsOf(document)
  const conditions = conditionVariables(selectionSet.selections, fragments)
  const plans = createLruCache<string, Plan | 'executed'>({ max: maxPlans })

  function planOf(scope: OperationScope): Plan | 'executed' {
    const key = conditionKey(conditions, scope.variables)
    const plan = plans.get(key) ?? createPlan(query as GraphQLObjectType, selectionSet, scope)
    plans.set(key, plan)
    return plan
  }

  return async ({ variables, cost }, services) => {
    if (!variables || !cost || costRefusal(cost)) return undefined
    const scope: OperationScope = { schema, fragments, variables }
    const plan = planOf(scope)
    if (plan === 'executed') return undefined
    const reads = plan.map(({ reader }) => reader(scope, services))
    if (!reads.every((read) => read !== undefined)) return undefined
    const texts = await Promise.all(reads.map((read) => read()))
    if (!texts.every((text) => text !== undefined && isComplete(text))) return undefined
    checkListItems(texts as string[])
    const members = plan.map(({ key }, index) => `"${key}":${texts[index]}`)
    return `{"data":{${members.join(',')}${costText(cost)}`
  }
})

function createPlan(
  query: GraphQLObjectType,
  set: SelectionSetNode,
  scope: OperationScope,
): Plan | 'executed' {
  const fields = fieldsOf([set], scope.variables, scope.fragments)
  const plan = [...fields].map(([key, nodes]) => ({ key, reader: readerOf(query, nodes, scope) }))
  const isStored = (root: { key: string; reader: FieldReader | undefined }): root is Plan[number] =>
    root.reader !== undefined
  return plan.every(isStored) ? plan : 'executed'
}

/** The response's text behind the data. */
const costText = derivedOnce((cost: Cost) => `},"extensions":${JSON.stringify({ cost })}}`)

/** Undefined for a root field with a selection that is not fully stored. */
function readerOf(query: GraphQLObjectType, nodes: Nodes, scope: OperationScope): FieldReader | undefined {
  const { name } = nodes[0]
  if (name.value === '__typename') return () => async () => `"${query.name}"`
  const field = query.getFields()[name.value]
  const findKeys = field?.extensions.findKeys as LookUp | undefined
  if (field && findKeys) return keyedReader(field, findKeys, nodes)
  const findEntities = field?.extensions.findEntities as EntityLookUp | undefined
  if (field && findEntities) return entitiesReader(field, findEntities, nodes)
  const prepared = prepareField(query, nodes, scope)
  if (!prepared?.isFullyStored) return undefined
  const mayLack = field?.extensions.mayLack as MayLack | undefined
  if (!mayLack) return (scope, services) => () => readField(prepared, scope, services, responseReading)
  return (scope, services) => async () => {
    const text = await readField(prepared, scope, services, responseReading).catch((fault: unknown) => {
      if (!isStillRead(fault)) throw fault
      return undefined
    })
    if (text === undefined || !field || !isFollowing(services.networks)) return text
    return mayLack(text, getArgumentValues(field, nodes[0], scope.variables), services) ? undefined : text
  }
}

/** Finds the keys for arguments that fit the field. */
type LookUp = (args: Record<string, unknown>, services: Environment) => ReturnType<FindKeys>

function keyedReader(field: GraphQLField<unknown, unknown>, findKeys: LookUp, nodes: Nodes): FieldReader {
  const isList = String(field.type).startsWith('[')
  return (scope, services) => {
    const lookup = findKeys(getArgumentValues(field, nodes[0], scope.variables), services)
    if (!lookup) return async () => 'null'
    if (lookup === 'not stored') return undefined
    const prepared = prepareObject(schema.getType(lookup.typeName) as GraphQLObjectType, nodes, scope)
    if (!prepared.isFullyStored || isPartElsewhere(prepared, scope, services)) return undefined
    const { keyed } = lookup as { keyed: Keyed<unknown> }
    if (
      (lookup.keys as unknown[]).some((key) => isLacking(ownedBy({ keyed, key }, prepared, scope, services)))
    )
      return undefined
    return async () => {
      const texts = await readKeyed<unknown>(
        prepared,
        lookup.keyed,
        lookup.keys,
        scope,
        services,
        responseReading,
      )
      if (texts.includes('null') && mayBeElsewhere(lookup.keyed, services)) return undefined
      return isList ? `[${texts.join(',')}]` : texts[0]
    }
  }
}

/** Finds the objects for arguments that fit the field; null for those that are not known. */
type EntityLookUp = (args: Record<string, unknown>, services: Environment) => readonly (Entity | null)[]

/** Reads the objects of each type by one statement. */
function entitiesReader(
  field: GraphQLField<unknown, unknown>,
  findEntities: EntityLookUp,
  nodes: Nodes,
): FieldReader {
  return (scope, services) => {
    const entities = findEntities(getArgumentValues(field, nodes[0], scope.variables), services)
    const found = entities.filter((entity): entity is Entity => entity !== null)
    const types = [...new Map(found.map((entity) => [entity.typeName, entity])).values()]
    const reads = types.map(({ typeName, keyed }) => ({
      typeName,
      keyed,
      prepared: prepareObject(schema.getType(typeName) as GraphQLObjectType, nodes, scope),
    }))
    const isStored = ({ prepared }: (typeof reads)[number]) =>
      prepared.isFullyStored && !isPartElsewhere(prepared, scope, services)
    if (!reads.every(isStored)) return undefined
    const lacksOrders = ({ prepared, typeName }: (typeof reads)[number]) =>
      found.some(
        (entity) => entity.typeName === typeName && isLacking(ownedBy(entity, prepared, scope, services)),
      )
    if (reads.some(lacksOrders)) return undefined
    return async () => {
      const texts = new Map<Entity, string>()
      let isAnyMissing = false
      await Promise.all(
        reads.map(async ({ typeName, keyed, prepared }) => {
          const named = found.filter((entity) => entity.typeName === typeName)
          const keys = named.map(({ key }) => key)
          const read = await readKeyed(prepared, keyed, keys, scope, services, responseReading)
          isAnyMissing ||= read.includes('null') && mayBeElsewhere(keyed as Keyed<never>, services)
          for (const [index, entity] of named.entries()) texts.set(entity, read[index] ?? 'null')
        }),
      )
      if (isAnyMissing) return undefined
      return `[${entities.map((entity) => (entity && texts.get(entity)) ?? 'null').join(',')}]`
    }
  }
}
