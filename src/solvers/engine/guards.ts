import { maxOf } from '../../domain/amount.ts'
import type { Auction } from '../../domain/auction/auction.ts'
import { tradable } from '../../domain/auction/jit.ts'
import type { Proposal, Solution } from '../../domain/auction/solution.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Interaction } from '../../domain/order/order.ts'
import type { Booking } from '../../domain/settlement/booking.ts'
import { balanceCheck, balanceNote, transferCall } from '../../domain/settlement/calldata.ts'
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
 * The solution with calls that make the settlement revert if the settlement contract then has less of a token than before with what must
 * stay of its fees. So the chain decides, whatever a contract does differently in a simulation. A token is moved by a call of its holder
 * or by an allowance, and allowances end with the settlement. Where the network has a guard contract, it compares with what there was
 * when the settlement began; else the settlement contract transfers to itself what it held when the solution arrived.
 * @param held what the settlement contract has of each token that the solution touches, without what is no token
 */
export function guarded(
  { solution, bookings }: BookedSolution,
  touched: readonly Address[],
  held: ReadonlyMap<Address, bigint>,
  { settlement, balanceGuard }: Pick<Network, 'settlement' | 'balanceGuard'>,
): Solution {
  const tokens = touched.filter((token) => held.has(token))
  const guard = (proposal: Proposal, more: (booking: Booking) => bigint): Proposal => {
    const least = new Map(bookings.map((booking) => [booking.token, more(booking)]))
    return balanceGuard
      ? compared(proposal, tokens, least, balanceGuard)
      : transferring(proposal, tokens, least, held, settlement)
  }
  const { uninternalized, ...rest } = solution.proposal
  const proposal = guard(rest, ({ least }) => least)
  if (!uninternalized) return { ...solution, proposal }
  const whole = guard(uninternalized, ({ least, internalized }) => least - internalized)
  return { ...solution, proposal: { ...proposal, uninternalized: whole } }
}

function compared(
  proposal: Proposal,
  tokens: readonly Address[],
  least: ReadonlyMap<Address, bigint>,
  guard: Address,
): Proposal {
  const check = balanceCheck(
    guard,
    tokens.map((token) => [token, least.get(token) ?? 0n]),
  )
  const gas = proposal.gas + comparisonGas + comparedTokenGas * BigInt(tokens.length)
  return { ...proposal, first: [balanceNote(guard, tokens)], after: [...(proposal.after ?? []), check], gas }
}

function transferring(
  proposal: Proposal,
  tokens: readonly Address[],
  least: ReadonlyMap<Address, bigint>,
  held: ReadonlyMap<Address, bigint>,
  settlement: Address,
): Proposal {
  const guards = tokens.flatMap((token): Interaction[] => {
    const amount = maxOf((held.get(token) ?? 0n) + (least.get(token) ?? 0n), 0n)
    return amount === 0n ? [] : [balanceGuard(token, amount, settlement)]
  })
  const gas = proposal.gas + guardGas * BigInt(guards.length)
  return { ...proposal, after: [...(proposal.after ?? []), ...guards], gas }
}

/** A call of the settlement contract that reverts if it has less than this amount. */
export function balanceGuard(token: Address, amount: bigint, settlement: Address): Interaction {
  if (token === nativeMarker) return { target: settlement, value: amount, callData: '0x' }
  return transferCall(token, settlement, amount)
}

/** Of a transfer whose storage is warm. */
const guardGas = 30_000n

/** Of a comparison by the guard contract, and of each token: reading a balance that may be cold, and once more. */
const comparisonGas = 20_000n
const comparedTokenGas = 15_000n
