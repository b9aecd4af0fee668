import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getArgumentValues,
  Kind,
  type SelectionNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { createLruCache, derivedOnce } from '../../domain/derived.ts'
import { unixSeconds } from '../../domain/log.ts'
import { type ArgumentSlot, argumentSlotOf } from '../../storage/query/argument-slot.ts'
import { type Ambient, notStored, type Selection } from '../../storage/query/selection.ts'
import {
  fieldStatement,
  type Keyed,
  keyedStatement,
  keyedValues,
  type Reading,
  runStatement,
  type Statement,
} from '../../storage/query/statement.ts'
import { throwMarkedRefusal } from '../../storage/query/stored-refusals.ts'
import type { TradingServices } from '../context/networks.ts'
import {
  type Collected,
  collect,
  collectObject,
  type Environment,
  type Fragments,
  type Nodes,
  type OperationScope,
  type SlotField,
} from './collect.ts'

/** A field or object of a document, collected for reading. */
interface Prepared<Item> {
  item: Item
  slots: readonly SlotField[]
  isFullyStored: boolean
  /** Part of the cache keys of its statements. */
  id: number
}

/** Numbers nodes and prepared selections for cache keys. */
let lastId = 0

/** Cached variants of one field of one document, by the values of its conditions. */
const maxVariants = 32

/** Characters of all statements together: one is 100 times as long as its document. */
const maxStatementCharacters = 8_000_000
const statements = new LRUCache<string, Statement>({
  maxSize: maxStatementCharacters,
  sizeCalculation: ({ text }, key) => text.length + key.length,
})

export type PreparedField = Prepared<Collected['item']>
export type PreparedObject = Prepared<Selection>

/** Readings of text that is the response, and of values that resolvers use. */
export const responseReading: Reading = { spelling: 'graphql', isMixed: false }
export const resolverReading: Reading = { spelling: 'stored', isMixed: true }

const variantsOf = <Value extends object | string>() =>
  derivedOnce((_node: FieldNode) => createLruCache<string, Value>({ max: maxVariants }))
const fieldsAt = variantsOf<PreparedField | 'not stored'>()

/** Undefined for a field that is not stored. */
export function prepareField(
  parent: GraphQLObjectType,
  nodes: Nodes,
  scope: OperationScope,
): PreparedField | undefined {
  const cache = fieldsAt(nodes[0])
  const key = nodesKey(nodes, scope)
  const cached = cache.get(key)
  if (cached) return cached === 'not stored' ? undefined : cached
  const collected = collect(parent, nodes, scope)
  const prepared = collected && { ...collected, id: ++lastId }
  cache.set(key, prepared ?? 'not stored')
  return prepared
}

const objectsAt = variantsOf<PreparedObject>()

/** The selection of an object that a resolver found. */
export function prepareObject(type: GraphQLOutputType, nodes: Nodes, scope: OperationScope): PreparedObject {
  const cache = objectsAt(nodes[0])
  const key = `${type} ${nodesKey(nodes, scope)}`
  const cached = cache.get(key)
  if (cached) return cached
  const collected = collectObject(type, nodes, scope)
  const prepared = { ...collected, id: ++lastId }
  cache.set(key, prepared)
  return prepared
}

/** JSON text of a stored field's value. @throws Refusal for invalid arguments; Outage */
export async function readField(
  prepared: PreparedField,
  scope: OperationScope,
  environment: Environment,
  reading: Reading,
): Promise<string> {
  const slots = slotsOf(prepared.slots, scope, environment)
  const statement = cachedStatement(prepared.id, slots, reading, '', () =>
    fieldStatement(prepared.item, slots, reading),
  )
  const [text = 'null'] = await runStatement(environment.db, statement, ambientOf(environment), [], slots)
  return throwMarkedRefusal(text)
}

/** JSON texts of objects, in the order of their keys; `null` for missing ones. */
export async function readKeyed<Key>(
  prepared: PreparedObject,
  keyed: Keyed<Key>,
  keys: readonly Key[],
  scope: OperationScope,
  environment: Environment,
  reading: Reading = resolverReading,
): Promise<string[]> {
  const slots = slotsOf(prepared.slots, scope, environment)
  const isOne = keys.length === 1
  const statement = cachedStatement(prepared.id, slots, reading, `${isOne} ${keyed.exists}`, () =>
    keyedStatement(keyed as Keyed<never>, isOne, prepared.item, slots, reading),
  )
  const values = keyedValues(keyed, keys)
  const texts = await runStatement(environment.db, statement, ambientOf(environment), values, slots)
  return texts.map(throwMarkedRefusal)
}

function cachedStatement(
  id: number,
  slots: readonly ArgumentSlot[],
  { isMixed }: Reading,
  rows: string,
  make: () => Statement,
): Statement {
  const key = `${id} ${isMixed} ${rows} ${slots.map(({ shape }) => shape).join('\n')}`
  const cached = statements.get(key)
  if (cached) return cached
  const statement = make()
  statements.set(key, statement)
  return statement
}

/** The networks whose orders of an account a selection lists. @throws Refusal for invalid arguments */
export function listedFrom(
  { slots }: Pick<PreparedObject, 'slots'>,
  { variables }: OperationScope,
  environment: Environment,
): TradingServices[] {
  const networks = slots.flatMap(
    ({ field, node, listsFrom }) => listsFrom?.(getArgumentValues(field, node, variables), environment) ?? [],
  )
  return [...new Set(networks)]
}

/** Reports whether a value of a selection is read from another service. @throws Refusal for arguments */
export function isPartElsewhere(
  { slots }: Pick<PreparedObject, 'slots'>,
  { variables }: OperationScope,
  environment: Environment,
): boolean {
  return slots.some(
    ({ field, node, isElsewhere }) =>
      isElsewhere?.(getArgumentValues(field, node, variables), environment) ?? false,
  )
}

export function slotsOf(
  fields: readonly SlotField[],
  { variables }: OperationScope,
  environment: Environment,
): ArgumentSlot[] {
  return fields.map(({ relation, field, node, rowArguments }) => {
    const args = getArgumentValues(field, node, variables)
    return argumentSlotOf(relation, rowArguments ? rowArguments(args, environment) : args)
  })
}

/** The operator's own paths show what others do not see yet. */
export function ambientOf({ now, hidesCompetitions = false, restricted }: Environment): Ambient {
  return { now: unixSeconds(now()), hidesCompetitions: hidesCompetitions && !restricted }
}

/** False when the text marks a token that is not stored: resolvers then read it from the chain. */
export function isComplete(text: string): boolean {
  return !text.includes(notStored)
}

/** The id of a node, and the variables in its directives, which decide what is selected. */
const conditionsOf = derivedOnce((node: FieldNode, fragments: Fragments) => ({
  id: ++lastId,
  names: conditionVariables([node], fragments),
}))

/** Cache key of nodes: their ids, and the values of conditions in them. */
function nodesKey(nodes: Nodes, scope: OperationScope): string {
  return nodes.map((node) => nodeKey(node, scope)).join(' ')
}

function nodeKey(node: FieldNode, { fragments, variables }: OperationScope): string {
  const { id, names } = conditionsOf(node, fragments)
  return `${id}${conditionKey(names, variables)}`
}

/** Values of the variables in conditions, as a cache key. */
export function conditionKey(names: readonly string[], variables: Record<string, unknown>): string {
  return names.map((name) => (variables[name] === true ? 't' : 'f')).join('')
}

/** Names of variables in directives of a selection, each once. */
export function conditionVariables(nodes: readonly SelectionNode[], fragments: Fragments): string[] {
  const names = new Set<string>()
  const seen = new Set<string>()
  const visit = (node: SelectionNode): void => {
    for (const { arguments: args = [] } of node.directives ?? [])
      for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
    const isSpread = node.kind === Kind.FRAGMENT_SPREAD
    if (isSpread && seen.has(node.name.value)) return
    if (isSpread) seen.add(node.name.value)
    const set = isSpread ? fragments.get(node.name.value)?.selectionSet : node.selectionSet
    for (const inner of set?.selections ?? []) visit(inner)
  }
  for (const node of nodes) visit(node)
  return [...names]
}
