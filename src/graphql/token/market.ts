import { Refusal } from '../../domain/errors/error.ts'
import {
  deviationOf,
  intervalPoints,
  type PriceHistory,
  ratioOf,
  slippageBpsUp,
} from '../../domain/token/price-history.ts'
import { plainDecimal } from '../../domain/token/prices.ts'
import type { Sourced } from '../../domain/token/sourced.ts'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { networkOn } from '../network.ts'
import { type Arguments, networkArgument } from '../paging.ts'
import {
  DepthLevelRef,
  MarketDepthRef,
  MarketRef,
  MarketSlippageRef,
  MarketSpotRef,
  NetworkRef,
  PriceHistoryRef,
  PricePointRef,
  TokenRef,
  UsdPriceRef,
} from '../refs.ts'
import { PriceInterval, readVolatility, SlippageBasis, spotPriceDown } from './market-data.ts'
import { sourceFields } from './source-fields.ts'
import { tokenKeyOf, tokenOfAddress } from './token.ts'

const { source, asOf, age, maxAge, isStale } = sourceFields((history: Sourced<PriceHistory>) => history)

PricePointRef.implement({
  description: 'A price at a time.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ at }) => new Date(at) }),
    price: t.field({
      type: 'Decimal',
      description: 'A price of one whole token: in US dollars, or in the other token of its market.',
      resolve: ({ price }) => plainDecimal(price),
    }),
    volume: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'US dollars traded in the 24 hours before; null where the source does not say.',
      resolve: ({ volume }) => (volume === null ? null : plainDecimal(volume)),
    }),
  }),
})

PriceHistoryRef.implement({
  description: 'Prices of a token in US dollars, and their source.',
  fields: (t) => ({
    points: t.field({
      type: [PricePointRef],
      description: 'The oldest first. There may be gaps.',
      extensions: { items: intervalPoints.fiveMinutes },
      resolve: ({ value }, _args, { countItems }) => countItems(value),
    }),
    deviation: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'The move of the price in five minutes, in US dollars: one standard deviation; null for less than two points.',
      resolve: ({ value }) => {
        const deviation = deviationOf(value)
        return deviation === undefined ? null : plainDecimal(deviation)
      },
    }),
    source: t.field(source),
    asOf: t.field(asOf),
    age: t.field(age),
    maxAge: t.field(maxAge),
    isStale: t.field(isStale),
  }),
})

builder.objectField(TokenRef, 'priceHistory', (t) =>
  t.field({
    type: PriceHistoryRef,
    nullable: true,
    description:
      'Prices of one whole token in US dollars; null if no source has any. Without an outside source they are those that auctions and the own market recorded.',
    extensions: { needsOutsideSource: true },
    args: { interval: intervalArgument(t.arg) },
    resolve: (token, { interval }, { loaders }) => loaders.history[interval].load(tokenKeyOf(token)),
  }),
)

function intervalArgument(arg: Arguments) {
  return arg({
    type: PriceInterval,
    required: true,
    defaultValue: 'fiveMinutes',
    description: 'The spacing of prices.',
  })
}

/** Levels of a depth, in basis points. */
const depthLevels = [10, 50, 200]
/** Weight in objects: some fifty searches for routes take as long as two small reads. */
const depthWeight = 256

MarketSpotRef.implement({
  description: 'The price of a market’s base token now.',
  fields: (t) => ({
    price: t.field({
      type: 'Decimal',
      description: 'Whole quote tokens for one whole base token: 18 significant digits, rounded down.',
      resolve: ({ base, quote }) => spotPriceDown(base, quote),
    }),
    base: t.field({
      type: UsdPriceRef,
      description: 'The value of the base token.',
      resolve: ({ base }) => base,
    }),
    quote: t.field({
      type: UsdPriceRef,
      description: 'The value of the quote token.',
      resolve: ({ quote }) => quote,
    }),
  }),
})

MarketSlippageRef.implement({
  description: 'The slippage of a market: the move of its price while an order waits.',
  fields: (t) => ({
    bps: t.field({
      type: 'BasisPoints',
      description: 'The volatility in basis points, rounded up, at most 10,000.',
      resolve: (volatility) => slippageBpsUp(volatility),
    }),
    volatility: t.field({
      type: 'Decimal',
      description:
        'One standard deviation of the price within five minutes, as a share of it: the prices of a day, scaled by the square root of the time.',
      resolve: ({ share }) => plainDecimal(share),
    }),
    basis: t.expose('basis', { type: SlippageBasis, description: 'The prices behind it.' }),
  }),
})

DepthLevelRef.implement({
  description: 'The amount that sells within some basis points of the price.',
  fields: (t) => ({
    bps: t.expose('bps', { type: 'BasisPoints', description: 'The distance below the first atom’s price.' }),
    sellAmount: t.expose('sellAmount', {
      type: 'Uint256',
      description: 'The most base atoms for which the price is not lower, to a thousandth.',
    }),
    buyAmount: t.expose('buyAmount', {
      type: 'Uint256',
      description: 'Quote atoms for them, after the pools’ fees and before gas.',
    }),
  }),
})

MarketDepthRef.implement({
  description: 'The amounts that pools take of a token.',
  fields: (t) => ({
    block: t.expose('block', { type: 'SafeInt', description: 'The block of the pools.' }),
    levels: t.field({
      type: [DepthLevelRef],
      description: 'Within 10, 50 and 200 basis points.',
      extensions: { items: depthLevels.length },
      resolve: ({ levels }) => levels,
    }),
  }),
})

MarketRef.implement({
  description:
    'Two tokens, and the price of the first in the second. What is not known is null; an error means that it cannot be read now.',
  fields: (t) => ({
    network: t.field({
      type: NetworkRef,
      description: 'The network of the market.',
      resolve: ({ chainId }, _args, context) => networkOn(chainId, context),
    }),
    base: t.field({
      type: TokenRef,
      description: 'The token that is priced, as it was named.',
      resolve: ({ chainId, base }, _args, context, info) => tokenOfAddress(chainId, base, context, info),
    }),
    quote: t.field({
      type: TokenRef,
      description: 'The token that it is priced in, as it was named.',
      resolve: ({ chainId, quote }, _args, context, info) => tokenOfAddress(chainId, quote, context, info),
    }),
    spot: t.field({
      type: MarketSpotRef,
      nullable: true,
      description: 'The price now; null when no source has a price of one of the tokens.',
      resolve: async ({ chainId, base: address, quote: other }, _args, { loaders }) => {
        const [base, quote] = await Promise.all([
          loaders.usdPrice.load({ chainId, address }),
          loaders.usdPrice.load({ chainId, address: other }),
        ])
        return base && quote ? { base, quote } : null
      },
    }),
    slippage: t.field({
      type: MarketSlippageRef,
      nullable: true,
      description: 'The move of the price while an order waits; null if too few prices are known.',
      resolve: async (market, _args, context) => (await readVolatility(market, context)) ?? null,
    }),
    depth: t.field({
      type: MarketDepthRef,
      nullable: true,
      description:
        'The amounts that pools take of the base token; null if no route leads to the quote token.',
      extensions: { weight: depthWeight },
      resolve: async ({ chainId, base, quote }, _args, { networks, proceed }) => {
        proceed()
        return (await networks.byChainId(chainId)?.depth(base, quote, depthLevels)) ?? null
      },
    }),
    prices: t.field({
      type: [PricePointRef],
      nullable: true,
      description:
        'Prices of one whole base token in quote tokens, the oldest first, at the times at which both have a price; null if one has none.',
      extensions: { items: 288 },
      args: { interval: intervalArgument(t.arg) },
      resolve: async ({ chainId, base, quote }, { interval }, { loaders, countItems }) => {
        const [history, other] = await Promise.all(
          [base, quote].map((address) => loaders.history[interval].load({ chainId, address })),
        )
        return history && other ? countItems(ratioOf(history.value, other.value, interval)) : null
      },
    }),
  }),
})

builder.queryField('market', (t) =>
  t.field({
    type: MarketRef,
    description: 'The market of two tokens: price, volatility and depth.',
    // Prices and histories of two tokens.
    extensions: { units: 2 },
    args: {
      network: networkArgument(t.arg),
      base: t.arg({ type: 'TokenAddress', required: true, description: 'The token that is priced.' }),
      quote: t.arg({ type: 'TokenAddress', required: true, description: 'The token that it is priced in.' }),
    },
    resolve: (_root, { network, base, quote }, context) => {
      const { chainId } = tradingOn(context, network).network
      if (base === quote)
        throw new Refusal('InvalidParameter', 'quote must be another token than base', { field: 'quote' })
      return { chainId, base, quote }
    },
  }),
)
