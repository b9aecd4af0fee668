import type {
  BuyTokenDestination,
  OrderData,
  SellTokenSource,
  SigningScheme,
} from '../../domain/order/order.ts'

/** The terms that the settlement contract packs into the flags word of a trade. */
export type FlaggedTerms = Pick<
  OrderData,
  'kind' | 'partiallyFillable' | 'sellTokenBalance' | 'buyTokenBalance'
> & { signingScheme: SigningScheme }

// Indexed by the value of the bits. The contract reads both 0 and 1 as `erc20`; `toFlags` writes 0, as other
// clients do.
const sources: readonly SellTokenSource[] = ['erc20', 'erc20', 'external', 'internal']
const destinations: readonly BuyTokenDestination[] = ['erc20', 'internal']
const schemes: readonly SigningScheme[] = ['eip712', 'ethsign', 'eip1271', 'presign']

/** Packs the terms: bit 0 buy, 1 partially fillable, 2–3 sell balance, 4 buy balance, 5–6 signing scheme. */
export function toFlags(terms: FlaggedTerms): bigint {
  return BigInt(
    (terms.kind === 'buy' ? 1 : 0) |
      (terms.partiallyFillable ? 1 << 1 : 0) |
      (sources.indexOf(terms.sellTokenBalance) << 2) |
      (destinations.indexOf(terms.buyTokenBalance) << 4) |
      (schemes.indexOf(terms.signingScheme) << 5),
  )
}

/** Parses the flags; undefined if a bit is set that the contract refuses. */
export function parseFlags(flags: bigint): FlaggedTerms | undefined {
  if (flags >> 7n) return undefined
  const bits = Number(flags)
  const sellTokenBalance = sources[(bits >> 2) & 3]
  const buyTokenBalance = destinations[(bits >> 4) & 1]
  const signingScheme = schemes[(bits >> 5) & 3]
  if (!sellTokenBalance || !buyTokenBalance || !signingScheme) return undefined
  return {
    kind: bits & 1 ? 'buy' : 'sell',
    partiallyFillable: Boolean(bits & 2),
    sellTokenBalance,
    buyTokenBalance,
    signingScheme,
  }
}
