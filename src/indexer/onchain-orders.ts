import type { ProtocolLog } from '../chain/logs/chain-logs.ts'
import type { PlacementLog } from '../chain/logs/eth-flow-logs.ts'
import type { TradeLog } from '../chain/logs/settlement-logs.ts'
import type { DecodedSettlement } from '../chain/settlement/call.ts'
import { toLiquidityOrder } from '../domain/auction/solution.ts'
import type { Address } from '../domain/evm/address.ts'
import type { NewOrder, Order, OrderUid } from '../domain/order/order.ts'
import { insertPlacements } from '../storage/chain/indexed-logs.ts'
import type { Tx } from '../storage/database/database.ts'
import { appendEvents, setPlacedBlocks } from '../storage/order/events.ts'
import { insertOrders } from '../storage/order/insert.ts'
import { findOrderIds, findOrders } from '../storage/order/orders.ts'
import { refreshProgress } from '../storage/order/progress.ts'
import type { BlockRange } from './block-range.ts'
import { attribute, type Competitions, type LoggedSettlement, type MinedSettlement } from './log-rows.ts'

/** A placement with the Unix seconds of its block. */
type TimedPlacement = PlacementLog & { timestamp: number }

/** The orders to store for these logs, in their order. */
export type ReadPlacements = (placements: readonly TimedPlacement[]) => Promise<NewOrder[]>

export interface Placements {
  logs: readonly PlacementLog[]
  orders: readonly NewOrder[]
}

export async function readPlacedOnChain(
  logs: readonly ProtocolLog[],
  { headers }: Pick<BlockRange, 'headers'>,
  { readPlacements }: { readPlacements?: ReadPlacements | undefined },
): Promise<Placements> {
  const placements = logs.filter((log) => log.type === 'placement')
  if (!readPlacements || placements.length === 0) return { logs: [], orders: [] }
  const times = new Map(headers.map(({ number, timestamp }) => [number, timestamp]))
  const timed = placements.map((log) => ({ ...log, timestamp: times.get(log.blockNumber) ?? 0 }))
  return { logs: placements, orders: await readPlacements(timed) }
}

/**
 * Stores orders placed on chain. One that is already stored was undone by a reorg and returns with this
 * placement. The caller holds the orders' locks.
 */
export async function storePlacements(tx: Tx, chainId: number, { logs, orders }: Placements): Promise<void> {
  if (logs.length === 0) return
  await insertPlacements(tx, chainId, logs)
  const ids = await insertOrders(tx, orders)
  const stored = await findOrderIds(tx, chainId, uidsWithout(ids, orders))
  await refreshProgress(tx, [...stored.values()])
  const placed = logs.map(({ blockNumber, orderUid }, index) => ({
    blockNumber,
    orderId: ids[index] ?? stored.get(orderUid) ?? 0n,
    timestamp: orders[index]?.creationDate ?? new Date(0),
  }))
  const event = { label: 'created' as const, reason: null }
  const returned = placed.filter((_, index) => ids[index] === undefined)
  await appendEvents(
    tx,
    returned.map((each) => ({ ...event, ...each })),
  )
  await setPlacedBlocks(tx, placed)
}

function uidsWithout(ids: readonly (bigint | undefined)[], orders: readonly NewOrder[]): OrderUid[] {
  return orders.flatMap(({ uid }, index) => (ids[index] === undefined ? [uid] : []))
}

interface JitContext extends Competitions {
  chainId: number
  /** Contract of the orders. */
  settlement: Address
  orders: ReadonlyMap<OrderUid, Order>
  mined: ReadonlyMap<LoggedSettlement, MinedSettlement>
}

/**
 * Stores JIT orders in settlements of the service's auctions at their first trade. Other services share the
 * contract: orders in their settlements are not stored. The caller holds the orders' locks.
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
