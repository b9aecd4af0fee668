import type { Address } from '../domain/address.ts'
import type {
  NativePrice,
  ProposedExecution,
  SettlementAttempt,
  StoredAuction,
  StoredSolution,
} from '../domain/competition.ts'
import type { FeePolicy } from '../domain/fee-policy.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import { amountOf, hexOf, raw } from './columns.ts'
import { type Db, sql } from './database.ts'
import type { AuctionModel } from './generated/models/Auction.ts'
import {
  type AttemptJson,
  attemptJson,
  type SolutionJson,
  solutionJson,
  toAttempt,
  toPolicy,
  toSolution,
} from './story-rows.ts'

export async function findAuction(db: Db, chainId: number, id: bigint): Promise<StoredAuction | undefined> {
  const row = await sql(db).auction.findUnique({ where: { id, chainId } })
  return row ? toAuction(row) : undefined
}

export async function findAuctions(db: Db, ids: readonly bigint[]): Promise<StoredAuction[]> {
  const rows = await sql(db).auction.findMany({ where: { id: { in: [...ids] } } })
  return rows.map(toAuction)
}

/** By id, with the order they were asked for. */
export async function auctionsOfOrders(
  db: Db,
  orderIds: readonly bigint[],
): Promise<(StoredAuction & { orderId: bigint })[]> {
  const rows = await sql(db).$queryRaw<
    { order_id: bigint; id: bigint; chain_id: number; block: bigint; deadline_block: bigint }[]
  >`
    SELECT ao.order_id, a.id, a.chain_id, a.block, a.deadline_block
    FROM auction_orders ao JOIN auctions a ON a.id = ao.auction_id
    WHERE ao.order_id = ANY(${[...orderIds]}::bigint[]) ORDER BY a.id`
  return rows.map((row) => ({
    orderId: row.order_id,
    id: row.id,
    chainId: row.chain_id,
    block: Number(row.block),
    deadlineBlock: Number(row.deadline_block),
  }))
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
    SELECT x.auction_id, x.solution_uid, x.order_id, o.uid, x.executed_sell::text, x.executed_buy::text
    FROM solution_executions x JOIN orders o ON o.id = x.order_id
    WHERE x.auction_id = ANY(${[...ids]}::bigint[]) ORDER BY x.order_id`
  return rows.map((row) => ({
    auctionId: row.auction_id,
    solutionUid: row.solution_uid,
    orderId: row.order_id,
    orderUid: hexOf(row.uid),
    executedSell: BigInt(row.executed_sell),
    executedBuy: BigInt(row.executed_buy),
  }))
}

interface ProposedExecutionRow {
  auction_id: bigint
  solution_uid: number
  order_id: bigint
  uid: Uint8Array
  executed_sell: string
  executed_buy: string
}

export async function attemptsOfAuctions(db: Db, ids: readonly bigint[]): Promise<SettlementAttempt[]> {
  const rows = await sql(db).$queryRaw<{ json: AttemptJson }[]>`
    SELECT ${raw(attemptJson)} AS json FROM settlement_attempts t
    WHERE t.auction_id = ANY(${[...ids]}::bigint[]) ORDER BY t.started_at, t.solution_uid`
  return rows.map(({ json }) => toAttempt(json))
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

function toAuction(row: AuctionModel): StoredAuction {
  return {
    id: row.id,
    chainId: row.chainId,
    block: Number(row.block),
    deadlineBlock: Number(row.deadlineBlock),
  }
}
