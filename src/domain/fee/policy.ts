import { maxOf, minOf, mulDivDown, mulDivUp } from '../amount.ts'
import type { Address } from '../evm/address.ts'
import type { OrderKind } from '../order/order.ts'

/** Factors are whole parts per million; settings give them as decimals. */
export const factorScale = 1_000_000n

/**
 * A fee policy. Every factor is in 0..factorScale, and `factor` is below factorScale, so that no trader loses
 * the whole surplus. `recipient` is the partner to whom the fee is owed; a fee without one belongs to the
 * protocol.
 */
export type FeePolicy = { recipient?: Address } & (
  | { kind: 'surplus'; factor: bigint; maxVolumeFactor: bigint }
  | { kind: 'volume'; factor: bigint }
  | { kind: 'priceImprovement'; factor: bigint; maxVolumeFactor: bigint }
)

/** The executed amounts of one order: sell amount with every fee included, buy amount after every fee. */
export interface Fill {
  sell: bigint
  buy: bigint
}

export interface Limits {
  kind: OrderKind
  sellAmount: bigint
  buyAmount: bigint
}

/**
 * The surplus of a fill over a limit price, in buy atoms for a sell order and in sell atoms for a buy order;
 * rounded against the trader.
 */
export function surplusDown(limits: Limits, fill: Fill): bigint {
  return limits.kind === 'sell'
    ? fill.buy - mulDivUp(fill.sell, limits.buyAmount, limits.sellAmount)
    : mulDivDown(limits.sellAmount, fill.buy, limits.buyAmount) - fill.sell
}

/** The amounts of an order's quote. */
export interface QuotedPrice {
  sellAmount: bigint
  buyAmount: bigint
  feeAmount: bigint
}

/**
 * The protocol fee of one policy in the surplus token (buy token of a sell order, sell token of a buy order),
 * rounded down. `fill` is the trader's fill without this fee.
 */
export function protocolFeeDown(
  policy: FeePolicy,
  limits: Limits,
  fill: Fill,
  quoted: QuotedPrice | null,
): bigint {
  const volume = limits.kind === 'sell' ? fill.buy : fill.sell
  if (policy.kind === 'volume') return mulDivDown(volume, policy.factor, factorScale)
  const surplus = surplusDown(referenceLimits(policy, limits, quoted), fill)
  if (surplus <= 0n) return 0n
  return minOf(
    mulDivDown(surplus, policy.factor, factorScale),
    mulDivDown(volume, policy.maxVolumeFactor, factorScale),
  )
}

/** The total share of volume policies, in parts per million. */
export function volumeShare(policies: readonly FeePolicy[]): bigint {
  return policies.reduce((sum, policy) => (policy.kind === 'volume' ? sum + policy.factor : sum), 0n)
}

/** The fill after the fee is taken: a sell order gets less, a buy order pays more. */
export function takeFee(kind: OrderKind, fill: Fill, fee: bigint): Fill {
  return kind === 'sell' ? { ...fill, buy: fill.buy - fee } : { ...fill, sell: fill.sell + fee }
}

/** The limits that define a policy's surplus: the order's own, or the better of order and quote. */
export function referenceLimits(policy: FeePolicy, limits: Limits, quoted: QuotedPrice | null): Limits {
  return policy.kind === 'priceImprovement' && quoted ? quotedLimits(limits, quoted) : limits
}

/** The quote's price at the order's size, after the quote's fee; undefined for a quote without amounts. */
export function quotedAtSize(limits: Limits, quoted: QuotedPrice): Limits | undefined {
  if (quoted.sellAmount === 0n || quoted.buyAmount === 0n) return undefined
  if (limits.kind === 'sell') {
    const afterFee = quoted.buyAmount - mulDivUp(quoted.feeAmount, quoted.buyAmount, quoted.sellAmount)
    return { ...limits, buyAmount: mulDivUp(maxOf(afterFee, 0n), limits.sellAmount, quoted.sellAmount) }
  }
  const sellAmount = mulDivDown(quoted.sellAmount + quoted.feeAmount, limits.buyAmount, quoted.buyAmount)
  return { ...limits, sellAmount }
}

/**
 * The quote's price at the order's size if it is better for the trader than the limit; otherwise the limit.
 */
export function quotedLimits(limits: Limits, quoted: QuotedPrice): Limits {
  const { sellAmount, buyAmount } = quotedAtSize(limits, quoted) ?? limits
  return {
    ...limits,
    sellAmount: minOf(limits.sellAmount, sellAmount),
    buyAmount: maxOf(limits.buyAmount, buyAmount),
  }
}
