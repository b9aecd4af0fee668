import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  type SelectionNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { unixSeconds } from '../../domain/log.ts'
import { checkFaults } from '../../storage/query/fault.ts'
import { type Keyed, keyedValues } from '../../storage/query/keyed.ts'
import { notStored, type Selection } from '../../storage/query/selected.ts'
import { type Slot, slotOf } from '../../storage/query/slot.ts'
import {
  fieldStatement,
  keyedStatement,
  type Reading,
  runStatement,
  type Statement,
} from '../../storage/query/statement.ts'
import {
  type Collected,
  collect,
  collectObject,
  type Fragments,
  type Nodes,
  type SlotField,
} from './collect.ts'
import type { Environment } from './stored-field.ts'

/** A field of a document, ready to be read. */
interface Prepared<Item> {
  item: Item
  slots: readonly SlotField[]
  isPure: boolean
  /** Of its statements, beside what arguments make of them. */
  id: number
}

/** Of nodes and of what is prepared of them. */
let lastId = 0

/** Conditions that one field of one document is remembered for. */
const maxKept = 32

/** Of all documents together, in characters: a statement is a hundred times as long as what asks for it. */
const maxCharacters = 8_000_000
const statements = new LRUCache<string, Statement>({
  maxSize: maxCharacters,
  sizeCalculation: ({ text }, key) => text.length + key.length,
})

/** One request's view of its document. */
export interface Asking {
  schema: GraphQLSchema
  fragments: Fragments
  /** Coerced. */
  variables: Record<string, unknown>
}

export type PreparedField = Prepared<Collected['item']>
export type PreparedObject = Prepared<Selection>

/** As graphs answer it, and as resolvers go on with it. */
export const asAnswer: Reading = { spelling: 'graph', isMixed: false }
export const forResolvers: Reading = { spelling: 'words', isMixed: true }

const fields = new WeakMap<FieldNode, LRUCache<string, PreparedField | 'not stored'>>()

/** `undefined` where the field is not stored. */
export function prepareField(
  parent: GraphQLObjectType,
  nodes: Nodes,
  asking: Asking,
): PreparedField | undefined {
  const kept = keptFor(fields, nodes)
  const key = conditionsOf(nodes, asking)
  const known = kept.get(key)
  if (known) return known === 'not stored' ? undefined : known
  const collected = collect(parent, nodes, asking)
  const prepared = collected && { ...collected, id: ++lastId }
  kept.set(key, prepared ?? 'not stored')
  return prepared
}

const objects = new WeakMap<FieldNode, LRUCache<string, PreparedObject>>()

/** What is selected of an object that a resolver found. */
export function prepareObject(type: GraphQLOutputType, nodes: Nodes, asking: Asking): PreparedObject {
  const kept = keptFor(objects, nodes)
  const key = `${type} ${conditionsOf(nodes, asking)}`
  const known = kept.get(key)
  if (known) return known
  const collected = collectObject(type, nodes, asking)
  const prepared = { ...collected, id: ++lastId }
  kept.set(key, prepared)
  return prepared
}

function keptFor<Value extends object | string>(
  all: WeakMap<FieldNode, LRUCache<string, Value>>,
  [node]: Nodes,
): LRUCache<string, Value> {
  const kept = all.get(node) ?? new LRUCache<string, Value>({ max: maxKept })
  all.set(node, kept)
  return kept
}

/** JSON text of a stored field's value. @throws Refusal for arguments that can't be; an Outage */
export async function readField(
  prepared: PreparedField,
  asking: Asking,
  environment: Environment,
  reading: Reading,
): Promise<string> {
  const slots = slotsOf(prepared.slots, asking, environment)
  const statement = kept(prepared.id, slots, reading, '', () => fieldStatement(prepared.item, slots, reading))
  const [text = 'null'] = await runStatement(environment.db, statement, now(environment), [], slots)
  return checkFaults(text)
}

/** JSON text of objects by their keys, in their order; `null` for what is not there. */
export async function readKeyed<Key>(
  prepared: PreparedObject,
  keyed: Keyed<Key>,
  keys: readonly Key[],
  asking: Asking,
  environment: Environment,
  reading: Reading = forResolvers,
): Promise<string[]> {
  const slots = slotsOf(prepared.slots, asking, environment)
  const isOne = keys.length === 1
  const statement = kept(prepared.id, slots, reading, `${isOne} ${keyed.exists}`, () =>
    keyedStatement(keyed as Keyed<never>, isOne, prepared.item, slots, reading),
  )
  const values = keyedValues(keyed, keys)
  const texts = await runStatement(environment.db, statement, now(environment), values, slots)
  return texts.map(checkFaults)
}

function kept(
  id: number,
  slots: readonly Slot[],
  { isMixed }: Reading,
  rows: string,
  make: () => Statement,
): Statement {
  const key = `${id} ${isMixed} ${rows} ${slots.map(({ shape }) => shape).join('\n')}`
  const known = statements.get(key)
  if (known) return known
  const statement = make()
  statements.set(key, statement)
  return statement
}

export function slotsOf(
  fields: readonly SlotField[],
  { variables }: Asking,
  environment: Environment,
): Slot[] {
  const env = { hidesCompetitions: environment.hidesCompetitions === true && !environment.restricted }
  return fields.map(({ relation, field, node, given }) => {
    const args = getArgumentValues(field, node, variables)
    return slotOf(relation, given ? given(args as never, environment) : args, env)
  })
}

function now({ now }: Environment): number {
  return unixSeconds(now())
}

/** Whether others have to answer, as a token that is asked for is not stored. */
export function isComplete(text: string): boolean {
  return !text.includes(notStored)
}

interface Conditions {
  id: number
  /** Variables that decide what is selected. */
  names: readonly string[]
}

const conditions = new WeakMap<FieldNode, Conditions>()

/** Which nodes they are, and what conditions within them decide. */
function conditionsOf(nodes: Nodes, asking: Asking): string {
  return nodes.map((node) => conditionsIn(node, asking)).join(' ')
}

function conditionsIn(node: FieldNode, { fragments, variables }: Asking): string {
  const known = conditions.get(node)
  const { id, names } = known ?? { id: ++lastId, names: variablesIn([node], fragments) }
  if (!known) conditions.set(node, { id, names })
  return `${id}${decisions(names, variables)}`
}

/** What the named conditions decide, as a key. */
export function decisions(names: readonly string[], variables: Record<string, unknown>): string {
  return names.map((name) => (variables[name] === true ? 't' : 'f')).join('')
}

/** Names of variables in directives of a selection, each once. */
export function variablesIn(nodes: readonly SelectionNode[], fragments: Fragments): string[] {
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
