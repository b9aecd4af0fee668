import type { GraphQLResolveInfo } from 'graphql'
import type { Field, Model, PageRows, Relation, ValueList } from '../../storage/query/model.ts'
import { countLimit } from '../../storage/query/page.ts'
import type { Keyed } from '../../storage/query/statement.ts'
import { isStillRead } from '../../storage/query/stored-refusals.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { enumByName } from '../enums.ts'
import { implementConnection, pageArguments } from '../paging.ts'
import { NodeRef } from '../refs.ts'
import type { Environment, StoredField } from './collect.ts'
import {
  identityOf,
  type ModelRef,
  modelRef,
  resolveLookedUp,
  resolveRoot,
  resolveStored,
  type StoredValue,
  setModelRef,
} from './resolve.ts'

const connections = new Map<string, unknown>()

/** Fits fields of every type: the statement has written the value. */
const resolve = resolveStored as never
const pagePart = { extensions: { isPagePart: true }, resolve }

/** The type of a list's edges. */
export function edgeRef(relation: PageRows): ModelRef {
  connectionOf(relation)
  return modelRef(`${relation.model().name}Edge`)
}

/** The connection type of a list; lists with the same connection name share it. */
function connectionOf(relation: PageRows): unknown {
  const model = relation.model()
  const name = relation.connection ?? `${model.name}Connection`
  const known = connections.get(name)
  if (known) return known
  const connection = builder.objectRef<StoredValue>(name)
  const edge = modelRef(name.replace(/Connection$/, 'Edge'))
  const item = modelRef(model.name)
  connections.set(name, connection)
  const description = `A page of a list of ${model.name}. Stable while items are added.`
  const resolvers = { items: resolve, cursor: resolve, node: resolve, pageInfo: resolve }
  implementConnection({ connection, edge, item }, description, resolvers, { isPagePart: true })
  const { edgeAlias } = relation
  if (edgeAlias)
    builder.objectField(edge, edgeAlias, (t) =>
      t.field({ type: item, description: 'Equal to node.', ...pagePart }),
    )
  builder.objectField(connection, 'totalCount', (t) =>
    t.int({
      description: `The number of items of the whole list, counted up to ${countLimit}: this number stands for so many or more. Under a filter for which a page looks at a limited number of items, only the first so many of the list are counted.`,
      extensions: { ...pagePart.extensions, weight: 100 },
      resolve: pagePart.resolve,
    }),
  )
  if (model.isFollowed)
    builder.objectField(connection, 'isComplete', (t) =>
      t.boolean({
        description:
          'False while the list may lack items on a network that follows an order book: they are still being read, or the order book or the node is away. Then an empty page is refused as Unavailable, unless this is selected.',
        ...pagePart,
      }),
    )
  builder.objectFields(connection, (t) =>
    Object.fromEntries(
      Object.entries(relation.fields ?? {}).map(([field, { codec, nullable, description, deprecated }]) => [
        field,
        t.field({
          type: (enumByName(codec.type) ?? codec.type) as 'String',
          nullable: nullable as false,
          description,
          ...(deprecated && { deprecationReason: deprecated }),
          ...pagePart,
        }),
      ]),
    ),
  )
  return connection
}

/** Arguments of a relation in addition to those of a page, and their conversion for its rows. */
interface RelationArguments {
  args?: object
  rowArguments?: StoredField['rowArguments']
  listsFrom?: StoredField['listsFrom']
  isElsewhere?: StoredField['isElsewhere']
}

const exposed = new Set<string>()

type ModelInterface = typeof NodeRef | ReturnType<typeof builder.interfaceRef<StoredValue>>

/**
 * Adds the GraphQL type of a model, and of every model that it refers to: all fields, relations and lists.
 * @param except relations that the caller adds itself, because they take arguments
 */
export function exposeModel(model: Model, except: readonly string[] = []): void {
  if (exposed.has(model.name)) return
  exposed.add(model.name)
  const relations = Object.entries(model.relations ?? {}).filter(([name]) => !except.includes(name))
  const shown = { ...model, relations: Object.fromEntries(relations) }
  if (model.variants) exposeVariants(shown, Object.values(model.variants.models))
  else exposeObject(shown)
  for (const [, relation] of relations) if (relation.kind !== 'value') exposeModel(relation.model())
}

function exposeObject(model: Model, interfaces: readonly ModelInterface[] = []): void {
  const ref = modelRef(model.name)
  const all = [...interfaces, ...(model.fields.id ? [NodeRef] : [])]
  ref.implement({ description: model.description, interfaces: all })
  builder.objectFields(ref, (t) => fieldsOf(t, model))
}

/** An interface where the model has fields of its own, a union where it has none. */
function exposeVariants(model: Model, models: readonly (() => Model)[]): void {
  const types = models.map((each) => modelRef(each().name))
  const resolveType = (value: unknown) => identityOf<{ type: string }>(value as StoredValue).type
  const { name, description } = model
  if (Object.keys(model.fields).length === 0) {
    setModelRef(name, builder.unionType(name, { description, types, resolveType }))
    for (const each of models) exposeObject(each())
    return
  }
  const ref = builder.interfaceRef<StoredValue>(name)
  setModelRef(name, ref)
  ref.implement({ description, interfaces: [NodeRef], resolveType })
  builder.interfaceFields(ref, (t) => fieldsOf(t, model))
  for (const each of models) {
    exposed.add(each().name)
    exposeObject(each(), [ref])
  }
}

/** Adds a field by options of this file: their types follow from the model, not from the builder. */
export function fieldWith(t: object, options: object): never {
  return (t as { field(options: object): never }).field(options)
}

function fieldsOf(t: object, { fields, relations = {}, lists = {} }: Model): Record<string, never> {
  return Object.fromEntries([
    ...Object.entries(fields).map(([name, field]) => [name, fieldWith(t, leafOptions(field))]),
    ...Object.entries(lists).map(([name, list]) => [name, fieldWith(t, listOptions(list))]),
    ...Object.entries(relations).map(([name, relation]) => [name, fieldWith(t, relationOptions(relation))]),
  ])
}

function typeOf({ codec }: Field): unknown {
  return enumByName(codec.type) ?? codec.type
}

/** The value's weight in the cost of a document, if it has one. */
function weightOf({ weight }: Field): { weight?: number } {
  return weight ? { weight } : {}
}

function leafOptions(field: Field): object {
  const { nullable, description, deprecated } = field
  return {
    type: typeOf(field),
    nullable,
    description,
    ...(deprecated && { deprecationReason: deprecated }),
    extensions: { stored: { is: field } satisfies StoredField, ...weightOf(field) },
    resolve: field.isLookedUp ? resolveLookedUp : resolveStored,
  }
}

function listOptions(list: ValueList): object {
  return {
    type: [typeOf(list.field)],
    description: list.description,
    extensions: { stored: { is: list } satisfies StoredField, ...weightOf(list.field) },
    resolve: resolveStored,
  }
}

/** Options of a relation's field. Root fields bring their own resolver. */
export function relationOptions<Resolve>(
  relation: Relation,
  { args = {}, rowArguments, listsFrom, isElsewhere }: RelationArguments = {},
  resolve: Resolve = resolveStored as Resolve,
): object {
  const stored: StoredField = {
    is: relation,
    ...(rowArguments && { rowArguments }),
    ...(listsFrom && { listsFrom }),
    ...(isElsewhere && { isElsewhere }),
  }
  const { description } = relation
  if (relation.kind === 'value') {
    const { field } = relation
    const extensions = { stored, ...weightOf(field) }
    return { type: typeOf(field), nullable: field.nullable, description, args, extensions, resolve }
  }
  const { deprecated, items } = relation
  const common = { description, ...(deprecated && { deprecationReason: deprecated }), resolve }
  if (relation.kind === 'page') {
    return {
      ...common,
      type: connectionOf(relation),
      args: { ...args, ...pageArguments() },
      extensions: { stored },
    }
  }
  const type = modelRef(relation.model().name)
  return {
    ...common,
    type: relation.kind === 'many' ? [type] : type,
    nullable: relation.nullable ?? false,
    args,
    extensions: { stored, ...(items !== undefined && { items }) },
  }
}

/** Reports whether the text of a first result may lack something that is read from elsewhere. */
export type MayLack<Args = Record<string, unknown>> = (
  text: string,
  args: Args,
  environment: Environment,
) => boolean

interface RootArguments<Args> {
  args?: object
  /**
   * Reads what a first result lacks from elsewhere.
   * @param result undefined for a list that is refused, because it has no item yet
   * @returns whether the rows are to be read again
   */
  readMissing?: (args: Args, context: Context, result: unknown) => Promise<boolean>
  /** Decides whether `readMissing` is called for the response's text; by default for null. */
  mayLack?: MayLack<Args>
  rowArguments: (args: Args, environment: Environment) => unknown
}

/** Options of a root field whose rows its arguments select. */
export function storedRoot<Args extends object>(
  t: object,
  relation: Relation,
  { args, rowArguments, readMissing, mayLack = (text) => text === 'null' }: RootArguments<Args>,
): never {
  const resolve = async (_root: unknown, args: unknown, context: Context, info: GraphQLResolveInfo) => {
    const read = async () => resolveRoot(context, info)
    if (!readMissing) return read()
    let refusal: unknown
    const result = await read().catch((fault: unknown) => {
      if (!isStillRead(fault)) throw fault
      refusal = fault
    })
    if (await readMissing(args as Args, context, result)) return read()
    if (refusal) throw refusal
    return result
  }
  const options: RelationArguments = {
    ...(args && { args }),
    rowArguments,
  }
  const field = relationOptions(relation, options, resolve)
  const { extensions } = field as { extensions: object }
  return fieldWith(t, { ...field, ...(readMissing && { extensions: { ...extensions, mayLack } }) })
}

/** Stored objects that a root field names by their keys. */
export interface KeyLookup {
  keyed: Keyed<unknown>
  keys: readonly unknown[]
  /** The type of the objects; the field's type may be an interface. */
  typeName: string
}

/** A stored object of a list whose items may be of different types. */
export interface Entity extends Pick<KeyLookup, 'typeName'> {
  keyed: Keyed<unknown>
  key: unknown
}

/** `extensions.findEntities` of a root field; null for items that are null without a read. @throws Refusal */
export type FindEntities = (args: never, environment: Environment) => readonly (Entity | null)[]

/** `extensions.findKeys` of a root field; null when the result is null without a read. @throws Refusal */
export type FindKeys = (args: never, environment: Environment) => KeyLookup | null | 'not stored'
