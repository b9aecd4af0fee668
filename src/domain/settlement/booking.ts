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

/** What one settlement is to change of one token of the settlement contract, in atoms. */
export interface Booking {
  token: Address
  networkFee: bigint
  /** Of the protocol and of partners. */
  protocolFee: bigint
  /** Of interactions that are left out by permission: what the contract keeps of their inputs, less what it pays of their outputs. */
  internalized: bigint
  /** The contract must have so much more of it afterwards; negative where it may have less. */
  least: bigint
}

/** A booking, and what the chain says. Slippage, of either sign, is its solver's. */
export interface Slippage extends Booking {
  /** What the contract has more or less of it after the settlement, fees included. */
  change: bigint
}

/** What the contract has more or less of it than before and all fees. */
export function slippageOf({ change, networkFee, protocolFee }: Slippage): bigint {
  return change - networkFee - protocolFee
}

/**
 * The bookings of a checked solution. Network fees need not stay, since they pay for what the solver does: what is missing of them is
 * slippage. Protocol fees must, as far as the prices withhold them: computed back from a fill, rounding can make one an atom larger.
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
