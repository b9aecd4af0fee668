import { Refusal } from '../../domain/errors/error.ts'
import { depthLevels, marketDepth } from '../../domain/routing/depth.ts'
import { marketSlippage, priceHistory, pricePoint, ratioOf } from '../../domain/token/price-history.ts'
import { type MarketKey, market, marketSpot } from '../../domain/token/prices.ts'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { describedRef } from '../described.ts'
import { NetworkRef, networkOn } from '../network.ts'
import { type Arguments, networkArgument } from '../paging.ts'
import { TokenRef } from '../refs.ts'
import { PriceInterval, readVolatility } from './market-data.ts'
import { tokenKeyOf } from './token.ts'

builder.objectField(TokenRef, 'priceHistory', (t) =>
  t.field({
    type: describedRef(priceHistory),
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

/** Weight in objects: some fifty searches for routes take as long as two small reads. */
const depthWeight = 256

const MarketRef = describedRef<typeof market, MarketKey>(market)

builder.objectFields(MarketRef, (t) => ({
  network: t.field({
    type: NetworkRef,
    description: 'The network of the market.',
    resolve: ({ chainId }, _args, context) => networkOn(chainId, context),
  }),
  spot: t.field({
    type: describedRef(marketSpot),
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
    type: describedRef(marketSlippage),
    nullable: true,
    description: 'The move of the price while an order waits; null if too few prices are known.',
    resolve: async (market, _args, context) => (await readVolatility(market, context)) ?? null,
  }),
  depth: t.field({
    type: describedRef(marketDepth),
    nullable: true,
    description: 'The amounts that pools take of the base token; null if no route leads to the quote token.',
    extensions: { weight: depthWeight },
    resolve: async ({ chainId, base, quote }, _args, { networks, proceed }) => {
      proceed()
      return (await networks.byChainId(chainId)?.depth(base, quote, depthLevels)) ?? null
    },
  }),
  prices: t.field({
    type: [describedRef(pricePoint)],
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
}))

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
