import type { TradeLog } from '../chain/logs/settlement-logs.ts'
import type { DecodedSettlement } from '../chain/settlement/call.ts'
import { toLiquidityOrder } from '../domain/auction/jit.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Order } from '../domain/order/order.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import type { Tx } from '../storage/database/database.ts'
import { insertOrders } from '../storage/order/insert.ts'
import { findOrders } from '../storage/order/orders.ts'
import { attribute, type Competitions, type LoggedSettlement, type MinedSettlement } from './attribution.ts'
import type { BlockRange } from './block-range.ts'

interface JitContext extends Competitions {
  chainId: number
  /** Contract of the orders. */
  settlement: Address
  orders: ReadonlyMap<OrderUid, Order>
  mined: ReadonlyMap<LoggedSettlement, MinedSettlement>
}

/**
 * Stores the orders that solvers brought into settlements of the service's auctions, and that are traded now for the first time. Other
 * services share the contract: orders in their settlements are not stored. The caller holds the orders' locks.
 * @returns the orders of the service, with these
 */
export async function storeJitOrders(
  tx: Tx,
  groups: readonly LoggedSettlement[],
  { headers }: Pick<BlockRange, 'headers'>,
  context: JitContext,
): Promise<ReadonlyMap<OrderUid, Order>> {
  const brought = groups.flatMap((group) => {
    const mined = context.mined.get(group)
    if (!attribute(group, mined, context)) return []
    return group.trades.flatMap((trade, index) => {
      const order = context.orders.has(trade.orderUid)
        ? undefined
        : toOrder(trade, mined?.call, index, context)
      return order ? [order] : []
    })
  })
  if (brought.length === 0) return context.orders
  const times = new Map(headers.map(({ number, timestamp }) => [number, timestamp]))
  const orders = brought.map(({ order, blockNumber }) => ({
    ...order,
    creationDate: new Date((times.get(blockNumber) ?? 0) * 1_000),
  }))
  await insertOrders(tx, orders)
  const stored = await findOrders(
    tx,
    orders.map(({ uid }) => uid),
  )
  return new Map([
    ...context.orders,
    ...stored
      .filter(({ chainId }) => chainId === context.chainId)
      .map((order) => [order.uid, order] as const),
  ])
}

/** The contract logs trades in the order of the calldata. */
function toOrder(
  { orderUid: uid, owner, blockNumber }: TradeLog,
  call: DecodedSettlement | undefined,
  index: number,
  context: JitContext,
): { order: Order; blockNumber: number } | undefined {
  const decoded = call?.trades[index]
  if (!decoded) return undefined
  const { order: data, signingScheme, signature } = decoded
  return { order: toLiquidityOrder({ data, uid, owner, signingScheme, signature }, context), blockNumber }
}
