import type { Field, Model, Relation, ValueList } from '../../storage/query/model.ts'
import { builder } from '../builder.ts'
import { enumByName } from '../enums.ts'
import { NodeRef } from '../refs.ts'
import { pageArguments } from '../relay/paging.ts'
import { connectionOf } from './connection.ts'
import { modelRef, setModelRef } from './model-ref.ts'
import { identityOf, resolveLookedUp, resolveStored, type StoredValue } from './resolve.ts'
import type { StoredField } from './stored-field.ts'

/** Arguments of a relation beside those of a page, and their conversion for its rows. */
export interface RelationArguments {
  args?: object
  rowArguments?: StoredField['rowArguments']
}

const exposed = new Set<string>()

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

function exposeObject(model: Model, interfaces: readonly unknown[] = []): void {
  const ref = modelRef(model.name)
  const all = [...interfaces, ...(model.fields.id ? [NodeRef] : [])]
  ref.implement({ description: model.description, interfaces: all as never })
  builder.objectFields(ref, (t) => fieldsOf(t as never, model) as never)
}

/** An interface where the model has fields of its own, a union where it has none. */
function exposeVariants(model: Model, models: readonly (() => Model)[]): void {
  const types = models.map((each) => modelRef(each().name))
  const resolveType = (value: unknown) => identityOf<{ type: string }>(value as StoredValue).type
  const { name, description } = model
  if (Object.keys(model.fields).length === 0) {
    setModelRef(
      name,
      builder.unionType(name, { description, types: types as never, resolveType: resolveType as never }),
    )
    for (const each of models) exposeObject(each())
    return
  }
  const ref = builder.interfaceRef<StoredValue>(name)
  setModelRef(name, ref)
  ref.implement({ description, interfaces: [NodeRef] as never, resolveType: resolveType as never })
  builder.interfaceFields(ref, (t) => fieldsOf(t as never, model) as never)
  for (const each of models) {
    exposed.add(each().name)
    exposeObject(each(), [ref])
  }
}

type Builder = { field(options: object): unknown }

function fieldsOf(t: Builder, { fields, relations = {}, lists = {} }: Model): Record<string, unknown> {
  return Object.fromEntries([
    ...Object.entries(fields).map(([name, field]) => [name, t.field(leafOptions(field))]),
    ...Object.entries(lists).map(([name, list]) => [name, t.field(listOptions(list))]),
    ...Object.entries(relations).map(([name, relation]) => [name, t.field(relationOptions(relation))]),
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
  { args = {}, rowArguments }: RelationArguments = {},
  resolve: Resolve = resolveStored as Resolve,
): object {
  const stored: StoredField = { is: relation, ...(rowArguments && { rowArguments }) }
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
