import type { CallTrade } from './settle-call.ts'

/** A fee policy, as REST and exported auctions write it, in parts per million. */
export interface Policy {
  kind: 'surplus' | 'volume' | 'priceImprovement'
  factor: bigint
  maxVolumeFactor: bigint
}

export interface Quoted {
  sellAmount: bigint
  buyAmount: bigint
  feeAmount: bigint
}

const million = 1_000_000n
const up = (a: bigint, b: bigint) => (a + b - 1n) / b
const min = (a: bigint, b: bigint) => (a < b ? a : b)
const positive = (a: bigint) => (a > 0n ? a : 0n)

/** Returns a trade's fees: the network fee in sell atoms, each policy's in atoms of the non-fixed side. */
export function feesOfTrade(
  trade: CallTrade,
  policies: readonly Policy[],
  quoted: Quoted | undefined,
): { network: bigint; byPolicy: bigint[] } {
  const { uniform, custom, kind } = trade
  const isSell = kind === 'sell'
  const fixed = trade.partiallyFillable ? trade.executedAmount : isSell ? trade.sellAmount : trade.buyAmount
  let sell = isSell ? fixed : (fixed * custom.buy) / custom.sell
  let buy = isSell ? up(fixed * custom.sell, custom.buy) : fixed
  const overUniform = () => positive(sell - up(buy * uniform.buy, uniform.sell))
  const byPolicy: bigint[] = []
  for (const policy of policies.toReversed()) {
    const room = isSell ? positive((sell * uniform.sell) / uniform.buy - buy) : overUniform()
    const fee = min(included(policy, trade, quoted, sell, buy), room)
    byPolicy.unshift(fee)
    if (isSell) buy += fee
    else sell -= fee
  }
  return { network: overUniform(), byPolicy }
}

function included(
  { kind, factor, maxVolumeFactor }: Policy,
  trade: CallTrade,
  quoted: Quoted | undefined,
  sell: bigint,
  buy: bigint,
): bigint {
  const ofVolume = (share: bigint) =>
    trade.kind === 'sell'
      ? (buy * share) / (million > share ? million - share : 1n)
      : (sell * share) / (million + share)
  if (kind === 'volume') return ofVolume(factor)
  const limits = kind === 'priceImprovement' && quoted ? better(trade, quoted) : trade
  const surplus =
    trade.kind === 'sell'
      ? buy - up(sell * limits.buyAmount, limits.sellAmount)
      : (limits.sellAmount * buy) / limits.buyAmount - sell
  if (surplus <= 0n) return 0n
  return min((surplus * factor) / (million > factor ? million - factor : 1n), ofVolume(maxVolumeFactor))
}

/** Returns the better of limit and quote, at the size of the order. */
function better({ kind, sellAmount, buyAmount }: CallTrade, quoted: Quoted) {
  if (quoted.sellAmount === 0n || quoted.buyAmount === 0n) return { sellAmount, buyAmount }
  if (kind === 'sell') {
    const afterFee = positive(quoted.buyAmount - up(quoted.feeAmount * quoted.buyAmount, quoted.sellAmount))
    const scaled = up(afterFee * sellAmount, quoted.sellAmount)
    return { sellAmount, buyAmount: scaled > buyAmount ? scaled : buyAmount }
  }
  const scaled = ((quoted.sellAmount + quoted.feeAmount) * buyAmount) / quoted.buyAmount
  return { buyAmount, sellAmount: min(scaled, sellAmount) }
}
