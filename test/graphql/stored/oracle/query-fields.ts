import { affiliateFields, filteredOrders, notificationFields } from './account-fields.ts'
import { auctionFields, solutionFields } from './auction-fields.ts'
import { byKey, type Fields, type GraphqlParams, only, time } from './fields.ts'
import { feedOf, isListed, isPartial, newestAuctions, newestSettlements, newestTrades } from './lists.ts'
import { orderFields } from './order-fields.ts'
import { pageOf } from './page.ts'
import type { Row } from './rows.ts'
import { settlementFields } from './settlement-fields.ts'
import { tradeFields } from './trade-fields.ts'

const settlementsIn = (hash: string | undefined, { rows, chainId }: GraphqlParams) =>
  rows.settlements.filter((each) => each.txHash === hash && each.chainId === chainId)

const newestFirst = (auctions: readonly Row<'auctions'>[]) =>
  auctions.slice().sort(byKey(({ id }) => [id], -1))

function affiliateFor(code: string | undefined, { rows }: GraphqlParams) {
  return only(rows.affiliates.filter((affiliate) => affiliate.code === code))
}

const checkpointOf = ({ rows, chainId }: GraphqlParams) =>
  rows.checkpoints.find((checkpoint) => checkpoint.chainId === chainId)

type Checkpoint = Row<'checkpoints'>

/** The state of a network, from its checkpoint if it has one. */
export const metaFields: Fields<Partial<Checkpoint>> = {
  head: ({ headNumber }) => headNumber ?? null,
  block: (checkpoint) => (checkpoint.blockNumber === undefined ? null : checkpoint),
  lag: (checkpoint) => (checkpoint.blockNumber === undefined ? null : checkpoint),
  mirror: (_checkpoint, _args, { rows, chainId }) =>
    rows.orderBooks.find((book) => book.chainId === chainId) ?? null,
}

export const mirrorStateFields: Fields<Row<'orderBooks'>> = {
  source: ({ url }) => url,
  lagSeconds: ({ lookedAt }, _args, { now }) =>
    lookedAt && Math.max(0, now - Math.ceil(lookedAt.getTime() / 1_000)),
  isLimited: ({ pausedUntil, clientCallsAt, ownCallsAt }, _args, { now }) =>
    pausedUntil.getTime() > now * 1_000 ||
    clientCallsAt.getTime() > (now + 8) * 1_000 ||
    ownCallsAt.getTime() > (now + 4) * 1_000,
  backfill: ({ chainId }, _args, { rows }) =>
    rows.trades.filter((trade) => trade.chainId === chainId && trade.orderId === null).length,
  liveOrders: ({ chainId }, _args, { rows }) =>
    rows.mirroredOrders.filter((order) => order.chainId === chainId && order.isLive).length,
  roundSeconds: ({ chainId }, _args, { rows, now }) => {
    const live = rows.mirroredOrders.filter((order) => order.chainId === chainId && order.isLive)
    const oldest = Math.min(...live.map(({ comparedAt }) => comparedAt.getTime()))
    return live.length > 0 ? Math.max(0, Math.ceil(now - oldest / 1_000)) : null
  },
  settlementsWithoutSolver: ({ chainId }, _args, { rows }) =>
    rows.settlements.filter((row) => row.chainId === chainId && row.solverDue !== null).length,
  lateOrders: ({ chainId }, _args, { rows, now }) =>
    rows.mirroredOrders.filter(
      (order) => order.chainId === chainId && order.isLive && order.comparedAt.getTime() < (now - 60) * 1_000,
    ).length,
}

export const indexedBlockFields: Fields<Checkpoint> = {
  number: ({ blockNumber }) => blockNumber,
  hash: ({ blockHash }) => blockHash,
  timestamp: ({ blockTime }) => time(blockTime),
}

export const lagFields: Fields<Checkpoint> = {
  blocks: ({ headNumber, blockNumber }) =>
    headNumber === null ? null : Math.max(0, headNumber - blockNumber),
  seconds: ({ blockTime }, _args, { now }) =>
    blockTime && Math.max(0, now - Math.ceil(blockTime.getTime() / 1_000)),
}

export const queryFields: Fields<unknown> = {
  order: (_root, { uid }, { rows }) => only(rows.orders.filter((order) => order.uid === uid)),
  ordersByUids: (_root, { uids = [] }, { rows }) =>
    [...new Set(uids)].flatMap((uid) => rows.orders.filter((order) => order.uid === uid)),
  transactionOrders: (_root, { hash }, params) => {
    const blocks = settlementsIn(hash, params).map(({ blockNumber }) => blockNumber)
    const traded = params.rows.trades.filter(
      (trade) => trade.txHash === hash && blocks.includes(trade.blockNumber),
    )
    return params.rows.orders
      .filter(({ id }) => traded.some(({ orderId }) => orderId === id))
      .sort(byKey(({ id }) => [id]))
  },
  orders: (_root, args, params) => filteredOrders(args, params),
  trades: (_root, { owner, orderUid, ...page }, { rows }) => {
    const isAll = owner == null && orderUid == null
    const found = rows.trades.filter(
      (each) => isAll || (isListed(each, rows) && (each.owner === owner || each.orderUid === orderUid)),
    )
    return pageOf({ ...newestTrades(found), isPartial: isPartial('trades', owner, rows) }, page)
  },
  account: (_root, { address }) => ({ address }),
  auction: (_root, { id }, { rows }) => only(rows.auctions.filter((auction) => auction.id === Number(id))),
  latestAuction: (_root, _args, { rows }) => only(newestFirst(rows.auctions)),
  auctions: (_root, page, { rows, chainId }) =>
    pageOf(newestAuctions(rows.auctions.filter((auction) => auction.chainId === chainId)), page),
  auctionOfTransaction: (_root, { hash }, params) => {
    const ids = settlementsIn(hash, params).map(({ auctionId }) => auctionId)
    return only(newestFirst(params.rows.auctions.filter(({ id }) => ids.includes(id))))
  },
  settlements: (_root, { solver, ...page }, { rows, chainId }) =>
    pageOf(
      newestSettlements(
        rows.settlements.filter(
          (each) => each.chainId === chainId && (solver == null || each.solver === solver),
        ),
      ),
      page,
    ),
  settlementsOfTransaction: (_root, { hash }, params) =>
    settlementsIn(hash, params).sort(byKey(({ blockNumber, logIndex }) => [blockNumber, logIndex])),
  meta: (_root, _args, params) => checkpointOf(params) ?? {},
  notifications: (_root, { account = '', ...page }, { rows }) => pageOf(feedOf(account, rows), page),
  appData: (_root, args, { rows }) => only(rows.appData.filter(({ hash }) => hash === args.hash)),
  affiliate: (_root, args, { rows }) => only(rows.affiliates.filter(({ wallet }) => wallet === args.wallet)),
  referralCode: (_root, { code }, params) => affiliateFor(code, params),
  token: (_root, { address }, { chainId }) => ({ chainId, address }),
  tokens: (_root, { addresses = [] }, { chainId }) => addresses.map((address) => ({ chainId, address })),
  node: (_root, { id }, params) => nodeOf(String(id), params),
}

/** Finds a node by comparing with the `id` of each row of its type. */
function nodeOf(id: string, params: GraphqlParams): unknown {
  const [name = '', first, second = ''] = Buffer.from(id, 'base64url').toString().split(':')
  if (name === 'Account') return { address: first, $type: name }
  if (name === 'Token') return { chainId: Number(first), address: second, $type: name }
  const { rows } = params
  const all: [readonly object[], Fields<unknown>][] = [
    [rows.orders, orderFields],
    [rows.trades, tradeFields],
    [rows.auctions, auctionFields],
    [rows.solutions, solutionFields],
    [rows.settlements, settlementFields],
    [rows.notifications, notificationFields],
    [rows.affiliates, affiliateFields],
  ]
  for (const [items, fields] of all) {
    const found = items.find((item) => fields.id?.(item, {}, params) === id)
    if (found) return name === 'Notification' ? found : { ...found, $type: name }
  }
  return null
}
