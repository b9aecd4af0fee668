import type { Auction } from '../../domain/auction/auction.ts'
import type { Proposal } from '../../domain/auction/solution.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { Interaction } from '../../domain/order/order.ts'
import { transferCall } from '../../domain/settlement/calldata.ts'
import { wrappedForm } from '../../domain/token/token.ts'

/** The contracts whose tokens a proposal could take from the settlement contract: those that it pays out, and all that it calls. */
export function touchedBy(proposal: Proposal, { orders }: Auction, wrappedNative: Address): Address[] {
  const traded = new Set(proposal.trades.map(({ orderUid }) => orderUid))
  const { before = [], interactions, after = [] } = proposal
  return [
    ...new Set([
      nativeMarker,
      wrappedNative,
      ...orders
        .filter(({ order }) => traded.has(order.uid))
        .flatMap(({ order }) => [order.sellToken, wrappedForm(order.buyToken, wrappedNative)]),
      ...[...before, ...interactions, ...after].map(({ target }) => target),
    ]),
  ]
}

/**
 * The proposal with calls at its end that make the settlement revert if the settlement contract then has less of a token than now: it
 * transfers to itself what it has now. So the chain decides, whatever a contract does differently in a simulation. A token is moved by a
 * call of its holder or by an allowance, and allowances end with the settlement.
 * @param held what the settlement contract has of each token that the proposal touches
 */
export function guarded(
  proposal: Proposal,
  touched: readonly Address[],
  held: ReadonlyMap<Address, bigint>,
  settlement: Address,
): Proposal {
  const guards = touched.flatMap((token): Interaction[] => {
    const amount = held.get(token) ?? 0n
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
