import type { Auction } from '../domain/auction/auction.ts'
import type { Solution } from '../domain/auction/solution.ts'
import type { Network } from '../domain/network/network.ts'
import { type Booking, bookingsOf } from '../domain/settlement/booking.ts'
import { uniformPrices } from './check-proposal.ts'

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
