import { formatRatioDown, parseUnits } from '../../domain/amount.ts'
import type { Address } from '../../domain/evm/address.ts'
import {
  type PricedToken,
  priceIntervals,
  slippageBases,
  slippageBpsUp,
  type Volatility,
  volatilityOf,
} from '../../domain/token/price-history.ts'
import type { Sourced } from '../../domain/token/sourced.ts'
import type { Context } from '../context/context.ts'
import { defineEnum } from '../enums.ts'

/** Two tokens on a chain. */
export interface MarketKey {
  chainId: number
  base: Address
  quote: Address
}

/** Basis points that an order gets where nothing is known of its market, and at least. */
export const usualSlippageBps = 50

/** The slippage that a quote took, and the market's own where it is known. */
export interface QuoteSlippage {
  bps: number
  measuredBps: number | null
}

type Reads = Pick<Context, 'loaders'>

async function readPriced(chainId: number, address: Address, { loaders }: Reads): Promise<PricedToken> {
  const [spot, history] = await Promise.all([
    loaders.usdPrice.load({ chainId, address }),
    loaders.history.fiveMinutes.load({ chainId, address }),
  ])
  return { spot: spot && Number(spot.value), history: history?.value }
}

/** @throws Outage when a source that may know more does not answer */
export async function readVolatility(
  { chainId, base, quote }: MarketKey,
  context: Reads,
): Promise<Volatility | undefined> {
  const [basePriced, quotePriced] = await Promise.all([
    readPriced(chainId, base, context),
    readPriced(chainId, quote, context),
  ])
  return volatilityOf(basePriced, quotePriced)
}

/** The slippage for an order of these tokens. An unreadable market counts as unknown: quotes do not wait. */
export async function readSlippage(market: MarketKey, context: Reads): Promise<QuoteSlippage> {
  const volatility = await readVolatility(market, context).catch(() => undefined)
  const measuredBps = volatility ? slippageBpsUp(volatility) : null
  return { bps: Math.max(measuredBps ?? 0, usualSlippageBps), measuredBps }
}

/** Whole quote tokens for one whole base token, rounded down. */
export function spotPriceDown(base: Sourced<string>, quote: Sourced<string>): string {
  // Prices have 18 digits in at most 80 decimal places.
  return formatRatioDown(parseUnits(base.value, 98), parseUnits(quote.value, 98))
}

export const PriceInterval = defineEnum(
  'PriceInterval',
  'The spacing of a series of prices.',
  priceIntervals,
  {
    fiveMinutes: 'Five minutes, over a day.',
    oneDay: 'A day, over thirty days.',
  },
)

export const SlippageBasis = defineEnum('SlippageBasis', 'The prices behind a volatility.', slippageBases, {
  ratio: 'The price of one token in the other, at the times at which both are known.',
  tokens: 'The prices of both in US dollars: that of the more volatile one.',
  oneToken: 'The prices of one token in US dollars: those of the other are not known.',
})

export const SlippageMode = defineEnum(
  'SlippageMode',
  'The way in which a quote finds the slippage.',
  ['auto'],
  {
    auto: 'Derived from the volatility of the market.',
  },
)
