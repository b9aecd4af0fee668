import type { Token } from '../domain/token.ts'
import type { TokenKey } from '../storage/loaders.ts'
import { builder } from './builder.ts'
import { type Context, deskOf } from './context.ts'
import { networkArgument } from './paging.ts'
import { TokenRef } from './refs.ts'

/** Metadata is read when it is asked for: an order is answered also while the chain is not. */
async function metadata(key: TokenKey, { loaders }: Context): Promise<Partial<Token>> {
  return (await loaders.token.load(key)) ?? {}
}

TokenRef.implement({
  description: 'An ERC-20 token.',
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
  }),
})

builder.queryField('token', (t) =>
  t.field({
    type: TokenRef,
    nullable: true,
    description: 'A token; null when there is none at the address.',
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      address: t.arg({ type: 'Address', required: true, description: 'Its contract.' }),
    },
    resolve: async (_root, { network, address }, context) => {
      const { chainId } = deskOf(context, network).network
      return (await context.loaders.token.load({ chainId, address })) ? { chainId, address } : null
    },
  }),
)
