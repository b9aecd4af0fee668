import DataLoader from 'dataloader'
import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  GraphQLString,
} from 'graphql'
import { derivedOnce } from '../../domain/derived.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { toAddress } from '../../domain/evm/address.ts'
import {
  discreteOrders,
  generators,
  type List,
  ownerMappings,
  transactions,
} from '../../storage/composable/lists.ts'
import {
  countRows,
  type ListPage,
  type ListQuery,
  type ListRow,
  placeOf,
  readPages,
  readPositions,
  type Where,
} from '../../storage/composable/read.ts'
import type { Context } from '../context/context.ts'
import { readOrdersOf } from '../order/order.ts'
import { fieldsOf } from '../stored/collect.ts'
import {
  candidatesOf,
  countParts,
  decodedParamsOf,
  environmentOf,
  findGenerator,
  generatorOf,
  partsOf,
} from './part-lists.ts'
import {
  BigIntScalar,
  columnsOf,
  type Field,
  filterOf,
  JsonScalar,
  pageType,
  required,
  ViewPageInfo,
} from './types.ts'

/**
 * The schema of indexers that are made with Ponder, as clients of CoW Protocol's programmatic orders use it.
 * Members that this service has no data for are left out, so that a document with them does not validate.
 */

export const defaultLimit = 50
export const maxLimit = 1_000
/** Rows before a page that the database may pass over. */
const maxOffset = 1_000_000

const orderArguments: GraphQLFieldConfigArgumentMap = {
  orderBy: { type: GraphQLString },
  orderDirection: { type: GraphQLString },
  limit: { type: GraphQLInt },
  offset: { type: GraphQLInt },
}

const pageArguments: GraphQLFieldConfigArgumentMap = {
  ...orderArguments,
  before: { type: GraphQLString },
  after: { type: GraphQLString },
}

interface PageArguments {
  where?: Where | null
  orderBy?: string | null
  orderDirection?: string | null
  limit?: number | null
  offset?: number | null
  before?: string | null
  after?: string | null
}

function refuse(field: string, message: string): never {
  throw new Refusal('InvalidParameter', message, { field })
}

/** @throws Refusal InvalidParameter */
function readArguments({ orderDirection, limit, offset, before, after, where, orderBy }: PageArguments) {
  const size = limit ?? defaultLimit
  if (size < 1 || size > maxLimit) refuse('limit', `limit must be from 1 to ${maxLimit}`)
  if (offset != null && (offset < 0 || offset > maxOffset))
    refuse('offset', `offset must be from 0 to ${maxOffset}`)
  const direction = orderDirection ?? 'asc'
  if (direction !== 'asc' && direction !== 'desc')
    refuse('orderDirection', 'orderDirection must be asc or desc')
  if (before != null && after != null) refuse('before', 'give before or after, not both')
  if ((before != null || after != null) && offset != null)
    refuse('offset', 'give a cursor or offset, not both')
  return {
    where: where ?? {},
    orderBy: orderBy ?? undefined,
    isDescending: direction === 'desc',
    limit: size,
    offset: offset ?? 0,
    after: placeIn(after, 'after'),
    before: placeIn(before, 'before'),
  }
}

function placeIn(cursor: string | null | undefined, field: string): string[] | undefined {
  if (cursor == null) return undefined
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(place) && place.every((part) => typeof part === 'string')) return place
  } catch {
    // Refused below.
  }
  return refuse(field, 'the cursor is malformed')
}

const cursorOf = (list: List, orderBy: string | undefined, row: ListRow | undefined) =>
  row ? Buffer.from(JSON.stringify(placeOf(list, orderBy, row))).toString('base64url') : null

/** The names of fields below a field, by the path of names. */
function selectedIn(info: GraphQLResolveInfo, ...path: string[]): string[] {
  const fragments = new Map(Object.entries(info.fragments))
  let nodes = info.fieldNodes
  for (const name of [...path, undefined]) {
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    const below = [...fieldsOf(sets, info.variableValues, fragments).values()].flat()
    if (name === undefined) return below.map((node) => node.name.value)
    nodes = below.filter((node) => node.name.value === name)
  }
  return []
}

/** Columns that computed fields are made of. */
const columnsFor: Readonly<Record<string, string>> = {
  additionalData: 'executed',
  transaction: 'txHash',
  conditionalOrderGenerator: 'conditionalOrderGeneratorId',
}

const columnsIn = (names: readonly string[]) => names.map((name) => columnsFor[name] ?? name)

function toPage(
  page: ListPage,
  list: List,
  { orderBy, offset, after, before }: Omit<ListQuery, 'fields' | 'counts'>,
) {
  return {
    items: page.rows,
    totalCount: page.total,
    pageInfo: {
      hasNextPage: before ? true : page.hasMore,
      hasPreviousPage: before ? page.hasMore : after !== undefined || offset > 0,
      startCursor: () => cursorOf(list, orderBy, page.rows[0]),
      endCursor: () => cursorOf(list, orderBy, page.rows.at(-1)),
    },
  }
}

function queryOf(args: PageArguments, info: GraphQLResolveInfo): ListQuery {
  return {
    ...readArguments(args),
    fields: columnsIn(selectedIn(info, 'items')),
    counts: selectedIn(info).includes('totalCount'),
  }
}

function pageField(
  list: List,
  type: GraphQLObjectType,
  filter: GraphQLInputObjectType,
): GraphQLFieldConfig<unknown, Context> {
  return {
    type: required(type),
    args: {
      where: { type: filter },
      ...(type === viewPages.programmaticOrder ? orderArguments : pageArguments),
    },
    async resolve(_root, args: PageArguments, context, info) {
      const query = queryOf(args, info)
      await payForScan(list, query, context)
      if (list === generators) await readOrdersOf(ownerIn(query.where ?? {}, context), context.client)
      context.proceed()
      const [page] = await readPages(context.db, list, query, environmentOf(context))
      context.countItems(page?.rows ?? [])
      return page && toPage(page, list, query)
    },
  }
}

/** The owner that a filter names, and the networks on which it may have orders. */
function ownerIn({ owner, chainId }: { owner?: unknown; chainId?: unknown }, { networks }: Context) {
  return {
    owner: typeof owner === 'string' ? toAddress(owner) : undefined,
    networks: networks.all.filter(({ network }) => chainId == null || network.chainId === chainId),
  }
}

/** Rows that a unit pays for, where a statement reads a whole table; for how long their number is kept. */
const rowsPerUnit = 250
const keptMs = 60_000

/** The sizes of the tables of each server's lists. */
const sizesOf = derivedOnce((_networks: Context['networks']) => new Map<List, { at: number; rows: number }>())

/** Charges a list that no index narrows for the rows that its statements read. */
async function payForScan(list: List, { where = {}, counts }: ListQuery, context: Context): Promise<void> {
  if (!context.addUnits || list.indexed.some((name) => typeof where[name] === 'string')) return
  const sizes = sizesOf(context.networks)
  let size = sizes.get(list)
  if (!size || performance.now() - size.at > keptMs) {
    context.proceed()
    size = { at: performance.now(), rows: await countRows(context.db, list) }
    sizes.set(list, size)
  }
  context.addUnits(Math.floor((size.rows * (counts ? 2 : 1)) / rowsPerUnit))
}

/** Finds one row by its key. */
function keyField(list: List, type: GraphQLObjectType): GraphQLFieldConfig<unknown, Context> {
  const [, key = ''] = list.key
  return {
    type,
    args: {
      chainId: { type: new GraphQLNonNull(GraphQLFloat) },
      [key]: { type: new GraphQLNonNull(GraphQLString) },
    },
    async resolve(_root, where: Where, context, info) {
      const fields = columnsIn(selectedIn(info))
      const query = { where, fields, isDescending: false, limit: 1, offset: 0, counts: false }
      await payForScan(list, query, context)
      context.proceed()
      const [page] = await readPages(context.db, list, query, environmentOf(context))
      return page?.rows[0] ?? null
    },
  }
}

/** Reads the same page for all programmatic orders of an answer in the same statements. */
const ordersLoader = derivedOnce((context: Context) => {
  const loaders = new Map<string, DataLoader<string, ListPage>>()
  return (query: ListQuery) => {
    const key = JSON.stringify(query)
    const loader =
      loaders.get(key) ??
      new DataLoader<string, ListPage>(async (ids) => {
        context.proceed()
        return readPages(context.db, discreteOrders, query, environmentOf(context), ids)
      })
    loaders.set(key, loader)
    return loader
  }
})

/** Reads the programmatic orders of parts in one statement. */
const generatorLoader = derivedOnce((context: Context) => {
  const loaders = new Map<string, DataLoader<string, ListRow | null>>()
  return (fields: string[]) => {
    const key = fields.join()
    const loader =
      loaders.get(key) ??
      new DataLoader<string, ListRow | null>(async (ids) => {
        context.proceed()
        const where = { eventId_in: ids }
        const query = { where, fields, isDescending: false, limit: ids.length, offset: 0, counts: false }
        const [page] = await readPages(context.db, generators, query, environmentOf(context))
        const rows = new Map(page?.rows.map((row) => [String(row.eventId), row]))
        return ids.map((id) => rows.get(id) ?? null)
      })
    loaders.set(key, loader)
    return loader
  }
})

const generatorField: Field = {
  get type() {
    return conditionalOrderGenerator
  },
  resolve: ({ conditionalOrderGeneratorId }, _args, context, info) =>
    generatorLoader(context)(columnsIn(selectedIn(info))).load(String(conditionalOrderGeneratorId)),
}

const computed: Record<string, Field> = {
  decodedParams: { type: JsonScalar, resolve: (row) => decodedParamsOf(generatorOf(row)) },
  decodeError: {
    type: GraphQLString,
    resolve(row) {
      const { decoded } = generatorOf(row).terms
      return 'decodeError' in decoded ? decoded.decodeError : null
    },
  },
  allCandidatesKnown: {
    type: new GraphQLNonNull(GraphQLBoolean),
    resolve: (row) => generatorOf(row).terms.schedule !== null,
  },
  additionalData: {
    type: JsonScalar,
    resolve: (row) =>
      generatorOf(row).terms.decoded.type === 'TWAP' ? JSON.parse(String(row.executed)) : null,
  },
}

const transaction: GraphQLObjectType = new GraphQLObjectType({
  name: 'transaction',
  fields: columnsOf(transactions, {}),
})

const discreteOrder: GraphQLObjectType = new GraphQLObjectType({
  name: 'discreteOrder',
  fields: (): GraphQLFieldConfigMap<ListRow, Context> => ({
    ...columnsOf(discreteOrders, {
      without: ['sortKey'],
      nullable: ['validTo', 'executedSellAmount', 'executedBuyAmount', 'executedFee'],
    }),
    conditionalOrderGenerator: generatorField,
  }),
})

const candidateDiscreteOrder: GraphQLObjectType = new GraphQLObjectType({
  name: 'candidateDiscreteOrder',
  fields: (): GraphQLFieldConfigMap<ListRow, Context> => ({
    ...columnsOf(discreteOrders, {
      without: ['sortKey', 'status', 'executedSellAmount', 'executedBuyAmount', 'executedFee'],
      nullable: ['validTo'],
    }),
    possibleValidAfterTimestamp: { type: BigIntScalar },
    conditionalOrderGenerator: generatorField,
  }),
})

const conditionalOrderGenerator: GraphQLObjectType = new GraphQLObjectType({
  name: 'conditionalOrderGenerator',
  fields: (): GraphQLFieldConfigMap<ListRow, Context> => ({
    ...columnsOf(generators, { without: ['creationDate'] }),
    ...computed,
    transaction: {
      type: transaction,
      resolve(row) {
        const { blockNumber, createdAt, terms } = generatorOf(row)
        return { hash: row.txHash, chainId: terms.chainId, blockNumber, blockTimestamp: createdAt }
      },
    },
    discreteOrders: {
      type: required(pages.discreteOrder),
      args: { where: { type: orderFilter }, ...pageArguments },
      async resolve(row, args: PageArguments, context, info) {
        const query = queryOf(args, info)
        const page = await ordersLoader(context)(query).load(generatorOf(row).id)
        context.countItems(page.rows)
        return toPage(page, discreteOrders, query)
      },
    },
    candidateDiscreteOrders: {
      type: required(viewPages.candidateDiscreteOrder),
      args: orderArguments,
      resolve: async (row, args: PageArguments, context) => {
        const query = partArguments(args, candidateOrders)
        return toView(await candidatesOf(generatorOf(row), query, context), query, context)
      },
    },
  }),
})

const programmaticOrder = new GraphQLObjectType({
  name: 'programmaticOrder',
  fields: (): GraphQLFieldConfigMap<ListRow, Context> => ({
    ...columnsOf(generators, {}),
    ...computed,
    partOrdersCount: {
      type: new GraphQLNonNull(GraphQLFloat),
      resolve: (row, _args, context) => countParts(generatorOf(row), context),
    },
  }),
})

const partOrder = new GraphQLObjectType({
  name: 'partOrder',
  fields: {
    ...columnsOf(discreteOrders, {
      without: ['status'],
      nullable: ['validTo', 'executedSellAmount', 'executedBuyAmount', 'executedFee'],
    }),
    status: { type: new GraphQLNonNull(GraphQLString) },
  },
})

const ownerMapping = new GraphQLObjectType({ name: 'ownerMapping', fields: columnsOf(ownerMappings, {}) })

const pages = {
  conditionalOrderGenerator: pageType(conditionalOrderGenerator),
  discreteOrder: pageType(discreteOrder),
  ownerMapping: pageType(ownerMapping),
  transaction: pageType(transaction),
}
const viewPages = {
  programmaticOrder: pageType(programmaticOrder, ViewPageInfo),
  partOrder: pageType(partOrder, ViewPageInfo, GraphQLFloat),
  candidateDiscreteOrder: pageType(candidateDiscreteOrder, ViewPageInfo, GraphQLFloat),
}

const orderFilter = filterOf(
  'discreteOrder',
  discreteOrders,
  Object.keys(discreteOrders.fields).filter((name) => name !== 'sortKey'),
)

/** The orders of lists that are computed: each is that of the times of the parts. */
const candidateOrders = ['validTo', 'possibleValidAfterTimestamp']
const partOrders = ['sortKey', 'validTo']

function partArguments(args: PageArguments, orders: readonly string[]) {
  const { limit, offset, isDescending, orderBy } = readArguments(args)
  if (orderBy !== undefined && !orders.includes(orderBy))
    refuse('orderBy', `this list is ordered by ${orders.join(' or ')}`)
  return { limit, offset, isDescending }
}

function toView(page: ListPage, { offset }: { offset: number }, context: Context) {
  context.countItems(page.rows)
  return {
    items: page.rows,
    totalCount: page.total,
    pageInfo: { hasNextPage: page.hasMore, hasPreviousPage: offset > 0 },
  }
}

/** A list that is computed for one programmatic order, which a filter must name. */
function computedField(
  name: string,
  type: GraphQLObjectType,
  orders: readonly string[],
  read: typeof partsOf,
): GraphQLFieldConfig<unknown, Context> {
  return {
    type: required(type),
    args: {
      where: {
        type: new GraphQLInputObjectType({
          name: `${name}Filter`,
          fields: { conditionalOrderGeneratorId: { type: GraphQLString }, chainId: { type: GraphQLInt } },
        }),
      },
      ...orderArguments,
    },
    async resolve(_root, args: PageArguments, context) {
      const page = partArguments(args, orders)
      const { conditionalOrderGeneratorId: id, chainId } = args.where ?? {}
      if (typeof id !== 'string') refuse('where', 'where must have a conditionalOrderGeneratorId')
      if (chainId === null) refuse('where', 'chainId must not be null')
      const generator = await findGenerator(String(id), chainId, context)
      if (generator) await readOrdersOf(ownerIn(generator.terms, context), context.client)
      const found = generator && (await read(generator, page, context))
      return toView(found ?? { rows: [], hasMore: false, total: 0 }, page, context)
    },
  }
}

const Meta = new GraphQLObjectType({ name: 'Meta', fields: { status: { type: JsonScalar } } })

const list = (name: string, of: List, type: GraphQLObjectType) => pageField(of, type, filterOf(name, of))

export const composableSchema = new GraphQLSchema({
  query: new GraphQLObjectType<unknown, Context>({
    name: 'Query',
    fields: {
      conditionalOrderGenerator: keyField(generators, conditionalOrderGenerator),
      conditionalOrderGenerators: list(
        'conditionalOrderGenerator',
        generators,
        pages.conditionalOrderGenerator,
      ),
      discreteOrder: keyField(discreteOrders, discreteOrder),
      discreteOrders: pageField(discreteOrders, pages.discreteOrder, orderFilter),
      candidateDiscreteOrders: computedField(
        'candidateDiscreteOrder',
        viewPages.candidateDiscreteOrder,
        candidateOrders,
        candidatesOf,
      ),
      ownerMapping: keyField(ownerMappings, ownerMapping),
      ownerMappings: list('ownerMapping', ownerMappings, pages.ownerMapping),
      transaction: keyField(transactions, transaction),
      transactions: list('transaction', transactions, pages.transaction),
      programmaticOrders: list('programmaticOrder', generators, viewPages.programmaticOrder),
      partOrders: computedField('partOrder', viewPages.partOrder, partOrders, partsOf),
      _meta: {
        type: Meta,
        async resolve(_root, _args, context) {
          const { chainIds } = environmentOf(context)
          context.proceed()
          const positions = await readPositions(context.db, chainIds)
          const status = positions.map(({ chainId, number, timestamp }) => [
            context.networks.byChainId(chainId)?.network.name ?? String(chainId),
            { id: chainId, block: { number, timestamp } },
          ])
          return { status: Object.fromEntries(status) }
        },
      },
    },
  }),
})
