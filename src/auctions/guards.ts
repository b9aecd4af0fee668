import { maxOf } from '../domain/amount.ts'
import type { Auction } from '../domain/auction/auction.ts'
import { type Proposal, type Solution, tradable } from '../domain/auction/solution.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import type { Network } from '../domain/network/network.ts'
import type { Interaction } from '../domain/order/order.ts'
import type { Booking } from '../domain/settlement/accounting.ts'
import { balanceCheck, balanceNote, transferCall } from '../domain/settlement/calldata.ts'
import { wrappedForm } from '../domain/token/token.ts'

/**
 * The native coin, the tokens that a proposal trades, and every contract that it calls: each may be a token
 * of the settlement contract.
 */
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
 * Adds calls to a solution that make its settlement revert if the settlement contract then has less of a
 * token than before with what must stay of its fees. So the chain decides, even if a contract acts
 * differently in a simulation. Where the network has a guard contract, it compares with what there was when
 * the settlement began; else the settlement contract transfers to itself what it held when the solution
 * arrived.
 * @param held the settlement contract's balance of each token to compare
 */
export function guarded(
  solution: Solution,
  bookings: readonly Booking[],
  held: ReadonlyMap<Address, bigint>,
  { settlement, balanceGuard }: Pick<Network, 'settlement' | 'balanceGuard'>,
): Solution {
  const guard = (proposal: Proposal, more: (booking: Booking) => bigint): Proposal => {
    const least = new Map(bookings.map((booking) => [booking.token, more(booking)]))
    const safe = balanceGuard
      ? compared(proposal, held, least, balanceGuard)
      : transferring(proposal, held, least, settlement)
    return { ...safe, compared: [...held.keys()] }
  }
  const { uninternalized, ...rest } = solution.proposal
  const proposal = guard(rest, ({ least }) => least)
  if (!uninternalized) return { ...solution, proposal }
  const whole = guard(uninternalized, ({ least, internalized }) => least - internalized)
  return { ...solution, proposal: { ...proposal, uninternalized: whole } }
}

function compared(
  proposal: Proposal,
  held: ReadonlyMap<Address, bigint>,
  least: ReadonlyMap<Address, bigint>,
  guard: Address,
): Proposal {
  const tokens = [...held.keys()]
  const check = balanceCheck(
    guard,
    tokens.map((token) => [token, least.get(token) ?? 0n]),
  )
  const gas = proposal.gas + comparisonGas + comparedTokenGas * BigInt(tokens.length)
  return { ...proposal, first: [balanceNote(guard, tokens)], after: [...(proposal.after ?? []), check], gas }
}

function transferring(
  proposal: Proposal,
  held: ReadonlyMap<Address, bigint>,
  least: ReadonlyMap<Address, bigint>,
  settlement: Address,
): Proposal {
  const guards = [...held].flatMap(([token, balance]): Interaction[] => {
    const amount = maxOf(balance + (least.get(token) ?? 0n), 0n)
    return amount === 0n ? [] : [transferToItself(token, amount, settlement)]
  })
  const gas = proposal.gas + guardGas * BigInt(guards.length)
  return { ...proposal, after: [...(proposal.after ?? []), ...guards], gas }
}

/** A call of the settlement contract that reverts if it has less than this amount. */
function transferToItself(token: Address, amount: bigint, settlement: Address): Interaction {
  if (token === nativeMarker) return { target: settlement, value: amount, callData: '0x' }
  return transferCall(token, settlement, amount)
}

/** Gas of a transfer whose storage is warm. */
const guardGas = 30_000n

/**
 * Gas of a comparison by the guard contract, and of each token: a balance that may be cold is read, and read
 * again.
 */
const comparisonGas = 20_000n
const comparedTokenGas = 15_000n
