import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { unixSeconds } from '../../domain/log.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import type { OrderStatus as Status } from '../../domain/order/status.ts'
import type { Caller } from '../../http/caller.ts'
import { filteredOrders } from '../../storage/models/account.ts'
import { orderByUid } from '../../storage/models/keyed.ts'
import { maxSnapshotOrders, orderFeedEntry } from '../../storage/models/order/event.ts'
import { order } from '../../storage/models/order/order.ts'
import { namedOrders, oneOrder, ordersOfTransaction } from '../../storage/models/order/relations.ts'
import {
  hasAllSolverOutcomes,
  type OutcomeArguments,
  solverOutcome,
  solverOutcomes,
} from '../../storage/models/order/solver-outcome.ts'
import { findOrderId } from '../../storage/order/orders.ts'
import type { OneRow, Relation } from '../../storage/query/model.ts'
import { builder } from '../builder.ts'
import { type Context, checkNamed } from '../context/context.ts'
import { chainIdOf, tradingOn } from '../context/networks.ts'
import { OrderStatus } from '../enums.ts'
import { maxNamedOrders as maxNamed } from '../input/fields.ts'
import { NetworkRef, networkOn } from '../network.ts'
import {
  type Arguments,
  allNetworks,
  changedAfterArgument,
  feedCursorArgument,
  networkArgument,
  pageByChange,
} from '../paging.ts'
import { OrderRef } from '../refs.ts'
import type { Environment } from '../stored/collect.ts'
import { elsewhere, isLacking, type Owned, readOwned } from '../stored/elsewhere.ts'
import { exposeModel, fieldWith, relationOptions, storedRoot } from '../stored/expose.ts'
import { type FeedSubscription, feedField } from '../stored/feed-field.ts'
import { identityOf, modelRef } from '../stored/resolve.ts'
import { OrderFilterInput, toOrderFilter } from './filter.ts'

exposeModel(order, ['solverOutcomes', 'hasAllSolverOutcomes'])
exposeModel(solverOutcome)

const outcomeAuction = {
  type: 'SafeInt',
  required: false,
  description: 'The auction; the newest that held the order and is not hidden without it.',
} as const

const ofOutcomes = ({ auctionId, solver }: Partial<OutcomeArguments>) => ({
  auctionId: auctionId ?? null,
  solver: solver ?? null,
})

builder.objectFields(OrderRef, (t) => {
  const auctionId = t.arg(outcomeAuction)
  const solver = t.arg({ type: 'Address', required: false, description: 'Only this solver.' })
  const field = (options: object) => fieldWith(t, options)
  return {
    solverOutcomes: field(
      relationOptions(solverOutcomes, { args: { auctionId, solver }, rowArguments: ofOutcomes }),
    ),
    hasAllSolverOutcomes: field(
      relationOptions(hasAllSolverOutcomes, { args: { auctionId }, rowArguments: ofOutcomes }),
    ),
  }
})

builder.objectField(OrderRef, 'network', (t) =>
  t.field({
    type: NetworkRef,
    description: 'The network of the order.',
    resolve: (parent, _args, context) => networkOn(identityOf<{ chainId: number }>(parent).chainId, context),
  }),
)

const ofOneNetwork = 'Narrows: an order of another network is not known.'

/** Options of a root field that lists what a transaction settled. */
export const readingTransaction = {
  mayLack: () => true,
  readMissing: async ({ hash, network }: { hash: string; network?: string }, context: Context) =>
    (await tradingOn(context, network).readTransaction?.(hash as Bytes32, context.client)) ?? false,
}

const transactionRoot = ordersRoot(
  'many',
  ordersOfTransaction,
  'Orders that a settlement transaction traded; empty when it is not known.',
  20,
)

/** The network of an argument, or all. */
export const namedNetworks = (network: string | null | undefined, environment: Environment) =>
  network == null ? environment.networks.all : [tradingOn(environment, network)]

/** Reads orders that are not stored from the order books that networks follow. */
export async function readOrders(
  uids: readonly string[],
  network: string | undefined,
  context: Context,
): Promise<boolean> {
  const named = namedNetworks(network, context)
  const { client } = context
  const read = await Promise.all(named.map((trading) => trading.readOrders?.(uids as OrderUid[], client)))
  return read.includes(true)
}

interface OwnedBy extends Pick<Owned, 'networks'> {
  owner?: Address | null | undefined
}

/** Reads the orders of an owner from the order books that networks follow. @returns whether it did */
export const readOrdersOf = async ({ owner, networks }: OwnedBy, client: string): Promise<boolean> =>
  owner != null && readOwned({ owner, networks }, client)

/** Named by anything but arguments of their own: by the id of a node, or by a gateway. */
elsewhere(orderByUid, { readMissing: (uid, context) => readOrders([uid], undefined, context) })

/** Options of a root field of which the orders of an owner are a part. */
export function readingOwner<Args>(find: (args: Args, environment: Environment) => OwnedBy) {
  return {
    mayLack(text: string, args: Args, environment: Environment) {
      const { owner, networks } = find(args, environment)
      return text !== 'null' && owner != null && isLacking({ owner, networks })
    },
    readMissing: async (args: Args, context: Context, result: unknown) =>
      result !== null && readOrdersOf(find(args, context), context.client),
  }
}

builder.queryFields((t) => ({
  order: storedRoot(t, ordersRoot('one', oneOrder, 'One order; null when it is not known.'), {
    args: {
      uid: t.arg({ type: 'OrderUid', required: true, description: 'The UID of the order.' }),
      network: networkArgument(t.arg, ofOneNetwork),
    },
    rowArguments: ({ uid, network }: { uid: string; network?: string }, environment) => ({
      uid,
      chainId: chainIdOf(environment, network),
    }),
    readMissing: async ({ uid, network }, context, result) =>
      result === null && readOrders([uid], network, context),
  }),
  ordersByUids: storedRoot(
    t,
    ordersRoot(
      'many',
      namedOrders,
      `Orders by their UIDs, at most ${maxNamed}, each once and as they were named; what is not known is left out.`,
      maxNamed,
    ),
    {
      args: {
        uids: t.arg({ type: ['OrderUid'], required: true, description: 'Their UIDs.' }),
        network: networkArgument(t.arg, ofOneNetwork),
      },
      rowArguments: ({ uids, network }: { uids: string[]; network?: string }, environment) => {
        const chainId = chainIdOf(environment, network)
        checkNamed(uids as `0x${string}`[], 'uids', environment)
        return { uids: [...new Set(uids)], chainId }
      },
      mayLack: (text, { uids }) => JSON.parse(text).length < new Set(uids).size,
      readMissing: async ({ uids, network }, context, result) =>
        ((result as unknown[] | undefined)?.length ?? 0) < new Set(uids).size &&
        readOrders(uids, network, context),
    },
  ),
  transactionOrders: storedRoot(t, transactionRoot, {
    args: {
      hash: t.arg({ type: 'Bytes32', required: true, description: 'The transaction of the orders.' }),
      network: networkArgument(t.arg),
    },
    rowArguments: ({ hash, network }: { hash: string; network?: string }, environment) => ({
      hash,
      chainId: tradingOn(environment, network).network.chainId,
    }),
    ...readingTransaction,
  }),
  orders: storedRoot(t, filteredOrders, {
    args: {
      owner: t.arg({ type: 'Address', required: false, description: 'Only orders of this owner.' }),
      ...filterArguments(t.arg),
      changedAfter: changedAfterArgument(t.arg),
    },
    rowArguments: (args: FilterArguments & Changed, environment) =>
      filterRowArguments(pageByChange(args, environment), environment),
    ...readingOwner(({ owner, network }: FilterArguments, environment) => ({
      owner,
      networks: namedNetworks(network, environment),
    })),
  }),
}))

function ordersRoot(
  kind: 'one' | 'many',
  rows: OneRow['rows'],
  description: string,
  items?: number,
): Relation {
  const root = { model: () => order, rows, description }
  return kind === 'one' ? { ...root, kind, nullable: true } : { ...root, kind, ...(items && { items }) }
}

/** Arguments that narrow a list of orders. */
export function filterArguments(arg: Arguments) {
  return {
    network: networkArgument(arg, allNetworks),
    status: arg({ type: OrderStatus, required: false, description: 'Short for one of filter.statuses.' }),
    filter: arg({ type: OrderFilterInput, required: false, description: 'Only orders that meet it.' }),
  }
}

interface Changed {
  after?: string | null
  changedAfter?: string | null
}

interface FilterArguments {
  network?: string | null
  owner?: Address | null
  status?: Status | null
  filter?: Parameters<typeof toOrderFilter>[0]
}

export function filterRowArguments<Args extends FilterArguments>(args: Args, environment: Environment) {
  const { network, owner, status, filter: filterInput, ...page } = args
  const chainIds = chainIdsOf(environment, network)
  const filter = { ...toOrderFilter(filterInput, status), chainIds, ...(owner != null && { owner }) }
  return { ...page, filter, now: unixSeconds(environment.now()) }
}

/** Chain ids of the named network, else of all networks. */
export function chainIdsOf(environment: Environment, network: string | null | undefined): number[] {
  const networks = network == null ? environment.networks.all : [tradingOn(environment, network)]
  return networks.map((trading) => trading.network.chainId)
}

exposeModel(orderFeedEntry)

interface EventsArguments {
  uid?: OrderUid | null
  owner?: Address | null
  after?: string | null
  snapshot?: boolean | null
}

/** @throws Refusal InvalidParameter, OrderNotFound */
async function find(
  { uid, owner, ...rest }: EventsArguments,
  { feeds, db, networks: { all: networks }, client }: Environment & Pick<Caller, 'client'>,
): Promise<FeedSubscription> {
  const after = rest.after ?? null
  if ((uid == null) === (owner == null))
    throw new Refusal('InvalidParameter', 'exactly one of uid and owner is expected', { field: 'uid' })
  if (owner != null) {
    if (rest.snapshot) await readOrdersOf({ owner, networks }, client)
    const snapshot = rest.snapshot ? { snapshot: true, snapshotEntries: maxSnapshotOrders } : {}
    return { feed: feeds.owner, key: owner, after, ...snapshot }
  }
  const findId = async () => (uid == null ? undefined : findOrderId(db, uid))
  let id = await findId()
  if (uid != null && id === undefined) {
    const read = await Promise.all(networks.map(({ readOrders }) => readOrders?.([uid], client)))
    if (read.includes(true)) id = await findId()
  }
  if (id === undefined) throw new Refusal('OrderNotFound', 'there is no such order', { field: 'uid' })
  return { feed: feeds.order, key: String(id), after, snapshot: rest.snapshot ?? false }
}

builder.subscriptionField('orderEvents', (t) =>
  t.field({
    type: modelRef(orderFeedEntry.name),
    description:
      'Events of one order, or of all orders of an account, as they are committed; give uid or owner. Without after it starts now; with a cursor it first gives what was missed, once and in order.',
    args: {
      uid: t.arg({ type: 'OrderUid', required: false, description: 'The order to follow.' }),
      owner: t.arg({ type: 'Address', required: false, description: 'The account whose orders to follow.' }),
      after: feedCursorArgument(t.arg),
      snapshot: t.arg.boolean({
        required: false,
        description: `If true, the present state comes first, in entries without an event: the order, or the orders of the account that have not ended, newest first and up to ${maxSnapshotOrders}. If there are as many, read the account’s orders for older ones. Has no effect if the stream is resumed, unless behind an entry that was not the snapshot’s last.`,
      }),
    },
    ...feedField<EventsArguments>({ find }),
  }),
)
