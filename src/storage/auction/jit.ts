import type { Auction } from '../../domain/auction/auction.ts'
import type { RankedSolution } from '../../domain/auction/solution.ts'
import type { Address } from '../../domain/evm/address.ts'
import { bytea, hexOf, numeric } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'

/** What solutions propose for orders that their solvers bring. */
export async function insertJitExecutions(
  tx: Tx,
  { id: auctionId, chainId }: Auction,
  solutions: readonly RankedSolution[],
): Promise<void> {
  const data = solutions.flatMap(({ uid: solutionUid, executions, proposal }) => {
    const own = new Map(proposal.jitOrders?.map(({ order }) => [order.uid, order]))
    return executions.flatMap(({ orderUid, sell, buy }) => {
      const order = own.get(orderUid)
      if (!order) return []
      const { sellToken, buyToken } = order
      return [
        {
          ...{ auctionId, solutionUid, chainId, orderUid: bytea(orderUid) },
          ...{ sellToken: bytea(sellToken), buyToken: bytea(buyToken) },
          ...{ executedSell: numeric(sell), executedBuy: numeric(buy) },
        },
      ]
    })
  })
  if (data.length > 0) await sql(tx).jitExecution.createMany({ data })
}

/**
 * Owners of orders in winning solutions that may still settle, also of orders that solvers brought; as `ordersInFlight`. In SQL: one statement over
 * several tables. The owner of an order is in its UID.
 */
export async function ownersInFlight(db: Db, chainId: number, block: number): Promise<Set<Address>> {
  const rows = await sql(db).$queryRaw<{ owner: Uint8Array }[]>`
    WITH flying AS (
      SELECT a.auction_id, a.solution_uid FROM settlement_attempts a
      WHERE a.chain_id = ${chainId} AND (a.outcome IS NULL OR a.outcome = 'success')
        AND (a.deadline_block > ${block} OR (a.outcome IS NULL AND a.signed_transaction IS NOT NULL))
        AND NOT EXISTS (SELECT 1 FROM settlements s WHERE s.auction_id = a.auction_id AND s.solution_uid = a.solution_uid)
    )
    SELECT o.owner FROM flying f JOIN solution_executions x USING (auction_id, solution_uid) JOIN orders o ON o.id = x.order_id
    UNION SELECT substring(j.order_uid FROM 33 FOR 20) FROM flying f JOIN jit_executions j USING (auction_id, solution_uid)`
  return new Set(rows.map(({ owner }) => hexOf(owner)))
}
