import { maxOf, minOf, mulDivDown, mulDivUp } from '../amount.ts'
import type { Address } from '../evm/address.ts'
import {
  type FeePolicy,
  type Fill,
  factorScale,
  type Limits,
  type QuotedPrice,
  referenceLimits,
  surplusDown,
  takeFee,
} from '../fee/policy.ts'

/** Clearing prices of an order's two tokens: sold · sell = bought · buy. */
export interface PricePair {
  sell: bigint
  buy: bigint
}

/** The members of an order on which its fees depend. */
interface ChargedOrder extends Limits {
  feePolicies: readonly FeePolicy[]
  quote: QuotedPrice | null
}

/** The token of a trade in whose atoms its fees are counted. */
export type FeeSide = 'sell' | 'buy'

interface ChargedFees {
  side: FeeSide
  /** The trader's total payment beyond the uniform price, in atoms of the token of `side`. */
  total: bigint
  /** The part for the network, in atoms of the token of `side`. */
  network: bigint
  /** The protocol fees in surplus token atoms, in the order of the policies. */
  protocol: bigint[]
}

/**
 * The fees of a fill, compared with the uniform prices. Policies are undone last to first, and the rest is
 * the network fee. It is counted in sell token atoms; a fee of less than one of them was kept from the bought
 * tokens, and is counted in their atoms. Solutions and settlements both use this function, so their fees
 * cannot differ.
 */
export function chargedFees(order: ChargedOrder, fill: Fill, uniform: PricePair): ChargedFees {
  const protocol: bigint[] = []
  let gross = fill
  for (const policy of order.feePolicies.toReversed()) {
    // Undoing a rounded fee may give an atom too much; a fee cannot exceed the distance from the uniform
    // price.
    const fee = minOf(includedFeeDown(policy, order, gross), roomForFee(order, gross, uniform))
    protocol.unshift(fee)
    gross = takeFee(order.kind, gross, -fee)
  }
  const network = feeAgainst(gross, uniform)
  const bought = network === 0n ? keptFromBought(order, gross, uniform) : 0n
  return bought > 0n
    ? { side: 'buy', total: boughtRoom(fill, uniform), network: bought, protocol }
    : { side: 'sell', total: feeAgainst(fill, uniform), network, protocol }
}

/**
 * The bought atoms beyond a fill that its sold atoms pay for, if they are a fee. Undoing a policy may leave
 * an atom. A buy order pays whole sell token atoms: what rounding adds to the price is no fee, so this counts
 * only where the uniform price says exactly what they buy.
 */
function keptFromBought({ kind, feePolicies }: ChargedOrder, fill: Fill, uniform: PricePair): bigint {
  const isExact = kind === 'sell' || (fill.sell * uniform.sell) % uniform.buy === 0n
  const kept = isExact ? boughtRoom(fill, uniform) : 0n
  return kept > BigInt(feePolicies.length) ? kept : 0n
}

/** A settlement decoded from calldata. Uniform prices come first, prices of single trades after them. */
interface DecodedSettlement {
  tokens: readonly Address[]
  clearingPrices: readonly bigint[]
}

interface DecodedTrade {
  sellTokenIndex: number
  buyTokenIndex: number
  /** The amount of the fixed side. The contract reads it for partially fillable orders only. */
  executedAmount: bigint
}

interface SettlementFees {
  /** The token of `executedFee` and `networkFee`, as the settlement names it. */
  feeToken: Address
  /** Network and protocol fees. */
  executedFee: bigint
  /** The part for the network. */
  networkFee: bigint
  /** The protocol fees in the order of the policies. */
  protocolFees: { token: Address; amount: bigint }[]
}

/** The fees of one trade of a settlement; undefined for an invalid index or price. */
export function settlementFees(
  { tokens, clearingPrices }: DecodedSettlement,
  trade: DecodedTrade,
  order: ChargedOrder & { partiallyFillable: boolean },
): SettlementFees | undefined {
  const sellToken = tokens[trade.sellTokenIndex]
  const buyToken = tokens[trade.buyTokenIndex]
  const custom = pricePair(clearingPrices[trade.sellTokenIndex], clearingPrices[trade.buyTokenIndex])
  if (!sellToken || !buyToken || !custom) return undefined
  const uniform = pricePair(
    clearingPrices[tokens.indexOf(sellToken)],
    clearingPrices[tokens.indexOf(buyToken)],
  )
  if (!uniform) return undefined
  const fill = contractFill(order, trade.executedAmount, custom)
  const { side, total, network, protocol } = chargedFees(order, fill, uniform)
  const token = order.kind === 'sell' ? buyToken : sellToken
  return {
    feeToken: side === 'sell' ? sellToken : buyToken,
    executedFee: total,
    networkFee: network,
    protocolFees: protocol.map((amount) => ({ token, amount })),
  }
}

/**
 * The amounts that the settlement contract takes and pays for an order without signed fee, with the
 * contract's rounding.
 */
export function contractFill(
  order: Limits & { partiallyFillable: boolean },
  executedAmount: bigint,
  prices: PricePair,
): Fill {
  if (order.kind === 'sell') {
    const sell = order.partiallyFillable ? executedAmount : order.sellAmount
    return { sell, buy: mulDivUp(sell, prices.sell, prices.buy) }
  }
  const buy = order.partiallyFillable ? executedAmount : order.buyAmount
  return { sell: mulDivDown(buy, prices.buy, prices.sell), buy }
}

function pricePair(sell: bigint | undefined, buy: bigint | undefined): PricePair | undefined {
  return sell && buy ? { sell, buy } : undefined
}

/** The sell atoms beyond the value of the bought atoms at the uniform price. */
function feeAgainst(fill: Fill, uniform: PricePair): bigint {
  return maxOf(fill.sell - mulDivUp(fill.buy, uniform.buy, uniform.sell), 0n)
}

/** The distance of a fill from the uniform price, in the surplus token. */
function roomForFee({ kind }: Limits, fill: Fill, uniform: PricePair): bigint {
  return kind === 'sell' ? boughtRoom(fill, uniform) : feeAgainst(fill, uniform)
}

/** The bought atoms that the sold atoms are worth at the uniform price beyond those of the fill. */
function boughtRoom(fill: Fill, uniform: PricePair): bigint {
  return maxOf(mulDivDown(fill.sell, uniform.sell, uniform.buy) - fill.buy, 0n)
}

/** The fee of one policy that is already included in a fill: the inverse of `protocolFeeDown`. */
function includedFeeDown(policy: FeePolicy, order: ChargedOrder, fill: Fill): bigint {
  if (policy.kind === 'volume') return includedVolumeFeeDown(policy.factor, order, fill)
  const surplus = surplusDown(referenceLimits(policy, order, order.quote), fill)
  if (surplus <= 0n) return 0n
  return minOf(
    beforeShareDown(surplus, policy.factor),
    includedVolumeFeeDown(policy.maxVolumeFactor, order, fill),
  )
}

function includedVolumeFeeDown(factor: bigint, { kind }: Limits, fill: Fill): bigint {
  return kind === 'sell'
    ? beforeShareDown(fill.buy, factor)
    : mulDivDown(fill.sell, factor, factorScale + factor)
}

/** The share that was taken if `rest` remains. A factor of 1 leaves nothing, so it gives no bound. */
function beforeShareDown(rest: bigint, factor: bigint): bigint {
  return mulDivDown(rest, factor, maxOf(factorScale - factor, 1n))
}
