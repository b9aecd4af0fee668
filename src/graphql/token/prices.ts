import { formatRatioDown } from '../../domain/amount.ts'
import { usdPrice } from '../../domain/token/prices.ts'
import { type PricesUpdate, pricesUpdate } from '../../tokens/prices.ts'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { describedRef } from '../described.ts'
import { networkArgument } from '../paging.ts'
import { TokenRef } from '../refs.ts'
import { tokenKeyOf } from './token.ts'
import { checkWatched } from './watched.ts'

/** Tokens that one subscription may name. */
const maxTokens = 32

builder.subscriptionField('tokenPrices', (t) =>
  t.field({
    type: describedRef(pricesUpdate),
    description:
      'Prices of tokens: all at first, then what changes, at most once a block. Never ends by itself.',
    // Each may cause a call of an outside source.
    extensions: { namedPerRead: 1 },
    args: {
      network: networkArgument(t.arg),
      tokens: t.arg({
        type: ['TokenAddress'],
        required: true,
        description: `Contracts, or \`-\` for the chain’s own coin: 1 to ${maxTokens}.`,
      }),
    },
    subscribe(_root, { network, tokens }, context) {
      checkWatched(tokens, maxTokens)
      const { client, clientSignal: signal } = context
      return tradingOn(context, network).watchPrices(tokens, { client, signal })
    },
    resolve: (update: PricesUpdate, { network }, context) => ({
      ...update,
      chainId: tradingOn(context, network).network.chainId,
    }),
  }),
)

builder.objectFields(TokenRef, (t) => ({
  usdPrice: t.field({
    type: describedRef(usdPrice),
    nullable: true,
    description: 'Value of one whole token now; null when no source has a price.',
    extensions: { needsOutsideSource: true },
    resolve: (token, _args, { loaders }) => loaders.usdPrice.load(tokenKeyOf(token)),
  }),
  nativePrice: t.field({
    type: 'Decimal',
    nullable: true,
    description:
      'Native atoms for one atom now: 18 significant digits, rounded down. Null when no route leads to the native coin.',
    resolve: async (token, _args, { loaders }) => {
      const rate = await loaders.nativeRate.load(tokenKeyOf(token))
      return rate && formatRatioDown(rate.nativeAmount, rate.tokenAmount)
    },
  }),
}))
