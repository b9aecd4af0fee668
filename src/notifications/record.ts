import type { NotificationMetadata, NotificationType } from '../domain/notification.ts'
import { filledPercentDown, summarize } from '../domain/notification.ts'
import type { Order } from '../domain/order/order.ts'
import type { Trade } from '../domain/order/trade.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import { formatTokenAmount, type Token } from '../domain/token/token.ts'
import type { Tx } from '../storage/database/database.ts'
import { type NewNotification, recordNotifications } from '../storage/feed.ts'
import { findTokens } from '../storage/token/tokens.ts'

/** A trade of a stored order. */
export interface TradeOfOrder {
  /** The order after the trade. */
  order: Order
  trade: Trade
  /** Whether this trade made the order `fulfilled`. */
  fulfils: boolean
  /** Index of the trade among those of the order in its transaction, from 0. Unlike a log index, it survives a reorg. */
  ordinal: number
}

/** Notifies owners of trades, in the transaction that stores these: `order_filled` for the trade that fulfils, else `order_partially_filled`. */
export async function recordTrades(tx: Tx, trades: readonly TradeOfOrder[], at: Date): Promise<void> {
  const tokens = await tokensOf(
    tx,
    trades.map(({ order }) => order),
  )
  await recordNotifications(
    tx,
    trades.map((trade) => toTradeNotification(trade, tokens, at)),
  )
}

/** What cancelled an order. */
export type CancellationSource =
  | { by: 'api' }
  | { by: 'policy'; reason: string | null }
  | { by: 'replacement'; uid: OrderUid }
  | { by: 'chain'; blockNumber: number; txHash: string }

/** Notifies owners that their orders are cancelled, through the service or on chain. */
export async function recordCancelled(
  tx: Tx,
  orders: readonly Order[],
  source: CancellationSource,
  at: Date,
): Promise<void> {
  const tokens = await tokensOf(tx, orders)
  const metadata = cancellationMetadata(source)
  const blockNumber = source.by === 'chain' ? source.blockNumber : null
  await recordNotifications(
    tx,
    orders.map((order) => ({
      ...notification(order, 'order_cancelled', `Order cancelled: ${summary(order, tokens)}`, metadata, at),
      cause: `cancelled:${order.chainId}:${order.uid}`,
      blockNumber,
    })),
  )
}

function cancellationMetadata(source: CancellationSource): Partial<NotificationMetadata> {
  if (source.by === 'chain') return { source: 'chain', txHash: source.txHash }
  if (source.by === 'replacement') return { source: 'replacement', replacedBy: source.uid }
  if (source.by === 'policy') return { source: 'policy', ...(source.reason && { reason: source.reason }) }
  return { source: 'api' }
}

/** Notifies owners that their orders have expired, by the time of block `blockNumber`. */
export async function recordExpired(
  tx: Tx,
  orders: readonly Order[],
  blockNumber: number,
  at: Date,
): Promise<void> {
  const tokens = await tokensOf(tx, orders)
  await recordNotifications(
    tx,
    orders.map((order) => ({
      ...notification(
        order,
        'order_expired',
        `Order expired: ${summary(order, tokens)}`,
        { validTo: order.effectiveValidTo },
        at,
      ),
      cause: `expired:${order.chainId}:${order.uid}`,
      blockNumber,
    })),
  )
}

function toTradeNotification(
  { order, trade, fulfils, ordinal }: TradeOfOrder,
  tokens: Tokens,
  at: Date,
): NewNotification {
  const amounts = summarize(
    trade,
    tokens(order.chainId, order.sellToken),
    tokens(order.chainId, order.buyToken),
  )
  const executedAmount = (order.kind === 'sell' ? trade.buyAmount : trade.sellAmount).toString()
  const metadata = { executedAmount, txHash: trade.txHash }
  const blockNumber = trade.blockNumber
  if (fulfils) {
    const recorded = notification(order, 'order_filled', `Order filled: ${amounts}`, metadata, at)
    return { ...recorded, cause: `filled:${order.chainId}:${order.uid}`, blockNumber }
  }
  const message = `Order partially filled (${filledPercentDown(order)} %): ${amounts}`
  const recorded = notification(order, 'order_partially_filled', message, metadata, at)
  return {
    ...recorded,
    cause: `partial:${order.chainId}:${order.uid}:${trade.txHash}:${ordinal}`,
    blockNumber,
  }
}

function notification(
  order: Order,
  type: NotificationType,
  message: string,
  more: Partial<NotificationMetadata>,
  timestamp: Date,
) {
  const metadata: NotificationMetadata = { orderId: order.uid, chainId: order.chainId, ...more }
  return { account: order.owner, type, message, timestamp, metadata }
}

type Tokens = (chainId: number, address: Order['sellToken']) => Token

/** Stored symbols and decimals: a notification never waits for a node. */
async function tokensOf(tx: Tx, orders: readonly Order[]): Promise<Tokens> {
  const chainIds = [...new Set(orders.map(({ chainId }) => chainId))]
  const addresses = [...new Set(orders.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken]))]
  const stored = new Map<number, Awaited<ReturnType<typeof findTokens>>>()
  for (const chainId of chainIds) stored.set(chainId, await findTokens(tx, chainId, addresses))
  return (chainId, address) =>
    stored.get(chainId)?.get(address) ?? { chainId, address, symbol: null, name: null, decimals: null }
}

function summary(order: Order, tokens: Tokens): string {
  const [sell, buy] = [tokens(order.chainId, order.sellToken), tokens(order.chainId, order.buyToken)]
  return `${order.kind} ${formatTokenAmount(order.sellAmount, sell)} for ${formatTokenAmount(order.buyAmount, buy)}`
}
