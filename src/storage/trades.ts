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
  return rows.map(({ json, fees }) => ({ ...toTrade(json), protocolFees: toFees(fees) }))
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

function toFees({ execution, policies }: FeesJson): TradeWithFees['protocolFees'] {
  const fees = execution ? toExecution(execution).protocolFees : []
  return policies.flatMap((policy, index) => {
    const fee = fees[index]
    return fee ? [{ ...fee, policy: toPolicy(policy) }] : []
  })
}
