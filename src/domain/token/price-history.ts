import {
  basisPoints,
  decimalOf,
  derived,
  described,
  from,
  instant,
  objectOf,
  oneOf,
  type ValueOf,
} from '../described.ts'
import { plainDecimal } from './prices.ts'
import { sourceFields } from './sourced.ts'

/** Statistics are doubles, as they are no amounts. */
const double = decimalOf<number>(plainDecimal)

export const pricePoint = described('PricePoint', 'A price at a time.', {
  at: instant('The time of this price.'),
  price: double('A price of one whole token: in US dollars, or in the other token of its market.'),
  volume: double.orNull('US dollars traded in the 24 hours before; null where the source does not say.'),
})
export type PricePoint = ValueOf<typeof pricePoint>

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

export const priceHistory = described('PriceHistory', 'Prices of a token in US dollars, and their source.', {
  points: from(
    'value',
    objectOf(pricePoint).list('The oldest first. There may be gaps.', intervalPoints.fiveMinutes),
  ),
  deviation: derived(
    double.orNull(
      'The move of the price in five minutes, in US dollars: one standard deviation; null for less than two points.',
    ),
    ({ value }: { value: PriceHistory }) => deviationOf(value) ?? null,
  ),
  ...sourceFields,
})

/** The current price of a token, and its prices in the last day. */
export interface PricedToken {
  /** The current price in US dollars. */
  spot: number | undefined
  /** The history in steps of five minutes. */
  history: PriceHistory | undefined
}

/** The prices behind a volatility. */
export const slippageBases = {
  ratio: 'The price of one token in the other, at the times at which both are known.',
  tokens: 'The prices of both in US dollars: that of the more volatile one.',
  oneToken: 'The prices of one token in US dollars: those of the other are not known.',
}

/** The maximum in basis points. */
const maxSlippageBps = 10_000

export const marketSlippage = described(
  'MarketSlippage',
  'The slippage of a market: the move of its price while an order waits.',
  {
    bps: derived(
      basisPoints(
        'One standard deviation of the price within five minutes, in basis points, rounded up, at most 10,000.',
      ),
      slippageBpsUp,
    ),
    volatility: from(
      'share',
      double(
        'One standard deviation of the price within five minutes, as a share of it: the prices of a day, scaled by the square root of the time.',
      ),
    ),
    basis: oneOf<keyof typeof slippageBases>('SlippageBasis')('The prices behind it.'),
  },
)
export type Volatility = ValueOf<typeof marketSlippage>

/** The slippage that a quote took, and the market's own where it is known. */
export const quoteSlippage = described(
  'QuoteSlippage',
  'The slippage that a quote with `slippage: AUTO` took.',
  {
    bps: basisPoints('The market’s slippage, 50 or more: `order` uses it if no other is named.'),
    measuredBps: basisPoints.orNull(
      'The market’s slippage, as `Market.slippage`; null if it is not known, or not in time.',
    ),
  },
)
export type QuoteSlippage = ValueOf<typeof quoteSlippage>

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
function shareOf(spot: number | undefined, history: PriceHistory | undefined): number | undefined {
  const deviation = history && deviationOf(history)
  const share = spot && deviation !== undefined ? deviation / spot : undefined
  return share !== undefined && Number.isFinite(share) ? share : undefined
}

/** The slippage in basis points, rounded up. */
export function slippageBpsUp({ share }: { share: number }): number {
  return Math.min(Math.ceil(10_000 * share), maxSlippageBps)
}
