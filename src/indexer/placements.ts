import type { ProtocolLog } from '../chain/logs/chain-logs.ts'
import type { PlacementLog } from '../chain/logs/eth-flow-logs.ts'
import type { NewOrder } from '../domain/order/order.ts'
import type { OrderUid } from '../domain/order/uid.ts'
import { insertPlacements } from '../storage/chain/log.ts'
import type { Tx } from '../storage/database/database.ts'
import { appendEvents, setPlacedBlocks } from '../storage/order/events.ts'
import { insertOrders } from '../storage/order/insert.ts'
import { findOrderIds } from '../storage/order/orders.ts'
import { refreshProgress } from '../storage/order/progress.ts'
import type { BlockRange } from './block-range.ts'

/** With the Unix seconds of the log's block. */
export type TimedPlacement = PlacementLog & { timestamp: number }

/** The orders to store for these logs, in their order. */
export type ReadPlacements = (placements: readonly TimedPlacement[]) => Promise<NewOrder[]>

export interface Placements {
  logs: readonly PlacementLog[]
  orders: readonly NewOrder[]
}

export async function readPlaced(
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
 * Stores orders placed on chain. One that is stored already was undone by a reorg, and is back with this placement. The caller holds the
 * orders' locks.
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
