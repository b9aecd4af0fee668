import { minOf } from '../amount.ts'
import type { Auction } from '../auction/auction.ts'
import { tradable } from '../auction/jit.ts'
import type { Solution } from '../auction/solution.ts'
import type { Address } from '../evm/address.ts'
import type { Order } from '../order/order.ts'
import { surplusToken } from '../order/surplus.ts'
import { wrappedForm } from '../token/token.ts'
import { grossFill } from './execution.ts'
import type { PricePair } from './fees.ts'

/** The intended change of one token of the settlement contract by one settlement, in atoms. */
export interface Booking {
  token: Address
  networkFee: bigint
  /** The fees of the protocol and of partners. */
  protocolFee: bigint
  /**
   * The balance of interactions that are left out by permission: inputs that the contract keeps minus outputs
   * that it pays.
   */
  internalized: bigint
  /** The minimum change of the contract's balance; negative if it may decrease. */
  least: bigint
}

/** A booking and the change on chain. Slippage of either sign belongs to the solver. */
export interface Slippage extends Booking {
  /** The change of the contract's balance by the settlement, fees included. */
  change: bigint
}

/** The change of the contract's balance beyond all fees. */
export function slippageOf({ change, networkFee, protocolFee }: Slippage): bigint {
  return change - networkFee - protocolFee
}

/**
 * The bookings of a checked solution. Network fees need not stay, because they pay for the solver's work: a
 * missing part is slippage. Protocol fees must stay, as far as the prices withhold them: when computed from a
 * fill, rounding can make one an atom too large.
 * @param uniform the clearing prices of an order, as they were checked
 */
export function bookingsOf(
  { executions, proposal }: Solution,
  auction: Pick<Auction, 'orders'>,
  wrappedNative: Address,
  uniform: (order: Order) => PricePair | undefined,
): Booking[] {
  const bookings = new Map<Address, Booking>()
  const at = (token: Address) => {
    const booking = bookings.get(token) ?? {
      ...{ token, networkFee: 0n, protocolFee: 0n, internalized: 0n, least: 0n },
    }
    bookings.set(token, booking)
    return booking
  }
  const known = new Map(tradable(auction, proposal).map(({ order }) => [order.uid, order]))
  for (const [index, execution] of executions.entries()) {
    const [order, trade] = [known.get(execution.orderUid), proposal.trades[index]]
    const prices = order && uniform(order)
    if (!order || !trade || !prices) continue
    const gross = grossFill(order.kind, trade, prices)
    const withheld = order.kind === 'sell' ? gross.buy - execution.buy : execution.sell - gross.sell
    const charged = execution.protocolFees.reduce((sum, fee) => sum + fee, 0n)
    const surplus = at(wrappedForm(surplusToken(order), wrappedNative))
    surplus.protocolFee += charged
    surplus.least += minOf(charged, withheld)
    at(order.sellToken).networkFee += execution.networkFee
  }
  for (const [token, amount] of proposal.internalized ?? []) {
    at(token).internalized += amount
    at(token).least += amount
  }
  return [...bookings.values()].filter(
    ({ networkFee, protocolFee, internalized }) => networkFee > 0n || protocolFee > 0n || internalized !== 0n,
  )
}
