import { minOf, priceScale } from '../amount.ts'
import type { Auction } from '../auction/auction.ts'
import { type Solution, tradable } from '../auction/solution.ts'
import type { Address } from '../evm/address.ts'
import type { FeePolicy } from '../fee/policy.ts'
import type { Order } from '../order/order.ts'
import { surplusToken } from '../order/surplus.ts'
import { wrappedForm } from '../token/token.ts'
import { grossFill } from './execution.ts'
import type { PricePair } from './fees.ts'

/**
 * The change of the settlement contract's balance by token; negative for outflow. The native coin counts as
 * its wrapped form.
 */
export type TokenChanges = ReadonlyMap<Address, bigint>

export const feeKinds = ['network', 'protocol', 'partner'] as const

/** A fee that a trade of a settlement paid. */
export interface FeeTaken {
  kind: (typeof feeKinds)[number]
  /** The policy; null for the network fee. */
  policy: FeePolicy['kind'] | null
  /** The recipient of a partner fee. */
  recipient: Address | null
  token: Address
  amount: bigint
}

/** A sum of fees, or the slippage that remains after them, which can be negative. */
export interface SettlementAmount extends Omit<FeeTaken, 'kind'> {
  kind: FeeTaken['kind'] | 'slippage'
  /** The value in native atoms, rounded down; null without a price. */
  value: bigint | null
}

/** Native atoms for 10^18 atoms, by token. */
type Prices = ReadonlyMap<Address, bigint>

/**
 * The fees by kind, policy, recipient and token, followed by slippage by token: the contract's gain minus the
 * fees. Zeros are left out.
 */
export function settlementAmounts(
  fees: readonly FeeTaken[],
  changes: TokenChanges,
  prices: Prices,
): SettlementAmount[] {
  const got = [...changes].map(([token, amount]) => ({ token, amount }))
  const slippage = [...got, ...fees.map(({ token, amount }) => ({ token, amount: -amount }))].map(
    (change) => ({ kind: 'slippage' as const, policy: null, recipient: null, ...change }),
  )
  const sums = new Map<string, Omit<SettlementAmount, 'value'>>()
  for (const { kind, policy, recipient, token, amount } of [...fees, ...slippage]) {
    const key = [kind, policy, recipient, token].join()
    const sum = sums.get(key)
    if (sum) sum.amount += amount
    else sums.set(key, { kind, policy, recipient, token, amount })
  }
  return [...sums.values()]
    .filter(({ amount }) => amount !== 0n)
    .map((sum) => ({ ...sum, value: nativeValueDown(sum.amount, prices.get(sum.token)) }))
}

/**
 * The native value rounded towards minus infinity, so that the debt to a solver is never more than its worth.
 */
function nativeValueDown(amount: bigint, price: bigint | undefined): bigint | null {
  if (price === undefined) return null
  const product = amount * price
  const isRounded = product < 0n && product % priceScale !== 0n
  return product / priceScale - (isRounded ? 1n : 0n)
}

/** The time after an auction's deadline within which a settlement is attributed to it. */
const latestMs = 6 * 3_600_000

/** The last block in which a settlement is attributed to an auction with this deadline. */
export function lastAttributedBlock(deadlineBlock: number, blockTimeMs: number): number {
  return deadlineBlock + Math.ceil(latestMs / blockTimeMs)
}

/** The earnings and debts of a solver for a range of blocks, in native atoms. */
export interface SolverAccount {
  solver: Address
  wins: number
  score: bigint
  missedScore: bigint
  referenceScore: bigint
  settlements: number
  gasUsed: bigint
  gasCost: bigint
  revertedAttempts: number
  revertedGas: bigint
  revertedGasCost: bigint
  cancellations: number
  cancellationGas: bigint
  cancellationGasCost: bigint
  networkFees: bigint
  protocolFees: bigint
  partnerFees: bigint
  slippage: bigint
  settlementsWithoutGas: number
  settlementsWithoutAmounts: number
  unpricedAmounts: number
}

const maxRangeMs = 7 * 86_400_000

/** The maximum number of blocks in one account request: a week. */
export function maxAccountRange(blockTimeMs: number): number {
  return Math.ceil(maxRangeMs / blockTimeMs)
}

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
      token,
      networkFee: 0n,
      protocolFee: 0n,
      internalized: 0n,
      least: 0n,
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
    const { feeSide } = execution
    at(feeSide === 'sell' ? order.sellToken : wrappedForm(order.buyToken, wrappedNative)).networkFee +=
      execution.networkFee
  }
  for (const [token, amount] of proposal.internalized ?? []) {
    at(token).internalized += amount
    at(token).least += amount
  }
  return [...bookings.values()].filter(
    ({ networkFee, protocolFee, internalized }) => networkFee > 0n || protocolFee > 0n || internalized !== 0n,
  )
}
