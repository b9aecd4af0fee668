import type { Sourced } from '../../domain/token/sourced.ts'
import type { PricesUpdate } from '../../tokens/prices.ts'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { ValueState } from '../enums.ts'
import { networkArgument } from '../paging.ts'
import { PricesUpdateRef, TokenPricesRef, TokenRef, UsdPriceRef } from '../refs.ts'
import { sourceFields } from './source-fields.ts'
import { tokenOfAddress } from './token.ts'
import { checkWatched, knownValue, stateOf, updateFields } from './watched.ts'

/** Tokens that one subscription may name. */
const maxTokens = 32

TokenPricesRef.implement({
  description: 'The prices of a token.',
  fields: (t) => ({
    token: t.field({
      type: TokenRef,
      description: 'The token as it was named, whether or not there is a contract.',
      resolve: ({ chainId, subject }, _args, context, info) =>
        tokenOfAddress(chainId, subject, context, info),
    }),
    usdPrice: t.field({
      type: UsdPriceRef,
      nullable: true,
      description: 'Value of one whole token; null unless it is known.',
      resolve: ({ value }) => knownValue(value.usd),
    }),
    usdPriceState: t.field({
      type: ValueState,
      description: 'The state of the value in dollars.',
      resolve: ({ value }) => stateOf(value.usd),
    }),
    nativePrice: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'Native atoms for one atom: 18 significant digits, rounded down; null unless it is known.',
      resolve: ({ value }) => knownValue(value.native)?.price ?? null,
    }),
    nativePriceState: t.field({
      type: ValueState,
      description: 'The state of the value in native coin.',
      resolve: ({ value }) => stateOf(value.native),
    }),
  }),
})

PricesUpdateRef.implement({
  description: 'Prices of tokens at one block.',
  fields: (t) => ({
    block: t.field(updateFields.block),
    isComplete: t.field(updateFields.isComplete),
    isAvailable: t.field(updateFields.isAvailable),
    prices: t.field({
      type: [TokenPricesRef],
      description: 'The changed prices, or all.',
      resolve: ({ changes, chainId }, _args, { countItems }) =>
        countItems(changes.map((change) => ({ ...change, chainId }))),
    }),
  }),
})

builder.subscriptionField('tokenPrices', (t) =>
  t.field({
    type: PricesUpdateRef,
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

const { source, asOf, age, maxAge, isStale } = sourceFields((price: Sourced<string>) => price)

UsdPriceRef.implement({
  description: 'The value of a token in US dollars, and its source.',
  fields: (t) => ({
    price: t.expose('value', {
      type: 'Decimal',
      description: 'US dollars for one whole token: up to 18 significant digits, more than nothing.',
    }),
    source: t.field(source),
    asOf: t.field(asOf),
    age: t.field(age),
    maxAge: t.field(maxAge),
    isStale: t.field(isStale),
  }),
})
