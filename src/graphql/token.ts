import { formatRatioDown } from '../domain/amount.ts'
import { Refusal } from '../domain/error.ts'
import type { Token } from '../domain/token.ts'
import type { TokenKey } from '../storage/loaders.ts'
import { builder } from './builder.ts'
import { type Context, deskOf } from './context.ts'
import { networkArgument } from './paging.ts'
import { NodeRef, TokenRef, UsdPriceRef } from './refs.ts'

/** Read when it is asked for: an order is answered also while the chain is not. @throws Outage, which is that one field's */
async function metadata(key: TokenKey, { loaders }: Context): Promise<Partial<Token>> {
  return (await loaders.token.load(key)) ?? {}
}

TokenRef.implement({
  description: 'An ERC-20 token.',
  interfaces: [NodeRef],
  fields: (t) => ({
    address: t.expose('address', { type: 'Address', description: 'Its contract.' }),
    symbol: t.string({
      nullable: true,
      description: 'Such as WETH; null when the contract does not say.',
      resolve: async (token, _args, context) => (await metadata(token, context)).symbol,
    }),
    name: t.string({
      nullable: true,
      description: 'Its long name; null when the contract does not say.',
      resolve: async (token, _args, context) => (await metadata(token, context)).name,
    }),
    decimals: t.field({
      type: 'Uint32',
      nullable: true,
      description: 'Digits behind the point of one token; null when the contract does not say.',
      resolve: async (token, _args, context) => (await metadata(token, context)).decimals,
    }),
    usdPrice: t.field({
      type: UsdPriceRef,
      nullable: true,
      description: 'What one whole token is worth now; null when no source knows of a price.',
      extensions: { askedOutside: true },
      resolve: (token, _args, { loaders }) => loaders.usdPrice.load(token),
    }),
    nativePrice: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'Native atoms for one atom now: 18 significant digits, rounded down. Null when no route leads to the native coin.',
      resolve: async (token, _args, { loaders }) => {
        const rate = await loaders.nativeRate.load(token)
        return rate && formatRatioDown(rate.nativeAmount, rate.tokenAmount)
      },
    }),
    lastAuctionPrice: t.field({
      type: 'Uint256',
      nullable: true,
      description: 'Native atoms for 10^18 atoms in the newest auction that had a price for it.',
      resolve: async (token, _args, { loaders }) =>
        (await loaders.tokenHistory.load(token))?.lastAuctionPrice,
    }),
    firstTradeBlock: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'The block of its first trade; null before that.',
      resolve: async (token, _args, { loaders }) => (await loaders.tokenHistory.load(token))?.firstTradeBlock,
    }),
  }),
})

builder.queryField('token', (t) =>
  t.field({
    type: TokenRef,
    nullable: true,
    description: 'A token; null when there is none at the address.',
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      address: t.arg({
        type: 'TokenAddress',
        required: true,
        description: 'Its contract, or `-` for the chain’s own coin.',
      }),
    },
    resolve: async (_root, { network, address }, context) => {
      const { chainId } = deskOf(context, network).network
      return (await context.loaders.token.load({ chainId, address })) ? { chainId, address } : null
    },
  }),
)

/** Tokens that one request may name. */
const mostNamed = 128
/** So many are one read; where others are asked about them, each is one. */
const namedPerRead = 8

builder.queryField('tokens', (t) =>
  t.field({
    type: [TokenRef],
    description: `Tokens by address, at most ${mostNamed}, as they were named, whether or not there is a contract.`,
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      addresses: t.arg({ type: ['Address'], required: true, description: 'Their contracts.' }),
    },
    extensions: { items: mostNamed, namedPerRead },
    resolve: (_root, { network, addresses }, context) => {
      const { chainId } = deskOf(context, network).network
      if (addresses.length > mostNamed) {
        throw new Refusal('InvalidParameter', `addresses must name at most ${mostNamed} tokens`, {
          field: 'addresses',
        })
      }
      return context.spend(addresses).map((address) => ({ chainId, address }))
    },
  }),
)
