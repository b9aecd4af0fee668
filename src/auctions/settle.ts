import type { Auction, AuctionOrder } from '../domain/auction/auction.ts'
import type { RankedSolution } from '../domain/auction/solution.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Hex } from '../domain/evm/hex.ts'
import { endAttempt } from '../storage/auction/competition.ts'
import type { AuctionServices } from './services.ts'
import { encodePlan } from './settlement-calldata.ts'
import { toSettlementPlan } from './settlement-plan.ts'
import { backOffKey, culpritsOf, leaveOut } from './simulate.ts'

/**
 * Sends a winner's settlement and records how the attempt ended. The indexer alone records a success, because it sees the
 * settlement on chain and sees a reorg remove it.
 */
export async function settle(
  auction: Auction,
  solution: RankedSolution,
  services: AuctionServices,
): Promise<void> {
  const attempt = { auctionId: String(auction.id), solver: solution.solver }
  try {
    const end = await submit(auction, solution, services)
    services.log.info('settlement attempt ended', { ...attempt, ...end })
    if (end.outcome !== 'success') await recordEnd(auction, solution, end, services)
    await updateBackOffs(auction, solution, end, services)
  } catch (error) {
    services.log.error('the end of a settlement attempt is not recorded', {
      ...attempt,
      error: String(error),
    })
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
  { network, settlers }: AuctionServices,
): Promise<End> {
  const failed = (reason: string): End => ({ outcome: `driver failed: ${reason}`, block: auction.block })
  const settler = settlers.get(solution.solver)
  if (!settler) return failed('no account for this solver')
  try {
    const calldata = encodePlan(toSettlementPlan(auction, solution, network.wrappedNative), auction.id)
    const extraGas = tradedIn(auction, solution).reduce((sum, entry) => sum + entry.extraGas, 0n)
    const result = await settler.submit(calldata, { deadlineBlock: auction.deadlineBlock, extraGas })
    return result.outcome === 'failed' ? { ...result, outcome: `driver failed: ${result.reason}` } : result
  } catch (error) {
    if (error instanceof Outage) return failed(error.message)
    throw error
  }
}

/** A success ends the back-offs of its orders; a failure starts those of its culprits. */
async function updateBackOffs(
  auction: Auction,
  solution: RankedSolution,
  { outcome, block, txHash }: End,
  services: AuctionServices,
): Promise<void> {
  if (outcome === 'success') {
    for (const { order } of tradedIn(auction, solution)) services.culprits.forgive(backOffKey(order))
  } else if (outcome !== 'timeout') {
    await leaveOut(await culpritsOf(auction, solution, services, txHash !== undefined), block, services)
  }
}

function tradedIn({ orders }: Auction, { executions }: RankedSolution): AuctionOrder[] {
  const traded = new Set(executions.map(({ orderUid }) => orderUid))
  return orders.filter(({ order }) => traded.has(order.uid))
}

async function recordEnd(
  auction: Auction,
  solution: RankedSolution,
  { outcome, block, txHash }: End,
  { db, now }: AuctionServices,
): Promise<void> {
  const attempt = { auctionId: auction.id, solutionUid: solution.uid }
  const end = { endedAt: new Date(now()), endBlock: block, outcome, txHash: txHash ?? null }
  await db.transaction((tx) => endAttempt(tx, { ...attempt, ...end }))
}
