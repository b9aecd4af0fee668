import DataLoader from 'dataloader'
import type { FragmentDefinitionNode, GraphQLObjectType, GraphQLResolveInfo } from 'graphql'
import { unixSeconds } from '../../domain/log.ts'
import type { Token } from '../../domain/token/token.ts'
import type { FeedReading } from '../../storage/feed.ts'
import type { TokenKey } from '../../storage/models/keyed.ts'
import { edgeSelection } from '../../storage/models/notification/feed.ts'
import type { Keyed } from '../../storage/query/keyed.ts'
import { notStored } from '../../storage/query/selected.ts'
import type { Context } from '../context/context.ts'
import type { Fragments, Nodes } from './collect.ts'
import {
  type Asking,
  forResolvers,
  type PreparedObject,
  prepareField,
  prepareObject,
  readField,
  readKeyed,
  slotsOf,
} from './reading.ts'

/** What a resolver of a stored object has as its parent: JSON by response keys, and below `@` what it is found by. */
export type StoredValue = Readonly<Record<string, unknown>>

const fragmentMaps = new WeakMap<object, Fragments>()

function askingOf({ schema, fragments, variableValues }: GraphQLResolveInfo): Asking {
  const known = fragmentMaps.get(fragments)
  const map = known ?? new Map<string, FragmentDefinitionNode>(Object.entries(fragments))
  if (!known) fragmentMaps.set(fragments, map)
  return { schema, fragments: map, variables: variableValues }
}

/** Reads a root field with all that is stored below it. */
export async function resolveRoot(context: Context, info: GraphQLResolveInfo): Promise<unknown> {
  const asking = askingOf(info)
  const prepared = prepareField(info.parentType, info.fieldNodes as unknown as Nodes, asking)
  if (!prepared) throw new TypeError(`${info.fieldName} is not stored`)
  context.proceed()
  const text = await readField(prepared, asking, context, forResolvers)
  context.spendText(text)
  return JSON.parse(text)
}

/** A field of a stored object: the statement has brought it. */
export function resolveStored(
  parent: StoredValue,
  _args: unknown,
  _context: Context,
  info: GraphQLResolveInfo,
) {
  return parent[info.path.key]
}

/** An object of which nothing is selected but what is known of it, and what is not stored: nothing is read for it. */
export function resolveKnown(
  known: Readonly<Record<string, unknown>>,
  identity: unknown,
  info: GraphQLResolveInfo,
): StoredValue | undefined {
  const nodes = info.fieldNodes as unknown as Nodes
  const { selection } = prepareObject(info.returnType, nodes, askingOf(info)).item
  const stored = selection.filter(({ is }) => is !== 'outside')
  if (!stored.every(({ field }) => field in known)) return undefined
  return { ...Object.fromEntries(stored.map(({ key, field }) => [key, known[field]])), '@': identity }
}

type Loader = DataLoader<unknown, StoredValue | null, string>

const loaders = new WeakMap<Context, Map<PreparedObject, Loader>>()

/** What is in a row that may be missing: then the chain is asked. @throws Outage, which is that one field's */
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
 * Reads an object that a resolver found by its key: those of one tick and one selection in one statement.
 * @param typeName of the object, where the field's type is an interface
 * @returns null for what is not there
 */
export function resolveKeyed<Key>(
  keyed: Keyed<Key>,
  key: Key,
  context: Context,
  info: GraphQLResolveInfo,
  typeName?: string,
): Promise<StoredValue | null> {
  const asking = askingOf(info)
  const type = (typeName && (info.schema.getType(typeName) as GraphQLObjectType)) || info.returnType
  const prepared = prepareObject(type, info.fieldNodes as unknown as Nodes, asking)
  const known = loaders.get(context) ?? new Map<PreparedObject, Loader>()
  loaders.set(context, known)
  const loader = known.get(prepared) ?? keyedLoader(prepared, keyed as Keyed<unknown>, asking, context)
  known.set(prepared, loader)
  return loader.load(key)
}

const bigintAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)

function keyedLoader(
  prepared: PreparedObject,
  keyed: Keyed<unknown>,
  asking: Asking,
  context: Context,
): Loader {
  return new DataLoader(
    async (keys) => {
      context.proceed()
      const texts = await readKeyed(prepared, keyed, keys, asking, context)
      for (const text of texts) context.spendText(text)
      return texts.map((text) => (text === notStored ? null : (JSON.parse(text) as StoredValue | null)))
    },
    { cacheKeyFn: (key) => JSON.stringify(keyed.values(key), bigintAsText) },
  )
}

/** What a stored object is found by. */
export function identityOf<Identity>(parent: StoredValue): Identity {
  return parent['@'] as Identity
}

/** How a subscription reads the feed: each entry as it is selected. */
export function feedReading(context: Context, info: GraphQLResolveInfo): FeedReading {
  const asking = askingOf(info)
  const { item, slots } = prepareObject(info.returnType, info.fieldNodes as unknown as Nodes, asking)
  return {
    item: { selection: edgeSelection(item) },
    slots: slotsOf(slots, asking, context),
    now: () => unixSeconds(context.now()),
  }
}
