import type { Address } from '../../domain/evm/address.ts'
import {
  type PricedToken,
  priceIntervals,
  type QuoteSlippage,
  slippageBases,
  slippageBpsUp,
  type Volatility,
  volatilityOf,
} from '../../domain/token/price-history.ts'
import type { MarketKey } from '../../domain/token/prices.ts'
import type { Context } from '../context/context.ts'
import { defineEnum } from '../enums.ts'

/** Basis points that an order gets where nothing is known of its market, and at least. */
export const usualSlippageBps = 50

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

export const PriceInterval = defineEnum(
  'PriceInterval',
  'The spacing of a series of prices.',
  priceIntervals,
  {
    fiveMinutes: 'Five minutes, over a day.',
    oneDay: 'A day, over thirty days.',
  },
)

defineEnum(
  'SlippageBasis',
  'The prices behind a volatility.',
  Object.keys(slippageBases) as (keyof typeof slippageBases)[],
  slippageBases,
)

export const SlippageMode = defineEnum(
  'SlippageMode',
  'The way in which a quote finds the slippage.',
  ['auto'],
  {
    auto: 'Derived from the volatility of the market.',
  },
)
