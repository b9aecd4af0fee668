import type { ImplementableObjectRef } from '@pothos/core'
import DataLoader from 'dataloader'
import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql'
import { derivedOnce } from '../../domain/derived.ts'
import type { Token } from '../../domain/token/token.ts'
import type { TokenKey } from '../../storage/models/keyed.ts'
import { notStored } from '../../storage/query/selection.ts'
import type { Keyed } from '../../storage/query/statement.ts'
import { builder, type SchemaTypes } from '../builder.ts'
import type { Context } from '../context/context.ts'
import type { Environment, Fragments, Nodes, OperationScope } from './collect.ts'
import { ownedBy, readElsewhere, readOwned } from './elsewhere.ts'
import {
  type PreparedField,
  type PreparedObject,
  prepareField,
  prepareObject,
  readField,
  readKeyed,
  resolverReading,
} from './reading.ts'

/** Parent value of a stored object's resolvers: JSON by response keys, and its identity below `@`. */
export type StoredValue = Readonly<Record<string, unknown>>

const fragmentMap = derivedOnce(
  (fragments: GraphQLResolveInfo['fragments']): Fragments => new Map(Object.entries(fragments)),
)

export function scopeOf({ schema, fragments, variableValues }: GraphQLResolveInfo): OperationScope {
  return { schema, fragments: fragmentMap(fragments), variables: variableValues }
}

/**
 * Reads a root field together with the stored fields below it.
 * @param more arguments of its rows that are its parent's, for a field of an object that is not stored
 */
export async function resolveRoot(
  context: Context,
  info: GraphQLResolveInfo,
  more?: object,
): Promise<unknown> {
  const scope = scopeOf(info)
  const field = prepareField(info.parentType, info.fieldNodes as unknown as Nodes, scope)
  if (!field) throw new TypeError(`${info.fieldName} is not stored`)
  const prepared = more ? withArguments(field, more) : field
  context.proceed()
  const text = await readField(prepared, scope, context, resolverReading)
  context.countTextItems(text)
  return JSON.parse(text)
}

function withArguments(field: PreparedField, more: object): PreparedField {
  const slots = field.slots.map((slot, index) => {
    if (index !== field.item.slot) return slot
    const { rowArguments = (args: object) => args } = slot
    const extended = (args: object, environment: Environment) =>
      rowArguments({ ...args, ...more }, environment)
    return { ...slot, rowArguments: extended }
  })
  return { ...field, slots }
}

/** A field of a stored object: the statement has already read it. */
export function resolveStored(
  parent: StoredValue,
  _args: unknown,
  _context: Context,
  info: GraphQLResolveInfo,
) {
  return parent[info.path.key]
}

/** The object without a read, when all selected stored fields are in `knownFields`; else undefined. */
export function resolveKnown(
  knownFields: Readonly<Record<string, unknown>>,
  identity: unknown,
  info: GraphQLResolveInfo,
): StoredValue | undefined {
  const nodes = info.fieldNodes as unknown as Nodes
  const { selection } = prepareObject(info.returnType, nodes, scopeOf(info)).item
  const stored = selection.filter(({ is }) => is !== 'outside')
  if (!stored.every(({ field }) => field in knownFields)) return undefined
  return { ...Object.fromEntries(stored.map(({ key, field }) => [key, knownFields[field]])), '@': identity }
}

type Loader = DataLoader<unknown, StoredValue | null, string>

const loadersOf = derivedOnce((_context: Context) => new Map<PreparedObject, Loader>())

/** A field of a token: from its row, else from the chain. @throws Outage, for this field only */
export async function resolveLookedUp(
  parent: StoredValue,
  _args: unknown,
  { loaders }: Context,
  { path, fieldName }: GraphQLResolveInfo,
): Promise<unknown> {
  const { isStored, ...key } = identityOf<TokenKey & { isStored: boolean }>(parent)
  if (isStored) return parent[path.key]
  return (await loaders.token.load(key))?.[fieldName as keyof Token]
}

/**
 * Reads an object by its key, from elsewhere too. Reads of the same tick and selection share one statement.
 * @param typeName of the object, where the field's type is an interface
 * @returns null for a missing object
 * @throws Outage; Refusal
 */
export async function resolveKeyed<Key>(
  keyed: Keyed<Key>,
  key: Key,
  context: Context,
  info: GraphQLResolveInfo,
  typeName?: string,
): Promise<StoredValue | null> {
  const scope = scopeOf(info)
  const type = (typeName && (info.schema.getType(typeName) as GraphQLObjectType)) || info.returnType
  const prepared = prepareObject(type, info.fieldNodes as unknown as Nodes, scope)
  const contextLoaders = loadersOf(context)
  const loader =
    contextLoaders.get(prepared) ?? keyedLoader(prepared, keyed as Keyed<unknown>, scope, context)
  contextLoaders.set(prepared, loader)
  await readOwned(ownedBy({ keyed, key }, prepared, scope, context), context.client)
  const value = await loader.load(key)
  if (value !== null || !(await readElsewhere(keyed, key, context))) return value
  return loader.clear(key).load(key)
}

/** Returns a resolver of a stored object whose key is in its parent. */
export function keyedResolver<Parent, Key>(keyed: Keyed<Key>, keyOf: (parent: Parent) => Key) {
  return async (parent: Parent, _args: object, context: Context, info: GraphQLResolveInfo) =>
    (await resolveKeyed(keyed, keyOf(parent), context, info)) as StoredValue
}

const bigintAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)

function keyedLoader(
  prepared: PreparedObject,
  keyed: Keyed<unknown>,
  scope: OperationScope,
  context: Context,
): Loader {
  return new DataLoader(
    async (keys) => {
      context.proceed()
      const texts = await readKeyed(prepared, keyed, keys, scope, context)
      for (const text of texts) context.countTextItems(text)
      return texts.map((text) => (text === notStored ? null : (JSON.parse(text) as StoredValue | null)))
    },
    { cacheKeyFn: (key) => JSON.stringify(keyed.values(key), bigintAsText) },
  )
}

/** The key of a stored object. */
export function identityOf<Identity>(parent: StoredValue): Identity {
  return parent['@'] as Identity
}

export type ModelRef = ImplementableObjectRef<
  PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>,
  StoredValue,
  StoredValue
>

const refs = new Map<string, ModelRef>()

/** The GraphQL type of a model, by its name. */
export function modelRef(name: string): ModelRef {
  const ref = refs.get(name) ?? (builder.objectRef<StoredValue>(name) as ModelRef)
  refs.set(name, ref)
  return ref
}

/** Sets the ref of a model, for unions and interfaces. */
export function setModelRef(name: string, ref: unknown): void {
  refs.set(name, ref as ModelRef)
}
