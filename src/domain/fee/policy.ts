import { maxOf, minOf, mulDivDown, mulDivUp } from '../amount.ts'
import { type Address, toAddress } from '../evm/address.ts'
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

/**
 * The quote's price at the order's size, after the quote's fee, rounded in favour of the trader: what is
 * better than it is rounded down, and so is a fee on that. Undefined for a quote without amounts.
 */
export function quotedAtSize(limits: Limits, quoted: QuotedPrice): Limits | undefined {
  if (quoted.sellAmount === 0n || quoted.buyAmount === 0n) return undefined
  if (limits.kind === 'sell') {
    const afterFee = quoted.buyAmount - mulDivDown(quoted.feeAmount, quoted.buyAmount, quoted.sellAmount)
    return { ...limits, buyAmount: mulDivUp(maxOf(afterFee, 0n), limits.sellAmount, quoted.sellAmount) }
  }
  const sellAmount = mulDivDown(quoted.sellAmount + quoted.feeAmount, limits.buyAmount, quoted.buyAmount)
  return { ...limits, sellAmount }
}

/**
 * The quote's price at the order's size if it is better for the trader than the limit; otherwise the limit.
 */
function quotedLimits(limits: Limits, quoted: QuotedPrice): Limits {
  const { sellAmount, buyAmount } = quotedAtSize(limits, quoted) ?? limits
  return {
    ...limits,
    sellAmount: minOf(limits.sellAmount, sellAmount),
    buyAmount: maxOf(limits.buyAmount, buyAmount),
  }
}

/** A fee in basis points that an order's application requests in appData. */
export type PartnerFee = { recipient: Address } & (
  | { kind: 'volume'; volumeBps: number }
  | { kind: 'surplus' | 'priceImprovement'; bps: number; maxVolumeBps: number }
)

/** The limit of all partner fees together, as a share of the volume in parts per million. */
const partnerFeeCap = 10_000n

const ppm = (bps: number): bigint => (BigInt(bps) * factorScale) / 10_000n

/** Parses one fee or a list; `undefined` for an unknown form. */
export function parsePartnerFees(value: unknown): PartnerFee[] | undefined {
  const fees = (Array.isArray(value) ? value : [value]).map(parsePartnerFee)
  return fees.every((fee) => fee !== undefined) ? fees : undefined
}

/**
 * The policies of partner fees, in the same order, each limited to the rest of the cap. Fees on surplus or
 * price improvement count with their maximum volume.
 */
export function partnerPolicies(fees: readonly PartnerFee[], cap = partnerFeeCap): FeePolicy[] {
  let taken = 0n
  return fees.map((fee) => {
    const requested = ppm(fee.kind === 'volume' ? fee.volumeBps : fee.maxVolumeBps)
    const remaining = ((factorScale + cap) * factorScale) / (factorScale + taken) - factorScale
    const volume = requested < remaining ? requested : remaining
    taken += requested < cap - taken ? requested : cap - taken
    const { recipient } = fee
    if (fee.kind === 'volume') return { kind: 'volume', factor: volume, recipient }
    return { kind: fee.kind, recipient, factor: ppm(Math.min(fee.bps, 9_999)), maxVolumeFactor: volume }
  })
}

/** The volume fees among the partner fees, in parts per million. */
export function partnerVolumeFees(fees: readonly PartnerFee[]): bigint[] {
  return partnerPolicies(fees).flatMap((policy) =>
    policy.kind === 'volume' && policy.factor > 0n ? [policy.factor] : [],
  )
}

function parsePartnerFee(value: unknown): PartnerFee | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const fee = value as Record<string, unknown>
  const recipient = typeof fee.recipient === 'string' ? toAddress(fee.recipient) : undefined
  const forms = ['bps', 'volumeBps', 'surplusBps', 'priceImprovementBps'].filter(
    (name) => fee[name] !== undefined,
  )
  const [form, second] = forms
  const bps = form && asBps(fee[form])
  if (!recipient || second || typeof bps !== 'number') return undefined
  if (form === 'bps' || form === 'volumeBps') return { recipient, kind: 'volume', volumeBps: bps }
  const maxVolumeBps = asBps(fee.maxVolumeBps)
  const kind = form === 'surplusBps' ? 'surplus' : 'priceImprovement'
  return maxVolumeBps === undefined ? undefined : { recipient, kind, bps, maxVolumeBps }
}

function asBps(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 1_000_000
    ? value
    : undefined
}
