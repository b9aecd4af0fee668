import type { Address } from '../domain/address.ts'
import type { TradeWithFees } from '../domain/competition.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import type { Trade } from '../domain/trade.ts'
import { bytea, raw } from './columns.ts'
import { type Db, sql } from './database.ts'
import { Prisma } from './generated/client.ts'
import {
  type ExecutionJson,
  executionJson,
  listOf,
  type PolicyJson,
  policyJson,
  type TradeJson,
  toExecution,
  toPolicy,
  toTrade,
  tradeJson,
} from './story-rows.ts'

export type TradeFilter = { owner: Address } | { orderUid: OrderUid }

const feesJson = `json_build_object(
  'execution', (SELECT ${executionJson} FROM executions x WHERE x.order_id = tr.order_id AND x.auction_id = tr.auction_id),
  'policies', ${listOf(`SELECT ${policyJson} AS json FROM fee_policies p
    WHERE p.order_id = tr.order_id AND p.auction_id = tr.auction_id ORDER BY p.position`)})`

interface FeesJson {
  execution: ExecutionJson | null
  policies: PolicyJson[]
}

/** Trades of orders that the service knows, newest first. The page by offset is the REST contract's. */
export async function listTrades(
  db: Db,
  chainId: number | undefined,
  filter: TradeFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<TradeWithFees[]> {
  const subject =
    'owner' in filter
      ? Prisma.sql`tr.owner = ${bytea(filter.owner)}`
      : Prisma.sql`tr.order_uid = ${bytea(filter.orderUid)}`
  const network = chainId === undefined ? Prisma.empty : Prisma.sql`AND tr.chain_id = ${chainId}`
  const rows = await sql(db).$queryRaw<{ json: TradeJson; fees: FeesJson }[]>`
    SELECT ${raw(tradeJson)} AS json, ${raw(feesJson)} AS fees FROM trades tr
    WHERE ${subject} ${network} AND tr.order_id IS NOT NULL
    ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT ${limit} OFFSET ${offset}`
  return rows.map(toTradeWithFees)
}

/** Where a trade stands in its network. */
export interface TradePosition {
  blockNumber: number
  logIndex: number | bigint
}

/** Trades of an owner's orders, newest first, by keyset. */
export async function pageTrades(
  db: Db,
  { chainId, owner }: { chainId: number; owner: Address },
  { first, after }: { first: number; after: TradePosition | null },
): Promise<TradeWithFees[]> {
  const behind = after
    ? Prisma.sql`AND (tr.block_number, tr.log_index) < (${after.blockNumber}, ${after.logIndex})`
    : Prisma.empty
  const rows = await sql(db).$queryRaw<{ json: TradeJson; fees: FeesJson }[]>`
    SELECT ${raw(tradeJson)} AS json, ${raw(feesJson)} AS fees FROM trades tr
    WHERE tr.owner = ${bytea(owner)} AND tr.chain_id = ${chainId} AND tr.order_id IS NOT NULL ${behind}
    ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT ${first}`
  return rows.map(toTradeWithFees)
}

export interface TradeKey {
  chainId: number
  blockNumber: number
  logIndex: number
}

/** Trades of orders that the service knows, by their places. */
export async function findTrades(db: Db, keys: readonly TradeKey[]): Promise<TradeWithFees[]> {
  const places = ['chainId', 'blockNumber', 'logIndex'] as const
  const [chains, blocks, logs] = places.map((place) => keys.map((key) => key[place]))
  const rows = await sql(db).$queryRaw<{ json: TradeJson; fees: FeesJson }[]>`
    SELECT ${raw(tradeJson)} AS json, ${raw(feesJson)} AS fees
    FROM unnest(${chains}::int[], ${blocks}::bigint[], ${logs}::int[]) AS k(chain_id, block_number, log_index)
    JOIN trades tr USING (chain_id, block_number, log_index) WHERE tr.order_id IS NOT NULL`
  return rows.map(toTradeWithFees)
}

/** Newest first, by order. */
export async function tradesOfOrders(
  db: Db,
  orderIds: readonly bigint[],
): Promise<(Trade & { orderId: bigint })[]> {
  const rows = await sql(db).$queryRaw<{ order_id: bigint; json: TradeJson }[]>`
    SELECT tr.order_id, ${raw(tradeJson)} AS json FROM trades tr WHERE tr.order_id = ANY(${[...orderIds]}::bigint[])
    ORDER BY tr.block_number DESC, tr.log_index DESC`
  return rows.map(({ order_id, json }) => ({ ...toTrade(json), orderId: order_id }))
}

function toTradeWithFees({ json, fees }: { json: TradeJson; fees: FeesJson }): TradeWithFees {
  return { ...toTrade(json), protocolFees: toFees(fees) }
}

function toFees({ execution, policies }: FeesJson): TradeWithFees['protocolFees'] {
  const fees = execution ? toExecution(execution).protocolFees : []
  return policies.flatMap((policy, index) => {
    const fee = fees[index]
    return fee ? [{ ...fee, policy: toPolicy(policy) }] : []
  })
}
