// The protocol's score of an order, without the program's code.

export interface Terms {
  kind: 'sell' | 'buy'
  sellAmount: bigint
  buyAmount: bigint
  /** The quote against which a fee on price improvement is measured. */
  quote?: { sellAmount: bigint; buyAmount: bigint; feeAmount: bigint }
}

export interface Policy {
  kind: 'surplus' | 'volume' | 'priceImprovement'
  /** The factor in parts per million. */
  factor: bigint
  maxVolumeFactor: bigint
}

/** Executed amounts: sold with all fees, bought after all fees. */
interface Fill {
  sell: bigint
  buy: bigint
}

const whole = 1_000_000n
const scale = 10n ** 18n
const ceil = (value: bigint, over: bigint) => (value + over - 1n) / over
const min = (a: bigint, b: bigint) => (a < b ? a : b)
const max = (a: bigint, b: bigint) => (a > b ? a : b)

function surplusOf({ kind, sellAmount, buyAmount }: Terms, { sell, buy }: Fill): bigint {
  return kind === 'sell' ? buy - ceil(sell * buyAmount, sellAmount) : (sellAmount * buy) / buyAmount - sell
}

function volumeFee(factor: bigint, { kind }: Terms, { sell, buy }: Fill): bigint {
  return kind === 'sell' ? (buy * factor) / (whole - factor) : (sell * factor) / (whole + factor)
}

/** Returns the order's limit, or its quote if that is better for the trader. */
function improved(terms: Terms): Terms {
  const { kind, sellAmount, buyAmount, quote } = terms
  if (!quote || quote.sellAmount === 0n || quote.buyAmount === 0n) return terms
  if (kind === 'sell') {
    const net = quote.buyAmount - ceil(quote.feeAmount * quote.buyAmount, quote.sellAmount)
    return { ...terms, buyAmount: max(buyAmount, ceil(max(net, 0n) * sellAmount, quote.sellAmount)) }
  }
  const gross = quote.sellAmount + quote.feeAmount
  return { ...terms, sellAmount: min(sellAmount, (gross * buyAmount) / quote.buyAmount) }
}

function feeOf({ kind, factor, maxVolumeFactor }: Policy, terms: Terms, fill: Fill): bigint {
  if (kind === 'volume') return volumeFee(factor, terms, fill)
  const surplus = surplusOf(kind === 'priceImprovement' ? improved(terms) : terms, fill)
  if (surplus <= 0n) return 0n
  return min((surplus * factor) / (whole - factor), volumeFee(maxVolumeFactor, terms, fill))
}

/** Undoes policies last to first. @returns fees in the surplus token */
function protocolFees(policies: readonly Policy[], terms: Terms, fill: Fill): bigint {
  let gross = fill
  let sum = 0n
  for (const policy of policies.toReversed()) {
    const fee = feeOf(policy, terms, gross)
    gross = terms.kind === 'sell' ? { ...gross, buy: gross.buy + fee } : { ...gross, sell: gross.sell - fee }
    sum += fee
  }
  return sum
}

/**
 * Computes the score in native atoms.
 * @param price native atoms for 10^18 atoms of the buy token
 * @returns undefined for a broken limit; otherwise with the possible rounding difference of the fees
 */
export function orderScore(
  terms: Terms,
  policies: readonly Policy[],
  fill: Fill,
  price: bigint,
): { score: bigint; slack: bigint } | undefined {
  const { kind, sellAmount, buyAmount } = terms
  const surplus = surplusOf(terms, fill)
  if (surplus < 0n) return undefined
  const total = surplus + protocolFees(policies, terms, fill)
  const atoms = BigInt(2 * policies.length)
  const bought = (amount: bigint) => (kind === 'sell' ? amount : (amount * buyAmount) / sellAmount)
  return {
    score: (bought(total) * price) / scale,
    slack: 1n + ((bought(atoms) + (kind === 'sell' ? 0n : 1n)) * price) / scale,
  }
}
