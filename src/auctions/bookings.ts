import type { Auction } from '../domain/auction/auction.ts'
import type { Solution } from '../domain/auction/solution.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Network } from '../domain/network/network.ts'
import { type Booking, bookingsOf } from '../domain/settlement/booking.ts'
import { storeChanges } from '../storage/auction/bookings.ts'
import type { AttemptKey } from '../storage/auction/transactions.ts'
import { uniformPrices } from './check-proposal.ts'
import { banSolver } from './outside.ts'
import type { AuctionServices } from './services.ts'

/** What the settlement of a solution is to change of the settlement contract's tokens. */
export function solutionBookings(
  auction: Auction,
  solution: Solution,
  { wrappedNative }: Pick<Network, 'wrappedNative'>,
): Booking[] {
  return bookingsOf(solution, auction, wrappedNative, (order) =>
    uniformPrices(solution.proposal, order, wrappedNative),
  )
}

/**
 * Compares what a mined settlement left in the settlement contract with its bookings, and stores it. Less than it had to leave is a
 * fault: whatever a simulation and the settlement itself have checked, its solver is not asked for the longest time.
 */
export async function checkSettled(
  attempt: AttemptKey,
  solver: Address,
  { txHash, block }: { txHash: Bytes32; block: number },
  services: Pick<AuctionServices, 'db' | 'log' | 'meter' | 'solvers' | 'network' | 'now' | 'balanceChanges'>,
): Promise<void> {
  const { db, log, meter, solvers } = services
  const about = { auctionId: String(attempt.auctionId), solutionUid: attempt.solutionUid, txHash }
  try {
    const changes = await services.balanceChanges(txHash)
    // A reorg took it back. The indexer sees it when it returns.
    if (!changes) return
    const slippage = await storeChanges(db, attempt, changes)
    const lost = slippage.filter(({ change, least }) => change < least)
    if (lost.length === 0) return
    const tokens = lost.map(({ token, change, least }) => `${token}: ${change} instead of ${least}`)
    const reason = `settlement ${txHash} left less than it had to: ${tokens.join(', ')}`
    const { auctionId } = attempt
    if (!(await banSolver(solver, { txHash, block, auctionId, reason }, services))) return
    log.error('a settlement left the settlement contract with less than it had to', {
      ...about,
      solver,
      tokens,
    })
    meter.lost(solvers.find(({ address }) => address === solver)?.name ?? solver)
  } catch (fault) {
    if (!(fault instanceof Outage)) throw fault
    log.warn('what a settlement changed is not read', { ...about, error: fault.message })
  }
}
