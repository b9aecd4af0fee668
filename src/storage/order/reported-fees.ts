import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { FeePolicy } from '../../domain/fee/policy.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { bytea, hexOf, raw } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import { afterTrade, isBehind } from './mirror.ts'

/** The fee of one policy, as an order book reports it. */
export interface ReportedFee {
  kind: FeePolicy['kind']
  /** Shares. */
  factor: number
  maxVolumeFactor?: number
  /** The quote that the policy compares with; amounts are text. */
  quote?: { sellAmount: string; buyAmount: string; fee: string }
  amount: string
  token: Address
}

export interface ReportedTrade {
  blockNumber: number
  logIndex: number
  orderUid: OrderUid
  txHash: Bytes32
  fees: readonly ReportedFee[]
}

/** Stores the fees of trades that are stored. In SQL: a list. */
export async function storeReportedFees(
  db: Db,
  chainId: number,
  trades: readonly ReportedTrade[],
): Promise<void> {
  if (trades.length === 0) return
  await sql(db).$executeRaw`UPDATE trades t SET reported_fees = r.fees::jsonb
    FROM unnest(${trades.map(({ blockNumber }) => blockNumber)}::bigint[], ${trades.map(({ logIndex }) => logIndex)}::int[],
      ${trades.map(({ orderUid }) => bytea(orderUid))}::bytea[], ${trades.map(({ txHash }) => bytea(txHash))}::bytea[],
      ${trades.map(({ fees }) => JSON.stringify(fees))}::text[]) AS r(block, log_index, uid, tx_hash, fees)
    WHERE t.chain_id = ${chainId} AND t.block_number = r.block AND t.log_index = r.log_index
      AND t.order_uid = r.uid AND t.tx_hash = r.tx_hash AND t.reported_fees IS DISTINCT FROM r.fees::jsonb`
}

/** SQL condition: a trade of order `o` lacks what the order book reports of its fees. */
const lacksFees = 'EXISTS (SELECT FROM trades lf WHERE lf.order_id = o.id AND lf.reported_fees IS NULL)'

/**
 * Orders among these with a trade that is missing, or without what the order book reports of its fees; those
 * with a missing trade first. In SQL: compares columns.
 */
export async function untoldAmong(
  db: Db,
  chainId: number,
  uids: readonly OrderUid[],
  limit: number,
): Promise<OrderUid[]> {
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT o.uid FROM orders o JOIN mirrored_orders m ON m.order_id = o.id
    WHERE o.uid = ANY(${uids.map(bytea)}::bytea[]) AND o.chain_id = ${chainId} AND (${raw(isBehind)} OR ${raw(lacksFees)})
    ORDER BY ${raw(isBehind)} DESC LIMIT ${limit}`
  return rows.map(({ uid }) => hexOf(uid))
}

/** Reports whether trades of an account's orders lack their fees. In SQL: looks for one. */
export async function lackFees(db: Db, chainId: number, owner: Address): Promise<boolean> {
  const rows = await sql(db).$queryRaw<unknown[]>`
    SELECT 1 FROM trades t JOIN mirrored_orders m ON m.order_id = t.order_id
    WHERE t.chain_id = ${chainId} AND t.owner = ${bytea(owner)} AND t.reported_fees IS NULL LIMIT 1`
  return rows.length > 0
}

/**
 * Finds orders whose new trades lack fees and are known to the order book, newest first. It has the fees
 * of a trade with the fee of a whole order, or else after a while. In SQL: compares columns.
 */
export async function feesDue(db: Db, chainId: number, limit: number): Promise<OrderUid[]> {
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT o.uid FROM mirrored_orders m JOIN orders o ON o.id = m.order_id
    WHERE m.chain_id = ${chainId} AND m.are_fees_due AND m.reported_sell >= o.executed_sell
      AND (m.executed_fee > 0 AND NOT o.partially_fillable
        OR coalesce(m.traded_at, m.compared_at) < now() - ${afterTrade.always}::interval)
    ORDER BY m.traded_at DESC LIMIT ${limit}`
  return rows.map(({ uid }) => hexOf(uid))
}

/** Notes that the fees of an order's trades were read, though the order book may report none. */
export async function noteFeesRead(db: Db, chainId: number, uid: OrderUid): Promise<void> {
  await sql(db).$executeRaw`UPDATE mirrored_orders m SET are_fees_due = false FROM orders o
    WHERE o.uid = ${bytea(uid)} AND o.chain_id = ${chainId} AND m.order_id = o.id AND m.reported_sell >= o.executed_sell`
}
