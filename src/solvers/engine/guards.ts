import { maxOf } from '../../domain/amount.ts'
import type { Auction } from '../../domain/auction/auction.ts'
import { tradable } from '../../domain/auction/jit.ts'
import type { Proposal, Solution } from '../../domain/auction/solution.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { Interaction } from '../../domain/order/order.ts'
import type { Booking } from '../../domain/settlement/booking.ts'
import { transferCall } from '../../domain/settlement/calldata.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import type { BookedSolution } from '../solver.ts'

/** The contracts whose tokens a proposal could take from the settlement contract: those that it pays out, and all that it calls. */
export function touchedBy(proposal: Proposal, auction: Auction, wrappedNative: Address): Address[] {
  const traded = new Set(proposal.trades.map(({ orderUid }) => orderUid))
  const { before = [], interactions, after = [] } = proposal.uninternalized ?? proposal
  return [
    ...new Set([
      nativeMarker,
      wrappedNative,
      ...(proposal.internalized?.keys() ?? []),
      ...tradable(auction, proposal)
        .filter(({ order }) => traded.has(order.uid))
        .flatMap(({ order }) => [order.sellToken, wrappedForm(order.buyToken, wrappedNative)]),
      ...[...before, ...interactions, ...after].map(({ target }) => target),
    ]),
  ]
}

/**
 * The solution with calls at its end that make the settlement revert if the settlement contract then has less of a token than now with
 * what must stay of its fees: it transfers so much to itself. So the chain decides, whatever a contract does differently in a simulation. A
 * token is moved by a call of its holder or by an allowance, and allowances end with the settlement.
 * @param held what the settlement contract has of each token that the solution touches
 */
export function guarded(
  { solution, bookings }: BookedSolution,
  touched: readonly Address[],
  held: ReadonlyMap<Address, bigint>,
  settlement: Address,
): Solution {
  const guard = (proposal: Proposal, more: (booking: Booking) => bigint): Proposal => {
    const least = new Map(bookings.map((booking) => [booking.token, more(booking)]))
    const guards = touched.flatMap((token): Interaction[] => {
      const amount = maxOf((held.get(token) ?? 0n) + (least.get(token) ?? 0n), 0n)
      return amount === 0n ? [] : [balanceGuard(token, amount, settlement)]
    })
    const gas = proposal.gas + guardGas * BigInt(guards.length)
    return { ...proposal, after: [...(proposal.after ?? []), ...guards], gas }
  }
  const { uninternalized, ...rest } = solution.proposal
  const proposal = guard(rest, ({ least }) => least)
  if (!uninternalized) return { ...solution, proposal }
  const whole = guard(uninternalized, ({ least, internalized }) => least - internalized)
  return { ...solution, proposal: { ...proposal, uninternalized: whole } }
}

/** A call of the settlement contract that reverts if it has less than this amount. */
export function balanceGuard(token: Address, amount: bigint, settlement: Address): Interaction {
  if (token === nativeMarker) return { target: settlement, value: amount, callData: '0x' }
  return transferCall(token, settlement, amount)
}

/** Of a transfer whose storage is warm. */
const guardGas = 30_000n
