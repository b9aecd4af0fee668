import { encodeSettle, encodeTrade } from '../chain/settlement-call.ts'
import type { Auction } from '../domain/auction.ts'
import { Outage } from '../domain/error.ts'
import type { Hex } from '../domain/hex.ts'
import type { Network } from '../domain/network.ts'
import type { RankedSolution } from '../domain/solution.ts'
import { endAttempt } from '../storage/competition.ts'
import type { AuctionDesk } from './desk.ts'
import { toSettlementPlan } from './settlement-plan.ts'

/**
 * Sends a winner's settlement and records how the attempt ended. A success is not recorded here: only the indexer, which sees the
 * settlement in the chain it follows, and sees it leave again, says so.
 */
export async function settle(auction: Auction, solution: RankedSolution, desk: AuctionDesk): Promise<void> {
  const attempt = { auctionId: String(auction.id), solver: solution.solver }
  try {
    const end = await submit(auction, solution, desk)
    desk.log.info('settlement attempt ended', { ...attempt, ...end })
    if (end.outcome !== 'success') await recordEnd(auction, solution, end, desk)
  } catch (error) {
    desk.log.error('settlement attempt not recorded', { ...attempt, error: String(error) })
  }
}

interface End {
  outcome: string
  block: number
  txHash?: Hex
}

async function submit(
  auction: Auction,
  solution: RankedSolution,
  { network, settlers }: AuctionDesk,
): Promise<End> {
  const failed = (reason: string): End => ({ outcome: `driver failed: ${reason}`, block: auction.block })
  const settler = settlers.get(solution.solver)
  if (!settler) return failed('no account for this solver')
  try {
    const calldata = encodeSolution(auction, solution, network)
    const result = await settler.submit(calldata, { deadlineBlock: auction.deadlineBlock })
    return result.outcome === 'failed' ? { ...result, outcome: `driver failed: ${result.reason}` } : result
  } catch (error) {
    if (error instanceof Outage) return failed(error.message)
    throw error
  }
}

function encodeSolution(auction: Auction, solution: RankedSolution, { wrappedNative }: Network): Hex {
  const plan = toSettlementPlan(auction, solution, wrappedNative)
  const trades = plan.trades.map(({ order, sellTokenIndex, buyTokenIndex, executedAmount }) =>
    encodeTrade(order, { sell: sellTokenIndex, buy: buyTokenIndex }, executedAmount),
  )
  return encodeSettle({ ...plan, trades, auctionId: auction.id })
}

async function recordEnd(
  auction: Auction,
  solution: RankedSolution,
  { outcome, block, txHash }: End,
  { db, now }: AuctionDesk,
): Promise<void> {
  const attempt = { auctionId: auction.id, solutionUid: solution.uid }
  const end = { endedAt: new Date(now()), endBlock: block, outcome, txHash: txHash ?? null }
  await db.transaction((tx) => endAttempt(tx, { ...attempt, ...end }))
}
