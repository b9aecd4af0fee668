import type { ProposedExecution, StoredSolution } from '../../domain/auction/competition.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { FeePolicy } from '../../domain/fee/policy.ts'
import { amountOf, bytea, hexOf, raw } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import { solutionRow } from '../models/auction/solution.ts'
import { rowSql, toRow } from '../query/json.ts'

const solutionJson = rowSql(solutionRow)

/** Solutions sorted by uid, best first. In SQL: rows follow from the model. */
export async function solutionsOfAuctions(db: Db, ids: readonly bigint[]): Promise<StoredSolution[]> {
  const rows = await sql(db).$queryRaw<{ json: string }[]>`
    SELECT ${raw(solutionJson)} AS json FROM solutions s WHERE s.auction_id = ANY(${[...ids]}::bigint[]) ORDER BY s.uid`
  return rows.map(({ json }) => toRow(solutionRow, JSON.parse(json)))
}

/** Executions of placed orders and of JIT orders. In SQL: one statement over three tables. */
export async function executionsOfAuctions(db: Db, ids: readonly bigint[]): Promise<ProposedExecution[]> {
  const rows = await sql(db).$queryRaw<ProposedExecutionRow[]>`
    SELECT x.auction_id, x.solution_uid, x.order_id, o.uid, o.chain_id, o.sell_token, o.buy_token,
      x.executed_sell::text, x.executed_buy::text
    FROM solution_executions x JOIN orders o ON o.id = x.order_id
    WHERE x.auction_id = ANY(${[...ids]}::bigint[])
    UNION ALL SELECT j.auction_id, j.solution_uid, NULL, j.order_uid, j.chain_id, j.sell_token, j.buy_token,
      j.executed_sell::text, j.executed_buy::text
    FROM jit_executions j WHERE j.auction_id = ANY(${[...ids]}::bigint[]) ORDER BY order_id`
  return rows.map((row) => ({
    auctionId: row.auction_id,
    solutionUid: row.solution_uid,
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
  uid: Uint8Array
  chain_id: number
  sell_token: Uint8Array
  buy_token: Uint8Array
  executed_sell: string
  executed_buy: string
}

/**
 * Fee policies in force, in the order they apply, by auction and order: see `policyKey`. In SQL: one
 * statement over two tables.
 */
export async function policiesOfAuctions(db: Db, ids: readonly bigint[]): Promise<Map<string, FeePolicy[]>> {
  const rows = await sql(db).$queryRaw<{ auction_id: bigint; order_id: bigint; policies: StoredPolicy[] }[]>`
    SELECT DISTINCT x.auction_id, x.order_id, s.policies
    FROM solution_executions x JOIN fee_policy_sets s ON s.id = x.policy_set_id WHERE x.auction_id = ANY(${[...ids]}::bigint[])`
  return new Map(
    rows.map((row) => [policyKey(row.auction_id, row.order_id), row.policies.map(toPolicy)] as const),
  )
}

export function policyKey(auctionId: bigint, orderId: bigint): string {
  return `${auctionId}:${orderId}`
}

interface StoredPolicy {
  kind: FeePolicy['kind']
  factor: number
  maxVolumeFactor?: number
  recipient?: Address
}

function toPolicy({ kind, factor, maxVolumeFactor = 0, recipient }: StoredPolicy): FeePolicy {
  const terms = { factor: BigInt(factor), ...(recipient && { recipient }) }
  return kind === 'volume' ? { kind, ...terms } : { kind, ...terms, maxVolumeFactor: BigInt(maxVolumeFactor) }
}

/** Deadline blocks of a network's auctions. */
export async function deadlinesOfAuctions(
  db: Db,
  chainId: number,
  ids: readonly bigint[],
): Promise<Map<bigint, number>> {
  const rows = await sql(db).auction.findMany({
    where: { chainId, id: { in: [...ids] } },
    select: { id: true, deadlineBlock: true },
  })
  return new Map(rows.map(({ id, deadlineBlock }) => [id, Number(deadlineBlock)]))
}

/** Native atoms for 10^18 atoms of these tokens, by auction. */
export async function pricesOfAuctions(
  db: Db,
  ids: readonly bigint[],
  tokens: readonly Address[],
): Promise<Map<bigint, Map<Address, bigint>>> {
  const rows = await sql(db).auctionPrice.findMany({
    where: { auctionId: { in: [...ids] }, token: { in: tokens.map(bytea) } },
  })
  const prices = new Map(ids.map((id) => [id, new Map<Address, bigint>()]))
  for (const { auctionId, token, price } of rows) prices.get(auctionId)?.set(hexOf(token), amountOf(price))
  return prices
}
