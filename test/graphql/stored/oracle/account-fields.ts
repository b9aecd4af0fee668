import { nativeMarker } from '../../../../src/domain/evm/address.ts'
import type { Notification } from '../../../../src/domain/notification/notification.ts'
import { surplusToken } from '../../../../src/domain/order/surplus.ts'
import { traderRewardAmount } from '../../../fakes/affiliate-programme.ts'
import { surplusValueDown, tradedSurplusDown } from '../../../fakes/order-value.ts'
import {
  type Arguments,
  byKey,
  columns,
  type Fields,
  type GraphqlParams,
  idOf,
  member,
  only,
  time,
} from './fields.ts'
import { feedOf, isListed, isPartial, newestNotifications, newestOrders, newestTrades } from './lists.ts'
import { domainOrder, statusOf, token } from './order-fields.ts'
import { type Connection, pageOf } from './page.ts'
import type { Row } from './rows.ts'

/** Orders that match all conditions of a filter. */
export function filteredOrders(
  { filter, status, owner, ...page }: Arguments,
  params: GraphqlParams,
): Connection {
  const { statuses, pair, kind, class: orderClass, appCode, createdFrom, createdUntil } = filter ?? {}
  const wanted = statuses ?? (status == null ? null : [status])
  const orders = params.rows.orders
    .filter((order) => owner == null || order.owner === owner)
    .filter((order) => wanted === null || wanted.includes(member(statusOf(order, params))))
    .filter((order) => !pair || (order.sellToken === pair.sellToken && order.buyToken === pair.buyToken))
    .filter((order) => kind == null || member(order.kind) === kind)
    .filter((order) => orderClass == null || member(order.class) === orderClass)
    .filter((order) => appCode == null || order.appCode === appCode)
    .filter((order) => createdFrom == null || order.createdAt >= new Date(createdFrom))
    .filter((order) => createdUntil == null || order.createdAt < new Date(createdUntil))
  return pageOf({ ...newestOrders(orders), isPartial: isPartial('orders', owner, params.rows) }, page)
}

export const accountFields: Fields<{ address: string }> = {
  address: ({ address }) => address,
  id: ({ address }) => idOf('Account', address),
  orders: ({ address }, args, params) => filteredOrders({ ...args, owner: address }, params),
  trades: ({ address }, args, { rows }) => {
    const own = newestTrades(rows.trades.filter((trade) => trade.owner === address && isListed(trade, rows)))
    return pageOf({ ...own, isPartial: isPartial('trades', address, rows) }, args)
  },
  notifications: ({ address }, args, { rows }) => pageOf(feedOf(address, rows), args),
  notificationHistory: ({ address }, { filter, ...page }, { rows }) => {
    const { types, orderUid, from, until, unread } = filter ?? {}
    const found = rows.notifications
      .filter(({ account }) => account === address)
      .filter(({ type }) => types == null || types.includes(type.toUpperCase()))
      .filter((row) => orderUid == null || said(row).orderId === orderUid)
      .filter(({ timestamp }) => from == null || timestamp >= new Date(from))
      .filter(({ timestamp }) => until == null || timestamp < new Date(until))
      .filter(({ readAt }) => unread == null || unread === (readAt === null))
    return pageOf(newestNotifications(found), page)
  },
  latestNotifications: ({ address }, { first }, { rows }) =>
    rows.notifications
      .filter(({ account }) => account === address)
      .sort(byKey(({ id }) => [id], -1))
      .slice(0, first ?? 10),
  unreadNotifications: ({ address }, _args, { rows }) =>
    rows.notifications.filter(({ account, readAt }) => account === address && readAt === null).length,
  affiliate: ({ address }, _args, { rows }) =>
    only(rows.affiliates.filter(({ wallet }) => wallet === address)),
  totalSurplus: ({ address }, _args, params) => {
    const own = params.rows.trades.filter(
      ({ owner, chainId }) => owner === address && chainId === params.chainId,
    )
    return String(own.reduce((sum, trade) => sum + surplusOf(trade, params), 0n))
  },
}

function surplusOf(trade: Row<'trades'>, { rows, wrappedNative }: GraphqlParams): bigint {
  const order = rows.orders.find(({ id }) => id === trade.orderId)
  const isOf = (row: { orderId: number; auctionId: number }) =>
    row.orderId === trade.orderId && row.auctionId === trade.auctionId
  if (!order || !rows.executions.some(isOf)) return 0n
  const limits = domainOrder(order)
  const measured = surplusToken(limits)
  const priced = measured === nativeMarker && order.kind === 'sell' ? wrappedNative : measured
  const price = rows.prices.find((each) => each.auctionId === trade.auctionId && each.token === priced)
  const fill = { sell: BigInt(trade.sellAmount) - BigInt(trade.feeAmount), buy: BigInt(trade.buyAmount) }
  return price ? surplusValueDown(tradedSurplusDown(limits, fill), BigInt(price.price)) : 0n
}

export const affiliateFields: Fields<Row<'affiliates'>> = {
  ...columns('wallet', 'code', 'enabled', 'rewardAmount', 'triggerVolume', 'timeCapDays', 'volumeCap'),
  ...columns('revenueSplitAffiliatePct', 'revenueSplitTraderPct', 'revenueSplitDaoPct'),
  id: ({ wallet }) => idOf('Affiliate', wallet),
  createdAt: ({ createdAt }) => time(createdAt),
  traderRewardAmount: (affiliate) => traderRewardAmount(affiliate),
}

export type NotificationRow = Row<'notifications'>

const said = ({ metadata }: NotificationRow) => metadata as unknown as Notification['metadata']

export const notificationFields: Fields<NotificationRow> = {
  ...columns('account', 'message', 'metadata'),
  id: ({ id }) => idOf('Notification', id),
  notificationId: ({ id }) => String(id),
  type: ({ type }) => type.toUpperCase(),
  timestamp: ({ timestamp }) => time(timestamp),
  isReverted: (row) => said(row).reverted ?? false,
  readAt: ({ readAt }) => (readAt === null ? null : time(readAt)),
  orderUid: (row) => said(row).orderId,
  order: (row, _args, { rows }) =>
    only(rows.orders.filter(({ chainId, uid }) => chainId === row.chainId && uid === said(row).orderId)),
  executedAmount: (row) => said(row).executedAmount ?? null,
  txHash: (row) => said(row).txHash ?? null,
  validTo: (row) => said(row).validTo ?? null,
  reason: (row) => said(row).reason ?? null,
  source: (row) => said(row).source?.toUpperCase() ?? null,
  replacedBy: (row, _args, { rows }) =>
    rows.orders.find(({ chainId, uid }) => chainId === row.chainId && uid === said(row).replacedBy) ?? null,
  token: (row) => token(row, said(row).token ?? ''),
  missingBalance: (row) => said(row).missingBalance ?? null,
  missingAllowance: (row) => said(row).missingAllowance ?? null,
  isFilled: (row) => said(row).isFilled ?? null,
  reference: (row) => said(row).reference?.toUpperCase(),
  referenceAmount: (row) => said(row).referenceAmount,
  improvementAmount: (row) => said(row).improvementAmount,
  improvementShare: (row) => said(row).improvementShare,
  target: (row) => said(row).target,
  outcome: (row) => member(said(row).outcome ?? ''),
  failedHooks: (row) => said(row).failedHooks,
  partIndex: (row) => said(row).partIndex ?? null,
  partCount: (row) => said(row).partCount ?? null,
  wasPlaced: (row) => said(row).wasPlaced,
  failedParts: (row) => said(row).failedParts,
  filledParts: (row) => said(row).filledParts,
  executedSellAmount: (row) => said(row).executedSellAmount,
  executedBuyAmount: (row) => said(row).executedBuyAmount,
  removedBlock: (row) => said(row).removedBlock,
  programmaticOrder: () => null,
  quotedAmount: (row) => said(row).quotedAmount ?? null,
  quoteImprovementAmount: (row) => said(row).quoteImprovementAmount ?? null,
  quoteImprovementShare: (row) => said(row).quoteImprovementShare ?? null,
}

const kinds: Record<string, string> = {
  order_filled: 'OrderFilledNotification',
  order_partially_filled: 'OrderPartiallyFilledNotification',
  order_expired: 'OrderExpiredNotification',
  order_cancelled: 'OrderCancelledNotification',
  insufficient_balance: 'InsufficientBalanceNotification',
  price_improvement: 'PriceImprovementNotification',
  post_hook_failed: 'PostHookFailedNotification',
  part_filled: 'PartFilledNotification',
  part_failed: 'PartFailedNotification',
  programmatic_finished: 'ProgrammaticFinishedNotification',
  programmatic_cancelled: 'ProgrammaticCancelledNotification',
}

export const notificationType = ({ type }: NotificationRow) => kinds[type]
