import { formatUnits } from '../domain/amount.ts'
import type { Address } from '../domain/evm/address.ts'
import {
  cancellationText,
  failedHooksText,
  filledPercentDown,
  improvementText,
  type NotificationMetadata,
  type NotificationType,
  orderText,
  type Shortage,
  shortageText,
  type TokenPair,
  tradeText,
} from '../domain/notification/notification.ts'
import { expiredPartText, partText } from '../domain/notification/programmatic.ts'
import {
  type Cancellation,
  cancellationReason,
  type StandingReason,
  standingTexts,
} from '../domain/order/event.ts'
import { accountOf, type Order, type OrderUid, type Trade } from '../domain/order/order.ts'
import { isFulfilled } from '../domain/order/status.ts'
import {
  type Comparison,
  comparisonWithQuote,
  fillOf,
  type ImprovementReference,
  improvementDown,
  improvementReference,
  surplusToken,
} from '../domain/order/surplus.ts'
import { diagnosisTexts } from '../domain/programmatic/diagnosis.ts'
import { dueHooks, type HookResult, hookPhases } from '../domain/settlement/hooks.ts'
import { type DueHookCall, insertHookCalls } from '../storage/chain/hook-calls.ts'
import { findInvalidations, findTradesOf } from '../storage/chain/log-queries.ts'
import type { Tx } from '../storage/database/database.ts'
import { type NewNotification, recordNotifications } from '../storage/notifications.ts'
import { appendEvents } from '../storage/order/events.ts'
import { unverifiedAmong } from '../storage/order/mirror.ts'
import { findOrdersById } from '../storage/order/orders.ts'
import { standingReasonsOf } from '../storage/order/standings.ts'
import { marketComparisons } from './market.ts'
import {
  type PartOf,
  partsOf,
  programmaticMetadata,
  recordProgrammaticEnds,
  shortageMetadata,
} from './programmatic.ts'
import { type RecentTokens, tokensOf } from './token-pairs.ts'

/** A trade of a stored order. */
export interface TradeOfOrder {
  /** The order after the trade. */
  order: Order
  trade: Trade
  /** True if this trade made the order `fulfilled`. */
  fulfils: boolean
  /** Index of the trade among the order's trades in its transaction, from 0. It survives a reorg. */
  ordinal: number
}

/**
 * Applies each order's trades in sequence: exactly the one that completes it fulfils.
 * @param before the orders as they were before these trades; trades of others are left out
 */
export function tradesOfOrders(
  trades: readonly Trade[],
  before: ReadonlyMap<OrderUid, Order>,
): TradeOfOrder[] {
  const orders = new Map(before)
  const counts = new Map<string, number>()
  return trades.flatMap((trade) => {
    const order = orders.get(trade.orderUid)
    if (!order) return []
    const after = {
      ...order,
      executedSellAmount: order.executedSellAmount + trade.sellAmount,
      executedBuyAmount: order.executedBuyAmount + trade.buyAmount,
      executedFeeAmount: order.executedFeeAmount + trade.feeAmount,
    }
    orders.set(trade.orderUid, after)
    const key = `${trade.orderUid}:${trade.txHash}`
    const ordinal = counts.get(key) ?? 0
    counts.set(key, ordinal + 1)
    return [{ order: after, trade, fulfils: isFulfilled(after) && !isFulfilled(order), ordinal }]
  })
}

export interface TradeRules {
  /**
   * The first block whose facts are notified; all by default. Earlier facts were over when their order came.
   */
  notifiedFrom?: number
  /** When a trade counts as a price improvement: parts per million of the signed limit; without it never. */
  leastImprovement?: bigint | undefined
  /** The times of the events of trades; that of the record by default. */
  timeOf?: (trade: Trade) => Date
  /** Tokens of the orders, for messages. */
  recentTokens?: RecentTokens
}

/**
 * Writes the events of trades and notifies their owners, in the transaction that stores these: `order_filled`
 * for the trade that fulfils, or `part_filled` for a part of a programmatic order, else
 * `order_partially_filled`; `price_improvement` for each trade that beats the signed limit by that much; and
 * `programmatic_finished` with the last part. Stores due hooks, whose outcomes are read later.
 */
export async function recordTrades(
  tx: Tx,
  trades: readonly TradeOfOrder[],
  { leastImprovement, notifiedFrom = 0, timeOf = () => at, recentTokens }: TradeRules,
  at: Date,
): Promise<void> {
  const tokens = await tokensOf(
    tx,
    trades.map(({ order }) => order),
    recentTokens,
  )
  const event = { label: 'traded' as const, reason: null }
  await appendEvents(
    tx,
    trades.map(({ order, trade }) => ({
      orderId: order.id,
      ...event,
      blockNumber: trade.blockNumber,
      logIndex: trade.logIndex,
      // The time of a block is in whole seconds: an order may be created later in the same one.
      timestamp: new Date(Math.max(timeOf(trade).getTime(), order.creationDate.getTime())),
    })),
  )
  await insertHookCalls(tx, trades.flatMap(toDueHooks))
  const notified = trades.filter(({ trade }) => trade.blockNumber >= notifiedFrom)
  const part = await partsOf(
    tx,
    notified.map(({ order }) => order),
  )
  const comparisons = await comparisonsOf(tx, notified, leastImprovement)
  await recordNotifications(
    tx,
    notified.flatMap((trade) => {
      const [pair, partOf] = [tokens(trade.order), part(trade.order)]
      const improvement = toImprovement(trade, pair, partOf, comparisons.get(trade), at)
      const fill = { ...toFill(trade, pair, partOf, at), improvedBy: improvement?.cause }
      return [fill, ...(improvement ? [improvement] : [])]
    }),
  )
  const finished = notified.flatMap(({ order, trade, fulfils }) => {
    const { programmatic, isLast } = part(order) ?? {}
    const isEnd = programmatic && isLast && fulfils && !programmatic.isRemoved
    return isEnd ? [{ programmatic, blockNumber: trade.blockNumber }] : []
  })
  await recordProgrammaticEnds(tx, 'finished', finished, at)
}

/** Cause of all orders, or of each. */
type Causes = Cancellation | ReadonlyMap<OrderUid, Cancellation>

function causeOf(causes: Causes, { uid }: Order): Cancellation {
  if ('by' in causes) return causes
  const cause = causes.get(uid)
  if (!cause) throw new TypeError(`order ${uid} is cancelled without a cause`)
  return cause
}

/** Writes the event of orders cancelled through the service or on chain, and notifies their owners. */
export async function recordCancelled(
  tx: Tx,
  orders: readonly Order[],
  causes: Causes,
  at: Date,
  recentTokens?: RecentTokens,
): Promise<void> {
  await appendCancelled(tx, orders, causes, at)
  const tokens = await tokensOf(tx, orders, recentTokens)
  const isNotified = await verifiedOf(tx, orders)
  const part = await partsOf(tx, orders)
  await recordNotifications(
    tx,
    orders.filter(isNotified).map((order) => {
      const cancellation = causeOf(causes, order)
      const metadata = cancellationMetadata(cancellation)
      const message = cancellationText(cancellation.by, order, tokens(order))
      return {
        ...notification(order, part(order), 'order_cancelled', message, metadata, at),
        cause: `cancelled:${order.chainId}:${order.uid}`,
        blockNumber: cancellation.by === 'chain' ? cancellation.blockNumber : null,
      }
    }),
  )
}

/** Writes only the event, for orders that had expired before. */
export async function appendCancelled(
  tx: Tx,
  orders: readonly Order[],
  causes: Causes,
  timestamp: Date,
): Promise<void> {
  await appendEvents(
    tx,
    orders.map((order) => {
      const cancellation = causeOf(causes, order)
      const block = cancellation.by === 'chain' ? { blockNumber: cancellation.blockNumber } : {}
      const event = { label: 'cancelled' as const, reason: cancellationReason(cancellation), timestamp }
      return { orderId: order.id, ...event, ...block }
    }),
  )
}

function cancellationMetadata(cancellation: Cancellation): Partial<NotificationMetadata> {
  const { by: source } = cancellation
  if (source === 'chain') return { source, txHash: cancellation.txHash }
  if (source === 'replacement') return { source, replacedBy: cancellation.uid }
  if (source === 'policy') return { source, ...(cancellation.reason && { reason: cancellation.reason }) }
  return { source }
}

/**
 * Writes the event of orders that have expired, each by the time of block `blockNumber`, and notifies their
 * owners.
 */
export async function recordExpired(
  tx: Tx,
  expired: readonly { order: Order; blockNumber: number }[],
  at: Date,
): Promise<void> {
  const event = { label: 'expired' as const, reason: null, timestamp: at }
  await appendEvents(
    tx,
    expired.map(({ order, blockNumber }) => ({ orderId: order.id, ...event, blockNumber })),
  )
  const orders = expired.map(({ order }) => order)
  const tokens = await tokensOf(tx, orders)
  const isNotified = await verifiedOf(tx, orders)
  const part = await partsOf(tx, orders)
  const reasons = await standingReasonsOf(
    tx,
    orders.filter(part).map(({ id }) => id),
  )
  await recordNotifications(
    tx,
    expired
      .filter(({ order }) => isNotified(order))
      .map(({ order, blockNumber }) => ({
        ...toExpired(order, tokens(order), part(order), reasons.get(order.id), at),
        cause: `expired:${order.chainId}:${order.uid}`,
        blockNumber,
      })),
  )
}

function toExpired(
  order: Order,
  tokens: TokenPair,
  part: PartOf | undefined,
  kept: StandingReason | undefined,
  at: Date,
) {
  const metadata = { validTo: order.effectiveValidTo }
  if (!part) {
    const message = `Order expired: ${orderText(order, tokens)}`
    return notification(order, part, 'order_expired', message, metadata, at)
  }
  const reason = part.programmatic.isRemoved ? diagnosisTexts.removed : kept ? standingTexts[kept] : null
  const message = expiredPartText(part.place, order, tokens, reason)
  const failure = { ...metadata, wasPlaced: true, failedParts: 1, ...(reason && { reason }) }
  return notification(order, part, 'part_failed', message, failure, at)
}

/**
 * Notifies owners that they cannot pay for orders. Each episode is a cause: when a reorg takes back the end
 * of an order, its count begins again, and the owner is not notified again.
 */
export async function recordInsufficientBalance(
  tx: Tx,
  short: readonly { order: Order; shortage: Shortage; episode: number }[],
  at: Date,
): Promise<void> {
  const orders = short.map(({ order }) => order)
  const tokens = await tokensOf(tx, orders)
  const isNotified = await verifiedOf(tx, orders)
  const part = await partsOf(tx, orders)
  await recordNotifications(
    tx,
    short
      .filter(({ order }) => isNotified(order))
      .map(({ order, shortage, episode }) => {
        const message = shortageText(shortage, order, tokens(order))
        const metadata = shortageMetadata(shortage, order)
        return {
          ...notification(order, part(order), 'insufficient_balance', message, metadata, at),
          cause: `short:${order.chainId}:${order.uid}:${episode}`,
          blockNumber: null,
        }
      }),
  )
}

/** Atoms of the token whose amount is not fixed. */
function executedAmount({ order, trade }: TradeOfOrder): string {
  return (order.kind === 'sell' ? trade.buyAmount : trade.sellAmount).toString()
}

function toFill(
  traded: TradeOfOrder,
  tokens: TokenPair,
  part: PartOf | undefined,
  at: Date,
): NewNotification {
  const { order, trade, fulfils } = traded
  const amounts = tradeText(trade, tokens)
  const metadata = { executedAmount: executedAmount(traded), txHash: trade.txHash }
  const message = `${filledText(traded, part)}: ${amounts}`
  const [type, cause]: [NotificationType, string] = fulfils
    ? [part ? 'part_filled' : 'order_filled', `filled:${order.chainId}:${order.uid}`]
    : ['order_partially_filled', tradeCause('partial', traded)]
  const { blockNumber } = trade
  return { ...notification(order, part, type, message, metadata, at), cause, blockNumber }
}

/** Formats what a trade did to its order: "Order partially filled (50 %)". */
function filledText({ order, fulfils }: TradeOfOrder, part: PartOf | undefined): string {
  const which = part ? partText(part.place) : 'Order'
  const filled = fulfils ? 'filled' : `partially filled (${filledPercentDown(order)} %)`
  // The chain decides: its settlement was sent before the cancellation.
  return `${which} ${filled}${order.cancelledAt === null ? '' : ' after it was cancelled'}`
}

/** A trade compared with each price, and the one that is its reference. */
interface Compared {
  reference: ImprovementReference | 'none'
  limit: Comparison
  quote: Comparison | undefined
  market: Comparison | undefined
}

/** Compares the trades that are improvements. Reads prices of the market only for those without another. */
async function comparisonsOf(
  tx: Tx,
  trades: readonly TradeOfOrder[],
  min: bigint | undefined,
): Promise<Map<TradeOfOrder, Compared>> {
  if (min === undefined) return new Map()
  const compared = trades.flatMap((traded) => {
    const fill = fillOf(traded.trade)
    const limit = improvementDown(traded.order, fill, min)
    return limit ? [{ traded, limit, quote: comparisonWithQuote(traded.order, fill) }] : []
  })
  const unpriced = compared.filter(
    ({ traded, limit, quote }) => improvementReference(traded.order, limit, { quote }, min) === 'none',
  )
  const marketOf = await marketComparisons(
    tx,
    unpriced.map(({ traded }) => traded),
  )
  return new Map(
    compared.flatMap(({ traded, limit, quote }) => {
      const market = marketOf(traded)
      const reference = improvementReference(traded.order, limit, { quote, market }, min)
      return reference ? [[traded, { reference, limit, quote, market }] as const] : []
    }),
  )
}

function toImprovement(
  traded: TradeOfOrder,
  tokens: TokenPair,
  part: PartOf | undefined,
  comparisons: Compared | undefined,
  at: Date,
): NewNotification | undefined {
  if (!comparisons) return undefined
  const { order, trade, fulfils } = traded
  const { quote } = comparisons
  const reference = comparisons.reference === 'none' ? 'limit' : comparisons.reference
  const compared = comparisons[reference] ?? comparisons.limit
  const better = improvementText(comparisons.reference, compared, quote, order, trade, tokens)
  const message = `${filledText(traded, part)}, at a ${better}`
  const metadata = {
    executedAmount: executedAmount(traded),
    txHash: trade.txHash,
    isFilled: fulfils,
    token: surplusToken(order),
    reference,
    referenceAmount: compared.referenceAmount.toString(),
    improvementAmount: compared.amount.toString(),
    improvementShare: formatUnits(compared.share, 6),
    ...(quote && {
      quotedAmount: quote.referenceAmount.toString(),
      quoteImprovementAmount: quote.amount.toString(),
      quoteImprovementShare: formatUnits(quote.share, 6),
    }),
  }
  const recorded = notification(order, part, 'price_improvement', message, metadata, at)
  return { ...recorded, cause: tradeCause('improved', traded), blockNumber: trade.blockNumber }
}

/** The hooks that ran with a trade: those due before it. */
function toDueHooks({ order, trade }: TradeOfOrder): DueHookCall[] {
  const before = {
    ...order,
    executedSellAmount: order.executedSellAmount - trade.sellAmount,
    executedBuyAmount: order.executedBuyAmount - trade.buyAmount,
    executedFeeAmount: order.executedFeeAmount - trade.feeAmount,
  }
  const { chainId, blockNumber, logIndex, txHash } = trade
  const due = dueHooks(before)
  return hookPhases.flatMap((phase) =>
    due[phase].map(({ target }, position) => ({
      chainId,
      blockNumber,
      logIndex,
      txHash,
      orderId: order.id,
      phase,
      position,
      target,
    })),
  )
}

/** A failed hook after a trade. */
export interface FailedHook {
  order: Order
  trade: Pick<Trade, 'blockNumber' | 'logIndex' | 'txHash'>
  target: Address
  result: HookResult
}

/**
 * Writes the event of trades with failed post-hooks, and notifies their owners, in the transaction that
 * stores the outcomes: once for each trade, with its first failed hook. All belong to one transaction.
 */
export async function recordFailedHooks(tx: Tx, failed: readonly FailedHook[], at: Date): Promise<void> {
  const byTrade = new Map<number, FailedHook[]>()
  for (const hook of failed) {
    const { logIndex } = hook.trade
    byTrade.set(logIndex, [...(byTrade.get(logIndex) ?? []), hook])
  }
  const orders = failed.map(({ order }) => order)
  const tokens = await tokensOf(tx, orders)
  const part = await partsOf(tx, orders)
  const ordinals = new Map<OrderUid, number>()
  const notifications: NewNotification[] = []
  for (const [, hooks] of [...byTrade].toSorted(([one], [other]) => one - other)) {
    const [first] = hooks
    if (!first) continue
    const { order, trade, target, result } = first
    const { blockNumber, txHash } = trade
    const ordinal = ordinals.get(order.uid) ?? 0
    ordinals.set(order.uid, ordinal + 1)
    await appendEvents(tx, [
      { orderId: order.id, label: 'hook_failed', reason: null, timestamp: at, blockNumber },
    ])
    const { outcome, reason } = result
    const metadata = {
      txHash,
      target,
      outcome,
      failedHooks: hooks.length,
      ...(reason !== null && { reason }),
    }
    const message = failedHooksText(result, hooks.length, order, tokens(order))
    notifications.push({
      ...notification(order, part(order), 'post_hook_failed', message, metadata, at),
      cause: `hooks:${order.chainId}:${order.uid}:${txHash}:${ordinal}`,
      blockNumber,
    })
  }
  await recordNotifications(tx, notifications)
}

function tradeCause(what: string, { order, trade, ordinal }: TradeOfOrder): string {
  return `${what}:${order.chainId}:${order.uid}:${trade.txHash}:${ordinal}`
}

/** @param part the programmatic order of a part: the account behind that order's owner is notified */
function notification(
  order: Order,
  part: PartOf | undefined,
  type: NotificationType,
  message: string,
  metadata: Partial<NotificationMetadata>,
  timestamp: Date,
) {
  return {
    account: part?.programmatic.account ?? accountOf(order),
    type,
    message,
    timestamp,
    metadata: {
      orderId: order.uid,
      chainId: order.chainId,
      ...metadata,
      ...(part && programmaticMetadata(part.programmatic, part.place)),
    },
  }
}

/** An order whose signature nothing confirms notifies nobody: anybody can name its owner. */
async function verifiedOf(tx: Tx, orders: readonly Order[]): Promise<(order: Order) => boolean> {
  const unverified = await unverifiedAmong(
    tx,
    orders.map(({ id }) => id),
  )
  return ({ id }) => !unverified.has(id)
}

/**
 * Notifies owners of trades, or else of the first invalidation, that precede the placement of their orders.
 * In the transaction that stores the orders.
 * @param ids row keys of orders with stored logs
 */
export async function recordLogged(
  tx: Tx,
  ids: readonly bigint[],
  rules: TradeRules,
  at: Date,
): Promise<void> {
  const orders = await findOrdersById(tx, ids)
  const untraded = orders.map((order) => ({
    ...order,
    executedSellAmount: 0n,
    executedBuyAmount: 0n,
    executedFeeAmount: 0n,
  }))
  const trades = tradesOfOrders(
    await findTradesOf(tx, ids),
    new Map(untraded.map((order) => [order.uid, order])),
  )
  await recordTrades(tx, trades, rules, at)
  const fulfilled = new Set(trades.flatMap(({ order, fulfils }) => (fulfils ? [order.uid] : [])))
  for (const { orderUid, ...log } of await findInvalidations(tx, ids)) {
    const order = orders.find(({ uid }) => uid === orderUid)
    if (!order || fulfilled.has(orderUid)) continue
    const record = log.blockNumber >= (rules.notifiedFrom ?? 0) ? recordCancelled : appendCancelled
    await record(tx, [order], { by: 'chain', ...log }, at, rules.recentTokens)
  }
}
