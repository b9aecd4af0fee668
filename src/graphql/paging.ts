import type { ArgBuilder } from '@pothos/core'
import { Refusal } from '../domain/errors/error.ts'
import { defaultPage, maxPage } from '../storage/query/page-key.ts'
import { builder, type SchemaTypes } from './builder.ts'
import { requireAccess } from './context/access.ts'
import type { Context } from './context/context.ts'
import { onlyNetwork } from './input/fields.ts'
import { type PageInfo, PageInfoRef } from './refs.ts'

export { maxPage }

export type Arguments = ArgBuilder<PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>>

export function networkArgument(arg: Arguments, description: string = onlyNetwork) {
  return arg({
    type: 'NetworkName',
    required: false,
    description: `A network by name or chain id, such as sepolia. ${description}`,
  })
}

export const allNetworks = 'All networks without it.'

export const feedCursorArgument = (arg: Arguments) =>
  arg.string({ required: false, description: 'A cursor, or "earliest".' })

/** The argument by which a list is read by its changes, for clients that may read the feed of the book. */
export const changedAfterArgument = (arg: Arguments) =>
  arg.string({
    required: false,
    description:
      'A place in the feed of the book, or "earliest": only items that changed later, in the order of their last changes, each once. Cursors of such pages are places too. An item that changes again meanwhile comes again. Needs access to the feed, and is refused with FeedGap behind entries that were removed.',
  })

/** The page arguments of a list by its changes: it begins behind the place. */
export function pageByChange<
  Args extends { after?: string | null | undefined; changedAfter?: string | null | undefined },
>({ changedAfter, ...args }: Args, environment: Parameters<typeof requireAccess>[1]) {
  const isByChange = changedAfter != null
  if (!isByChange) return { ...args, isByChange }
  requireAccess('bookFeed', environment)
  return { ...args, after: args.after ?? changedAfter, isByChange }
}

const afterText = 'The cursor to continue behind.'

/** Arguments of a keyset page, from either end of the list. */
export function pageArguments() {
  return builder.args((arg) => ({
    first: arg.int({
      required: false,
      description: `Size of the page, 1 to ${maxPage}, from the start of the list; ${defaultPage} without it and without last.`,
    }),
    after: arg.string({ required: false, description: afterText }),
    last: arg.int({
      required: false,
      description: `Size of the page, 1 to ${maxPage}, from the end of the list.`,
    }),
    before: arg.string({ required: false, description: 'The cursor to end before.' }),
  }))
}

/** Arguments of a keyset page, forwards only. */
export function cursorArguments(arg: Arguments, size = defaultPage, max = maxPage) {
  return {
    first: arg.int({ defaultValue: size, required: true, description: `Size of the page, 1 to ${max}.` }),
    after: arg.string({ required: false, description: afterText }),
  }
}

export function checkFirst(first: number, max = maxPage): void {
  if (first >= 1 && first <= max) return
  throw new Refusal('InvalidParameter', `first must be from 1 to ${max}`, { field: 'first' })
}

export function checkLimit(limit: number, code: 'InvalidLimit' | 'LIMIT_OUT_OF_BOUNDS'): void {
  if (limit >= 1 && limit <= maxPage) return
  throw new Refusal(code, `limit must be from 1 to ${maxPage}`, { field: 'limit' })
}

/** A page of a list that a resolver builds. */
export interface Page<Item> {
  items: Item[]
  hasNextPage: boolean
  /** Not set where earlier items are not counted. */
  hasPreviousPage?: boolean
}

/** Returns the page of rows that begin with it; any more are behind it. */
export function pageOf<Row>(
  rows: readonly Row[],
  first: number,
  { countItems }: Pick<Context, 'countItems'>,
): Page<Row> {
  return { items: countItems(rows.slice(0, first)), hasNextPage: rows.length > first }
}

type RefOf<Value> = ReturnType<typeof builder.objectRef<Value>>

interface ListOptions<Item> {
  item: RefOf<Item>
  /** The name of the pages; that of the item with `Connection` without it. */
  name?: string
  description: string
  /** Returns what a cursor holds, opaque to clients: the place of an item, by which the next page goes on. */
  placeOf: (item: Item) => string
  /** Objects that an item counts as. */
  weight?: number
}

/** Returns the type of the pages of a list that resolvers build, and adds it and its edges to the schema. */
export function connectionRef<Item extends object, More = unknown>(options: ListOptions<Item>) {
  const { item, name = `${item.name}Connection`, description, placeOf, weight } = options
  const cursorOf = (of: Item) => Buffer.from(placeOf(of)).toString('base64url')
  const connection = builder.objectRef<Page<Item> & More>(name)
  const edge = builder.objectRef<Item>(`${item.name}Edge`)
  const resolvers: PageResolvers<Page<Item> & More, Item> = {
    items: ({ items }) => items,
    cursor: cursorOf,
    node: (of) => of,
    pageInfo: ({ items, hasNextPage, hasPreviousPage = false }) => ({
      page: {
        hasNextPage,
        hasPreviousPage,
        startCursor: items.slice(0, 1).map(cursorOf)[0] ?? null,
        endCursor: items.slice(-1).map(cursorOf)[0] ?? null,
      },
    }),
  }
  implementConnection({ connection, edge, item }, description, resolvers, { weight })
  return connection
}

/** Returns the parts of the place in a cursor. @throws Refusal InvalidParameter */
export function placeIn(cursor: string, pattern: RegExp): string[] {
  const [match, ...parts] = pattern.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (match !== undefined) return parts
  throw wrongCursor()
}

export function wrongCursor(): Refusal {
  return new Refusal('InvalidParameter', 'after must be a cursor of this list', { field: 'after' })
}

interface PageResolvers<List, Item> {
  items: (list: List) => Item[]
  cursor: (item: Item) => string
  node: (item: Item) => Item
  pageInfo: (list: List) => PageInfo
}

/** Adds the fields that the pages of all lists have, and their edges. */
export function implementConnection<List extends object, Item extends object>(
  types: Record<'edge' | 'item', RefOf<Item>> & { connection: RefOf<List> },
  description: string,
  resolvers: PageResolvers<List, Item>,
  { isPagePart, weight }: { isPagePart?: true; weight?: number | undefined },
): void {
  const { connection, edge, item } = types
  const part = { extensions: { isPagePart } }
  const items = { extensions: { isPagePart, weight }, resolve: resolvers.items }
  edge.implement({
    description: `An item of ${connection.name} in its place.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'Its place, as the arguments of pages take it.',
        ...part,
        resolve: resolvers.cursor,
      }),
      node: t.field({
        type: item as RefOf<object>,
        description: 'The item.',
        ...part,
        resolve: resolvers.node,
      }),
    }),
  })
  connection.implement({
    description,
    fields: (t) => ({
      nodes: t.field({ type: [item], description: 'The items alone.', ...items }),
      edges: t.field({ type: [edge], description: 'The items with their cursors.', ...items }),
      pageInfo: t.field({
        type: PageInfoRef,
        description: 'The place of the page in its list.',
        ...part,
        resolve: resolvers.pageInfo,
      }),
    }),
  })
}

const pagePart = { extensions: { isPagePart: true } }

PageInfoRef.implement({
  description: 'The place of a page in its list.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'True if there are items behind endCursor.',
      ...pagePart,
      resolve: (info, _args, _context, { path }) => pagePartOf(info, 'hasNextPage', path.key) as boolean,
    }),
    hasPreviousPage: t.boolean({
      description:
        'True if there are items before startCursor; without a request for earlier items, true if the page began behind a cursor.',
      ...pagePart,
      resolve: (info, _args, _context, { path }) => pagePartOf(info, 'hasPreviousPage', path.key) as boolean,
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The first item’s cursor.',
      ...pagePart,
      resolve: (info, _args, _context, { path }) =>
        pagePartOf(info, 'startCursor', path.key) as string | null,
    }),
    endCursor: t.string({
      nullable: true,
      description:
        'The end of the page, behind which the next one begins: the last item, or the place at which the search stopped.',
      ...pagePart,
      resolve: (info, _args, _context, { path }) => pagePartOf(info, 'endCursor', path.key) as string | null,
    }),
  }),
})

/** Stored lists have the value under its response key, other lists under its name. */
function pagePartOf(info: Partial<PageInfo>, name: keyof PageInfo['page'], key: string | number): unknown {
  return info.page ? info.page[name] : (info as Record<string | number, unknown>)[key]
}
