import type { Address } from '../domain/address.ts'
import type {
  NativePrice,
  ProposedExecution,
  SettlementAttempt,
  StoredAuction,
  StoredSolution,
} from '../domain/competition.ts'
import type { FeePolicy } from '../domain/fee-policy.ts'
import type { Bytes32 } from '../domain/hex.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import { amountOf, bytea, hexOf, raw } from './columns.ts'
import { type Db, sql } from './database.ts'
import { Prisma } from './generated/client.ts'
import {
  type AttemptJson,
  attemptJson,
  type SolutionJson,
  solutionJson,
  toAttempt,
  toPolicy,
  toSolution,
} from './story-rows.ts'

const auctionColumns = Prisma.raw('a.id, a.chain_id, a.block, a.deadline_block')

interface AuctionRow {
  id: bigint
  chain_id: number
  block: bigint
  deadline_block: bigint
}

/** Auctions that may be shown: all, or those whose deadline block the indexer has passed. */
export type Visible = 'all' | 'closed'

export async function findAuction(
  db: Db,
  { chainId, id }: { chainId: number; id: bigint },
  visible: Visible,
): Promise<StoredAuction | undefined> {
  return firstAuction(db, Prisma.sql`a.id = ${id} AND a.chain_id = ${chainId}`, visible)
}

/** The newest on a network. */
export async function latestAuction(
  db: Db,
  chainId: number,
  visible: Visible,
): Promise<StoredAuction | undefined> {
  return firstAuction(db, Prisma.sql`a.chain_id = ${chainId}`, visible)
}

/** The one that a transaction settled. */
export async function auctionOfTransaction(
  db: Db,
  { chainId, hash }: { chainId: number; hash: Bytes32 },
  visible: Visible,
): Promise<StoredAuction | undefined> {
  const settled = Prisma.sql`a.id IN (SELECT s.auction_id FROM settlements s
    WHERE s.tx_hash = ${bytea(hash)} AND s.chain_id = ${chainId} AND s.auction_id IS NOT NULL)`
  return firstAuction(db, settled, visible)
}

async function firstAuction(
  db: Db,
  condition: Prisma.Sql,
  visible: Visible,
): Promise<StoredAuction | undefined> {
  const closed = Prisma.sql`AND a.deadline_block < (SELECT c.block_number FROM checkpoints c WHERE c.chain_id = a.chain_id)`
  const [row] = await sql(db).$queryRaw<AuctionRow[]>`
    SELECT ${auctionColumns} FROM auctions a
    WHERE ${condition} ${visible === 'closed' ? closed : Prisma.empty} ORDER BY a.id DESC LIMIT 1`
  return row && toAuction(row)
}

export async function findAuctions(db: Db, ids: readonly bigint[]): Promise<StoredAuction[]> {
  const rows = await sql(db).$queryRaw<AuctionRow[]>`
    SELECT ${auctionColumns} FROM auctions a WHERE a.id = ANY(${[...ids]}::bigint[])`
  return rows.map(toAuction)
}

/** By id, with the order they were asked for. */
export async function auctionsOfOrders(
  db: Db,
  orderIds: readonly bigint[],
): Promise<(StoredAuction & { orderId: bigint })[]> {
  const rows = await sql(db).$queryRaw<(AuctionRow & { order_id: bigint })[]>`
    SELECT ao.order_id, ${auctionColumns}
    FROM auction_orders ao JOIN auctions a ON a.id = ao.auction_id
    WHERE ao.order_id = ANY(${[...orderIds]}::bigint[]) ORDER BY a.id`
  return rows.map((row) => ({ orderId: row.order_id, ...toAuction(row) }))
}

export async function pricesOfAuctions(
  db: Db,
  ids: readonly bigint[],
): Promise<(NativePrice & { auctionId: bigint })[]> {
  const rows = await sql(db).auctionPrice.findMany({
    where: { auctionId: { in: [...ids] } },
    orderBy: { token: 'asc' },
  })
  return rows.map((row) => ({
    auctionId: row.auctionId,
    token: hexOf(row.token) as Address,
    price: amountOf(row.price),
  }))
}

/** Best first: by uid. */
export async function solutionsOfAuctions(db: Db, ids: readonly bigint[]): Promise<StoredSolution[]> {
  const rows = await sql(db).$queryRaw<{ json: SolutionJson }[]>`
    SELECT ${raw(solutionJson)} AS json FROM solutions s WHERE s.auction_id = ANY(${[...ids]}::bigint[]) ORDER BY s.uid`
  return rows.map(({ json }) => toSolution(json))
}

export async function executionsOfAuctions(db: Db, ids: readonly bigint[]): Promise<ProposedExecution[]> {
  const rows = await sql(db).$queryRaw<ProposedExecutionRow[]>`
    SELECT x.auction_id, x.solution_uid, x.order_id, o.uid, o.chain_id, o.sell_token, o.buy_token,
      x.executed_sell::text, x.executed_buy::text
    FROM solution_executions x JOIN orders o ON o.id = x.order_id
    WHERE x.auction_id = ANY(${[...ids]}::bigint[]) ORDER BY x.order_id`
  return rows.map((row) => ({
    auctionId: row.auction_id,
    solutionUid: row.solution_uid,
    orderId: row.order_id,
    orderUid: hexOf(row.uid),
    chainId: row.chain_id,
    sellToken: hexOf(row.sell_token),
    buyToken: hexOf(row.buy_token),
    executedSell: BigInt(row.executed_sell),
    executedBuy: BigInt(row.executed_buy),
  }))
}

interface ProposedExecutionRow {
  auction_id: bigint
  solution_uid: number
  order_id: bigint
  uid: Uint8Array
  chain_id: number
  sell_token: Uint8Array
  buy_token: Uint8Array
  executed_sell: string
  executed_buy: string
}

export async function attemptsOfAuctions(db: Db, ids: readonly bigint[]): Promise<SettlementAttempt[]> {
  const rows = await sql(db).$queryRaw<{ json: AttemptJson }[]>`
    SELECT ${raw(attemptJson)} AS json FROM settlement_attempts t
    WHERE t.auction_id = ANY(${[...ids]}::bigint[]) ORDER BY t.started_at, t.solution_uid`
  return rows.map(({ json }) => toAttempt(json))
}

/** Settlements on chain that are an auction's, in the order of their logs. */
export async function settlementsOfAuctions(
  db: Db,
  ids: readonly bigint[],
): Promise<{ auctionId: bigint; solutionUid: number | null; txHash: Bytes32 }[]> {
  const rows = await sql(db).$queryRaw<
    { auction_id: bigint; solution_uid: number | null; tx_hash: Uint8Array }[]
  >`
    SELECT s.auction_id, s.solution_uid, s.tx_hash FROM settlements s
    WHERE s.auction_id = ANY(${[...ids]}::bigint[]) ORDER BY s.block_number, s.log_index`
  return rows.map((row) => ({
    auctionId: row.auction_id,
    solutionUid: row.solution_uid,
    txHash: hexOf(row.tx_hash),
  }))
}

export async function ordersOfAuctions(
  db: Db,
  ids: readonly bigint[],
): Promise<{ auctionId: bigint; orderId: bigint; orderUid: OrderUid }[]> {
  const rows = await sql(db).$queryRaw<{ auction_id: bigint; order_id: bigint; uid: Uint8Array }[]>`
    SELECT ao.auction_id, ao.order_id, o.uid FROM auction_orders ao JOIN orders o ON o.id = ao.order_id
    WHERE ao.auction_id = ANY(${[...ids]}::bigint[]) ORDER BY ao.order_id`
  return rows.map((row) => ({ auctionId: row.auction_id, orderId: row.order_id, orderUid: hexOf(row.uid) }))
}

/** Fee policies in force, in the order they apply, by auction and order: see `policyKey`. */
export async function policiesOfAuctions(db: Db, ids: readonly bigint[]): Promise<Map<string, FeePolicy[]>> {
  const rows = await sql(db).feePolicy.findMany({
    where: { auctionId: { in: [...ids] } },
    orderBy: { position: 'asc' },
  })
  const policies = new Map<string, FeePolicy[]>()
  for (const row of rows) {
    const key = policyKey(row.auctionId, row.orderId)
    policies.set(key, [
      ...(policies.get(key) ?? []),
      toPolicy({ ...row, kind: row.kind as FeePolicy['kind'] }),
    ])
  }
  return policies
}

export function policyKey(auctionId: bigint, orderId: bigint): string {
  return `${auctionId}:${orderId}`
}

function toAuction(row: AuctionRow): StoredAuction {
  return {
    id: row.id,
    chainId: row.chain_id,
    block: Number(row.block),
    deadlineBlock: Number(row.deadline_block),
  }
}
