import type { Order } from '../../../../src/domain/order/order.ts'
import { orderStage } from '../../../../src/domain/order/stage.ts'
import { hasEnded, orderStatus } from '../../../../src/domain/order/status.ts'
import * as value from '../../../../src/domain/order/value.ts'
import { byKey, columns, type Fields, type GraphqlParams, idOf, member, only, time } from './fields.ts'
import { auctionsOfOrder, eventsOfOrder, reportsOfOrder, tradesOfOrder } from './lists.ts'
import { pageOf } from './page.ts'
import type { Row } from './rows.ts'

type OrderRow = Row<'orders'>

/** The parts of an order that the domain's arithmetic needs. */
export function domainOrder(row: OrderRow): Order {
  return {
    ...row,
    kind: row.kind,
    sellAmount: BigInt(row.sellAmount),
    buyAmount: BigInt(row.buyAmount),
    executedSellAmount: BigInt(row.executedSell),
    executedBuyAmount: BigInt(row.executedBuy),
    executedFeeAmount: BigInt(row.executedSignedFee),
    invalidatedOnChain: row.invalidated,
  } as unknown as Order
}

export const statusOf = (row: OrderRow, { now }: GraphqlParams) => orderStatus(domainOrder(row), now)

const token = ({ chainId }: { chainId: number }, address: string) => ({ chainId, address })

function toPrice(price: value.Price | null) {
  return (
    price && {
      decimal: value.formatPriceDown(price),
      numerator: String(price.numerator),
      denominator: String(price.denominator),
    }
  )
}

interface Call {
  target: string
  value: string
  callData: string
}

export const orderFields: Fields<OrderRow> = {
  ...columns('uid', 'owner', 'receiver', 'sellAmount', 'buyAmount', 'validTo', 'appData', 'feeAmount'),
  ...columns('partiallyFillable', 'quoteId', 'fullBalanceCheck', 'validFrom', 'signature', 'executedFee'),
  id: ({ uid }) => idOf('Order', uid),
  from: ({ owner }) => owner,
  settlementContract: ({ settlement }) => settlement,
  appDataHash: ({ appData }) => appData,
  class: (order) => member(order.class),
  kind: ({ kind }) => member(kind),
  signingScheme: ({ signingScheme }) => signingScheme.toUpperCase(),
  sellTokenBalance: ({ sellTokenBalance }) => member(sellTokenBalance),
  buyTokenBalance: ({ buyTokenBalance }) => member(buyTokenBalance),
  isLiquidityOrder: (order) => order.class === 'liquidity',
  creationDate: ({ createdAt }) => time(createdAt),
  fullAppData: ({ appData }, _args, { rows }) =>
    rows.appData.find(({ hash }) => hash === appData)?.document ?? null,
  executedSellAmount: ({ executedSell }) => executedSell,
  executedBuyAmount: ({ executedBuy }) => executedBuy,
  executedFeeAmount: ({ executedSignedFee }) => executedSignedFee,
  executedFeeToken: (order) => token(order, order.executedFeeToken ?? order.sellToken),
  executedSellAmountBeforeFees: (order) =>
    String(BigInt(order.executedSell) - BigInt(order.executedSignedFee)),
  executedFraction: (order) => value.executedFractionDown(domainOrder(order)),
  effectiveReceiver: (order) => value.effectiveReceiver(domainOrder(order)),
  limitPrice: (order) => toPrice(value.limitPrice(domainOrder(order))),
  executedPrice: (order) => toPrice(value.executedPrice(domainOrder(order))),
  surplus: (order) => {
    const { amount, token: address } = value.orderSurplusDown(domainOrder(order))
    return { amount: String(amount), token: token(order, address) }
  },
  status: (order, _args, params) => member(statusOf(order, params)),
  invalidated: ({ cancelledAt, invalidated }) => cancelledAt !== null || invalidated,
  availableBalance: () => null,
  onchainUser: () => null,
  onchainOrderData: () => null,
  ethflowData: () => null,
  sellToken: (order) => token(order, order.sellToken),
  buyToken: (order) => token(order, order.buyToken),
  tokens: (order) => [token(order, order.sellToken), token(order, order.buyToken)],
  network: () => ({ name: 'sepolia' }),
  interactions: ({ interactions }) => {
    const { pre, post } = (interactions ?? { pre: [], post: [] }) as unknown as { pre: Call[]; post: Call[] }
    return { pre, post }
  },
  quote: (order, _args, { rows }) => {
    const quote = rows.quotes.find(({ orderId }) => orderId === order.id)
    return quote ? { ...quote, order } : null
  },
  events: (order, args, { rows }) => pageOf(eventsOfOrder(order, rows), args),
  trades: (order, args, { rows }) => pageOf(tradesOfOrder(order, rows), args),
  auctions: (order, args, { rows }) => pageOf(auctionsOfOrder(order, rows), args),
  debugReport: (order) => order,
  progress: (order, _args, { rows }) => {
    const event = eventsOfOrder(order, rows).items.at(-1)
    const trade = tradesOfOrder(order, rows).items[0]
    const stage = orderStage(trade !== undefined, (event?.label as never) ?? null)
    if (stage === undefined) return null
    const auctionId = trade ? trade.auctionId : (auctionsOfOrder(order, rows).items.at(-1)?.id ?? null)
    return { order, stage, auctionId }
  },
}

interface Progress {
  order: OrderRow
  stage: string
  auctionId: number | null
}

export const progressFields: Fields<Progress> = {
  stage: ({ stage }) => member(stage),
  solutions: ({ order, stage, auctionId }, _args, { rows }) => {
    if (auctionId === null || !['solved', 'executing', 'traded'].includes(stage)) return null
    const solutions = rows.solutions.filter((solution) => solution.auctionId === auctionId)
    return solutions.sort(byKey(({ uid }) => [uid], -1)).map(({ solver, uid }) => {
      const part = rows.parts.find(
        (each) => each.orderId === order.id && each.auctionId === auctionId && each.solutionUid === uid,
      )
      return { solver, executedAmounts: part ? { sell: part.executedSell, buy: part.executedBuy } : null }
    })
  },
}

export const orderQuoteFields: Fields<Row<'quotes'> & { order: OrderRow }> = {
  ...columns('gasAmount', 'gasPrice', 'sellTokenPrice', 'sellAmount', 'buyAmount', 'feeAmount', 'solver'),
  ...columns('verified'),
  metadata: ({ metadata, order }, _args, params) => (hasEnded(statusOf(order, params)) ? metadata : null),
}

const exclusions = [
  'in_flight',
  'banned_user',
  'invalid_signature',
  'unsupported_token',
  'insufficient_balance',
  'dust_order',
  'missing_native_price',
]

export const orderEventFields: Fields<Row<'events'>> = {
  label: ({ label }) => member(label),
  timestamp: ({ timestamp }) => time(timestamp),
  reason: ({ reason }) => reason && (exclusions.includes(reason) ? reason.toUpperCase() : 'POLICY'),
  detail: ({ reason }) => (reason === null || exclusions.includes(reason) ? null : reason),
}

export const debugReportFields: Fields<OrderRow> = {
  orderUid: ({ uid }) => uid,
  order: (order) => order,
  events: (order, args, { rows }) => pageOf(eventsOfOrder(order, rows), args),
  trades: (order, args, { rows }) => pageOf(tradesOfOrder(order, rows), args),
  auctions: (order, args, { rows }) => pageOf(reportsOfOrder(order, rows), args),
}

export const orderOf = (rows: readonly OrderRow[], id: number | null) =>
  only(rows.filter((order) => order.id === id))
