import { limitGap } from '../../../../src/domain/auction/admission.ts'
import type { CancellationSource, OrderEventLabel } from '../../../../src/domain/order/event.ts'
import type { Order } from '../../../../src/domain/order/order.ts'
import { hasEnded, orderStage, orderStatus } from '../../../../src/domain/order/status.ts'
import { formatPriceDown } from '../../../../src/domain/order/surplus.ts'
import * as value from '../../../fakes/order-value.ts'
import { byKey, columns, type Fields, type GraphqlParams, idOf, member, only, time } from './fields.ts'
import {
  auctionsOfOrder,
  eventsOfOrder,
  type MarketPrice,
  marketPricesOfOrder,
  reportsOfOrder,
  tradesOfOrder,
} from './lists.ts'
import { pageOf } from './page.ts'
import type { Row, Rows } from './rows.ts'

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

export const token = ({ chainId }: { chainId: number }, address: string) => ({ chainId, address })

function toPrice(price: ReturnType<typeof value.limitPrice>) {
  return (
    price && {
      decimal: formatPriceDown(price),
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
  ...columns('appCode'),
  referrer: ({ referrerCode }) => referrerCode,
  class: (order) => member(order.class),
  kind: ({ kind }) => member(kind),
  signingScheme: ({ signingScheme }) => signingScheme.toUpperCase(),
  sellTokenBalance: ({ sellTokenBalance }) => member(sellTokenBalance),
  buyTokenBalance: ({ buyTokenBalance }) => member(buyTokenBalance),
  isLiquidityOrder: (order) => order.class === 'liquidity',
  creationDate: ({ createdAt }) => time(createdAt),
  fullAppData: ({ id, appData }, _args, { rows }) =>
    rows.appData.find(({ hash }) => hash === appData)?.document ??
    rows.mirroredOrders.find(({ orderId }) => orderId === id)?.unverifiedDocument ??
    null,
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
  cancelledBy: (order, _args, { rows }) =>
    order.cancelledAt !== null || order.invalidated ? member(cancelledByOf(order, rows)) : null,
  // Its world follows the holders of no token.
  availableBalance: (order, _args, { rows }) =>
    rows.standings.find(({ orderId }) => orderId === order.id)?.balance ?? null,
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
  hooks: (order, _args, { rows }) => hooksOf(order, rows),
  pendingSettlements: (order, _args, { rows }) =>
    rows.attempts
      .filter(
        ({ chainId, outcome, txHash, driverSolution }) =>
          chainId === order.chainId && outcome === null && (txHash !== null || driverSolution !== null),
      )
      .filter(({ auctionId, solutionUid }) =>
        rows.parts.some(
          (part) =>
            part.orderId === order.id && part.auctionId === auctionId && part.solutionUid === solutionUid,
        ),
      )
      .sort(byKey(({ auctionId, solutionUid }) => [auctionId, solutionUid])),
  marketPrices: (order, args, { rows }) => pageOf(marketPricesOfOrder(order, rows), args),
  standing: (order, _args, params) => {
    const standing = params.rows.standings.find(({ orderId }) => orderId === order.id)
    return standing && !hasEnded(statusOf(order, params)) ? standing : null
  },
  mirror: (order, _args, { rows }) => {
    const mirrored = rows.mirroredOrders.find(({ orderId }) => orderId === order.id)
    return mirrored ? { order, ...mirrored } : null
  },
  progress: (order, _args, params) => {
    const { rows } = params
    const events = eventsOfOrder(order, rows).items
    const event = events.at(-1)
    const trade = tradesOfOrder(order, rows).items[0]
    const auctionId = trade ? trade.auctionId : (auctionsOfOrder(order, rows).items.at(-1)?.id ?? null)
    const uids = rows.parts.filter((one) => one.orderId === order.id && one.auctionId === auctionId)
    const isWinner = ({ solutionUid }: (typeof uids)[number]) =>
      rows.solutions.some((one) => one.auctionId === auctionId && one.uid === solutionUid && one.isWinner)
    const isSolved = uids.length > 0 && !uids.some(isWinner)
    const stage = orderStage({
      status: statusOf(order, params),
      hasTraded: trade !== undefined,
      newestEvent: (event?.label ?? null) as OrderEventLabel | null,
      cancelledBy: cancelledByOf(order, rows),
      isSolved,
    })
    if (stage === undefined) return null
    return { order, stage, auctionId }
  },
}

export const marketPriceFields: Fields<MarketPrice> = {
  at: ({ at }) => time(at),
  price: ({ price }) => toPrice(price),
}

interface FoundPrice {
  solver: string | null
  auctionId: number | null
  block: number
  uid: number
  sell: string
  buy: string
}

/** Best first; the fakes have fewer than are looked at. */
function foundPrices(order: OrderRow, { routedSell, routedBuy, routedBlock }: Row<'standings'>, rows: Rows) {
  const proposed: FoundPrice[] = rows.parts
    .filter(({ orderId }) => orderId === order.id)
    .map(({ auctionId, solutionUid, executedSell, executedBuy }) => ({
      auctionId,
      solver:
        rows.solutions.find((one) => one.auctionId === auctionId && one.uid === solutionUid)?.solver ?? null,
      block: rows.auctions.find(({ id }) => id === auctionId)?.block ?? 0,
      uid: solutionUid,
      sell: executedSell,
      buy: executedBuy,
    }))
  const routed: FoundPrice[] =
    routedBlock === null
      ? []
      : [
          {
            solver: null,
            auctionId: null,
            block: routedBlock,
            uid: 0,
            sell: routedSell ?? '',
            buy: routedBuy ?? '',
          },
        ]
  return [...proposed, ...routed]
    .sort((a, b) => {
      const [left, right] = [BigInt(a.buy) * BigInt(b.sell), BigInt(b.buy) * BigInt(a.sell)]
      if (left !== right) return left > right ? -1 : 1
      return b.block - a.block || (b.auctionId ?? 0) - (a.auctionId ?? 0) || a.uid - b.uid
    })
    .map((found) => ({ found, order }))
}

export const foundPriceFields: Fields<{ found: FoundPrice; order: OrderRow }> = {
  solver: ({ found }) => found.solver,
  auctionId: ({ found }) => found.auctionId,
  block: ({ found }) => found.block,
  gap: ({ found: { sell, buy }, order }) =>
    share(Number(limitGap(domainOrder(order), { sell: BigInt(sell), buy: BigInt(buy) }))),
  price: ({ found: { sell, buy } }) => toPrice({ numerator: BigInt(buy), denominator: BigInt(sell) }),
}

const share = (parts: number | null) => (parts === null ? null : String(parts / 1_000_000))

export const standingFields: Fields<Row<'standings'>> = {
  ...columns('missing', 'failingToken', 'failingPool'),
  failure: ({ failingToken, failingPool, revert }) => (failingToken || failingPool ? revert : null),
  isInAuctions: ({ reason }) => reason === null,
  reason: ({ reason }) => reason && member(reason),
  since: ({ since }) => time(since),
  updatedAt: ({ updatedAt }) => time(updatedAt),
  marketGap: ({ marketGap }) => share(marketGap),
  feeShare: ({ feeShare }) => share(feeShare),
  bestPrice: (standing, _args, { rows }) => {
    const order = only(rows.orders.filter(({ id }) => id === standing.orderId))
    return order && foundPrices(order, standing, rows)[0]
  },
  lastFailedAttempt: ({ orderId }, _args, { rows }) => {
    const parts = rows.parts.filter((part) => part.orderId === orderId)
    const failed = rows.attempts
      .filter(({ outcome }) => outcome !== null && outcome !== 'success')
      .filter(({ auctionId, solutionUid }) =>
        parts.some((part) => part.auctionId === auctionId && part.solutionUid === solutionUid),
      )
    return failed.sort(byKey(({ auctionId, solutionUid }) => [auctionId, solutionUid], -1))[0] ?? null
  },
  fundsTakenBy: ({ fundsTakenBy }, _args, { rows }) =>
    rows.orders.find(({ id }) => id === fundsTakenBy) ?? null,
}

interface Progress {
  order: OrderRow
  stage: string
  auctionId: number | null
}

export const progressFields: Fields<Progress> = {
  stage: ({ stage }) => member(stage),
  solutions: ({ order, stage, auctionId }, _args, { rows }) => {
    const hasTraded = tradesOfOrder(order, rows).items.length > 0
    if (auctionId === null || !(hasTraded || ['solved', 'executing'].includes(stage))) return null
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
  ...columns('times'),
  label: ({ label }) => member(label),
  timestamp: ({ timestamp }) => time(timestamp),
  reason: ({ label, reason }) => {
    if (reason !== null && exclusions.includes(reason)) return reason.toUpperCase()
    return isCancelled(label) && sourceOf(reason) === 'policy' ? 'POLICY' : null
  },
  detail: ({ label, reason }) => (isCancelled(label) && sourceOf(reason) === 'policy' ? reason : null),
  source: ({ label, reason }) => (isCancelled(label) ? sourceOf(reason).toUpperCase() : null),
  txHash: ({ label, reason }) =>
    isCancelled(label) && sourceOf(reason) === 'chain' ? detailOf(reason) : null,
  replacedBy: ({ label, reason }, _args, { rows }) =>
    isCancelled(label) && sourceOf(reason) === 'replacement'
      ? (rows.orders.find(({ uid }) => uid === detailOf(reason)) ?? null)
      : null,
}

const isCancelled = (label: string) => label === 'cancelled'
const detailOf = (reason: string | null) => reason?.split(': ')[1]

function cancelledByOf(order: OrderRow, rows: Rows): CancellationSource {
  if (order.cancelledAt === null) return 'chain'
  return sourceOf(
    eventsOfOrder(order, rows).items.findLast(({ label }) => isCancelled(label))?.reason ?? null,
  )
}

function sourceOf(reason: string | null): CancellationSource {
  if (reason === null) return 'api'
  const [source] = reason.split(': ')
  return source === 'replacement' || source === 'chain' ? source : 'policy'
}

interface WrittenHook {
  target: string
  callData: string
  gasLimit: string
}

/** The hooks in the order's document, with their calls in settlements, newest first. */
function hooksOf({ id, appData, interactions }: OrderRow, { appData: documents, hookCalls }: Rows) {
  const document = documents.find(({ hash }) => hash === appData)?.document
  if (interactions === null || document === undefined) return []
  const { metadata, backend } = JSON.parse(document)
  const written = (metadata ?? backend)?.hooks ?? {}
  return (['pre', 'post'] as const).flatMap((phase) =>
    ((written[phase] ?? []) as WrittenHook[]).map(({ target, callData, gasLimit }, position) => ({
      phase: phase.toUpperCase(),
      target: target.toLowerCase(),
      callData: callData.toLowerCase(),
      gasLimit,
      calls: hookCalls
        .filter((call) => call.orderId === id && call.phase === phase && call.position === position)
        .sort(byKey(({ blockNumber, logIndex }) => [blockNumber, logIndex], -1)),
    })),
  )
}

export const hookFields: Fields<ReturnType<typeof hooksOf>[number]> = columns(
  ...(['phase', 'target', 'callData', 'gasLimit', 'calls'] as const),
)

export const hookCallFields: Fields<Row<'hookCalls'>> = {
  ...columns('txHash', 'blockNumber', 'reason'),
  outcome: ({ outcome }) => outcome && member(outcome),
  unknownReason: ({ unknown }) => unknown && member(unknown),
  gasUsed: ({ gasUsed }) => (gasUsed === null ? null : String(gasUsed)),
}

export const debugReportFields: Fields<OrderRow> = {
  hooks: (order, _args, { rows }) => hooksOf(order, rows),
  orderUid: ({ uid }) => uid,
  order: (order) => order,
  events: (order, args, { rows }) => pageOf(eventsOfOrder(order, rows), args),
  trades: (order, args, { rows }) => pageOf(tradesOfOrder(order, rows), args),
  auctions: (order, args, { rows }) => pageOf(reportsOfOrder(order, rows), args),
}

export const orderOf = (rows: readonly OrderRow[], id: number | null) =>
  only(rows.filter((order) => order.id === id))

export const orderMirrorFields: Fields<Row<'mirroredOrders'> & { order: OrderRow }> = {
  source: ({ chainId }, _args, { rows }) => rows.orderBooks.find((book) => book.chainId === chainId)?.url,
  comparedAt: ({ comparedAt }) => time(comparedAt),
  isVerified: ({ isSigned, order: { signingScheme, executedSell } }) =>
    signingScheme !== 'eip1271' || isSigned === true || executedSell !== '0',
  isDocumentVerified: ({ unverifiedDocument, order: { appData } }, _args, { rows }) =>
    unverifiedDocument === null || rows.appData.some(({ hash }) => hash === appData),
  isComplete: ({ reportedSell, order: { executedSell } }) =>
    reportedSell === null || BigInt(reportedSell) <= BigInt(executedSell),
  isFeeReported: ({ executedFee, reportedSell, order: { executedSell } }) =>
    executedFee !== null && (reportedSell === null || BigInt(reportedSell) >= BigInt(executedSell)),
  isQuoteReported: ({ isQuoteRead, orderId }, _args, { rows }) =>
    isQuoteRead === true || rows.quotes.some((quote) => quote.orderId === orderId),
}
