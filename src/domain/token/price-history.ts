/** A price in US dollars at a time. A statistic, not an amount: prices are doubles. */
export interface PricePoint {
  /** Milliseconds since 1970. */
  at: number
  price: number
  /** US dollars traded in the 24 hours before, where the source says so. */
  volume: number | null
}

/** Prices of a token in their order, the oldest first. */
export type PriceHistory = readonly PricePoint[]

export const priceIntervals = ['fiveMinutes', 'oneDay'] as const
/** The spacing of a history: five minutes over a day, or a day over a month. */
export type PriceInterval = (typeof priceIntervals)[number]

export const intervalMs: Readonly<Record<PriceInterval, number>> = {
  fiveMinutes: 300_000,
  oneDay: 86_400_000,
}

/** Points of a whole history. */
export const intervalPoints: Readonly<Record<PriceInterval, number>> = { fiveMinutes: 288, oneDay: 30 }

/** What a token costs, and what it cost in the last day. */
export interface PricedToken {
  /** US dollars. */
  spot: number | undefined
  /** Of five minutes. */
  history: PriceHistory | undefined
}

export const slippageBases = ['ratio', 'tokens', 'oneToken'] as const
/**
 * `ratio`: from the prices of one token in the other. `tokens`: the more volatile of both, in dollars. `oneToken`: the only one of which
 * prices are known.
 */
export type SlippageBasis = (typeof slippageBases)[number]

export interface Volatility {
  /** How far the price moves in five minutes, as a share of it: one standard deviation. */
  share: number
  basis: SlippageBasis
}

/** Basis points. */
export const maxSlippageBps = 10_000

/** The price of `base` in `quote`, at the times at which both are known. Times are rounded to five minutes. */
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

/** The standard deviation of the prices, scaled from their mean spacing to five minutes; undefined for less than two points. */
export function deviationOf(history: PriceHistory): number | undefined {
  const [first] = history
  const last = history.at(-1)
  if (!first || !last || last.at <= first.at) return undefined
  const mean = history.reduce((sum, { price }) => sum + price, 0) / history.length
  const variance = history.reduce((sum, { price }) => sum + (price - mean) ** 2, 0) / history.length
  const spacing = (last.at - first.at) / (history.length - 1)
  return Math.sqrt(variance) * Math.sqrt(intervalMs.fiveMinutes / spacing)
}

/** Of the market of two tokens; undefined when nothing is known of either. */
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

/** The deviation of a history as a share of the price now. */
export function shareOf(spot: number | undefined, history: PriceHistory | undefined): number | undefined {
  const deviation = history && deviationOf(history)
  const share = spot && deviation !== undefined ? deviation / spot : undefined
  return share !== undefined && Number.isFinite(share) ? share : undefined
}

/** Basis points, rounded up. */
export function slippageBpsUp({ share }: Volatility): number {
  return Math.min(Math.ceil(10_000 * share), maxSlippageBps)
}
