/** A price in US dollars at a time. It is a statistic, not an amount, so prices are doubles. */
export interface PricePoint {
  /** Milliseconds since 1970. */
  at: number
  price: number
  /** The volume in US dollars of the previous 24 hours, if the source reports it. */
  volume: number | null
}

/** The prices of a token, oldest first. */
export type PriceHistory = readonly PricePoint[]

export const priceIntervals = ['fiveMinutes', 'oneDay'] as const
/** The spacing of a history: five minutes over a day, or a day over a month. */
export type PriceInterval = (typeof priceIntervals)[number]

export const intervalMs: Readonly<Record<PriceInterval, number>> = {
  fiveMinutes: 300_000,
  oneDay: 86_400_000,
}

/** The number of points in a whole history. */
export const intervalPoints: Readonly<Record<PriceInterval, number>> = { fiveMinutes: 288, oneDay: 30 }

/** The current price of a token, and its prices in the last day. */
export interface PricedToken {
  /** The current price in US dollars. */
  spot: number | undefined
  /** The history in steps of five minutes. */
  history: PriceHistory | undefined
}

export const slippageBases = ['ratio', 'tokens', 'oneToken'] as const
/**
 * The basis of a volatility.
 * - `ratio`: the prices of one token in the other.
 * - `tokens`: the more volatile of the two tokens, in dollars.
 * - `oneToken`: the only token with known prices.
 */
export type SlippageBasis = (typeof slippageBases)[number]

export interface Volatility {
  /** One standard deviation of the price over five minutes, as a share of the price. */
  share: number
  basis: SlippageBasis
}

/** The maximum in basis points. */
export const maxSlippageBps = 10_000

/**
 * The price of `base` in `quote`, at the times at which both are known. Times are rounded to five minutes.
 */
export function ratioOf(base: PriceHistory, quote: PriceHistory, interval: PriceInterval): PriceHistory {
  const step = intervalMs[interval]
  const rounded = ({ at }: PricePoint) => Math.round(at / step) * step
  const quotePrices = new Map(quote.map((point) => [rounded(point), point.price]))
  const ratios = new Map<number, number>()
  for (const point of base) {
    const quotePrice = quotePrices.get(rounded(point))
    if (quotePrice !== undefined) ratios.set(rounded(point), point.price / quotePrice)
  }
  return [...ratios].map(([at, price]) => ({ at, price, volume: null }))
}

/**
 * The standard deviation of the prices, scaled from their mean spacing to five minutes; undefined for fewer
 * than two points.
 */
export function deviationOf(history: PriceHistory): number | undefined {
  const [first] = history
  const last = history.at(-1)
  if (!first || !last || last.at <= first.at) return undefined
  const mean = history.reduce((sum, { price }) => sum + price, 0) / history.length
  const variance = history.reduce((sum, { price }) => sum + (price - mean) ** 2, 0) / history.length
  const spacing = (last.at - first.at) / (history.length - 1)
  return Math.sqrt(variance) * Math.sqrt(intervalMs.fiveMinutes / spacing)
}

/** The volatility of the market of two tokens; undefined if both are unknown. */
export function volatilityOf(base: PricedToken, quote: PricedToken): Volatility | undefined {
  const ofRatio =
    base.history &&
    quote.history &&
    base.spot &&
    quote.spot &&
    shareOf(base.spot / quote.spot, ratioOf(base.history, quote.history, 'fiveMinutes'))
  if (ofRatio !== undefined) return { share: ofRatio, basis: 'ratio' }
  const known = [base, quote].flatMap(({ spot, history }) => shareOf(spot, history) ?? [])
  if (known.length === 0) return undefined
  return { share: Math.max(...known), basis: known.length === 2 ? 'tokens' : 'oneToken' }
}

/** The deviation of a history as a share of the current price. */
export function shareOf(spot: number | undefined, history: PriceHistory | undefined): number | undefined {
  const deviation = history && deviationOf(history)
  const share = spot && deviation !== undefined ? deviation / spot : undefined
  return share !== undefined && Number.isFinite(share) ? share : undefined
}

/** The slippage in basis points, rounded up. */
export function slippageBpsUp({ share }: Volatility): number {
  return Math.min(Math.ceil(10_000 * share), maxSlippageBps)
}
