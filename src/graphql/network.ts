import type { GraphQLResolveInfo } from 'graphql'
import { address, described, objectOf } from '../domain/described.ts'
import { Refusal } from '../domain/errors/error.ts'
import { zeroAddress } from '../domain/evm/address.ts'
import { isTestChain } from '../domain/network/chains.ts'
import { type Network, network } from '../domain/network/network.ts'
import { signingTerms, signingTermsOf } from '../domain/signing/signing.ts'
import { metaOf } from '../storage/models/meta.ts'
import { tokensOfNetwork } from '../storage/models/token.ts'
import { formatNodeId, nodeIdText } from '../storage/query/node-id.ts'
import { builder } from './builder.ts'
import type { Context } from './context/context.ts'
import { tradingOn } from './context/networks.ts'
import { describedRef } from './described.ts'
import { networkArgument } from './paging.ts'
import { MetaRef, NodeRef } from './refs.ts'
import { exposeModel, fieldWith, relationOptions, storedRoot } from './stored/expose.ts'
import { identityOf, resolveRoot } from './stored/resolve.ts'

export const NetworkRef = describedRef<typeof network, Network>(network)
NetworkRef.addInterfaces([NodeRef])

const networkContracts = described(
  'NetworkContracts',
  'The contracts of a network, and the terms of signatures for them. All are fixed while the service runs.',
  {
    settlement: address('The contract that settles orders: it verifies their signatures.'),
    vaultRelayer: address('The contract that takes the sell tokens: owners approve it.'),
    wrappedNative: address('The token that stands for the chain’s coin.'),
    hooksTrampoline: address('The contract that runs the hooks of orders.'),
    ethFlows: address.list('The contracts that place orders that sell the chain’s coin.'),
    composableCow: address.orNull(
      'The contract in which wallets authorise programmatic orders; null where they are not followed.',
    ),
    balanceGuard: address.orNull(
      'The contract that compares the balances of a settlement on chain; null where there is none.',
    ),
    poolFactory: address.orNull('The factory of the pools that are indexed; null without pools.'),
    signing: objectOf(signingTerms)('The terms of signatures.'),
  },
)

builder.objectFields(NetworkRef, (t) => ({
  contracts: t.field({
    type: describedRef(networkContracts),
    description: networkContracts.description,
    resolve: ({ balanceGuard = null, conditionalOrders, poolFactory, ...network }) => ({
      ...network,
      composableCow: conditionalOrders?.composableCow ?? null,
      balanceGuard,
      poolFactory: poolFactory === zeroAddress ? null : poolFactory,
      signing: signingTermsOf(network),
    }),
  }),
  id: t.id({ description: nodeIdText, resolve: ({ chainId }) => formatNodeId('Network', chainId) }),
  isTest: t.boolean({
    description: 'True for a public test network or a local chain: its tokens have no value.',
    resolve: ({ chainId }) => isTestChain(chainId),
  }),
  ready: t.boolean({
    description: 'True if every system that its answers depend on answers now.',
    resolve: async ({ chainId }, _args, { networks }) =>
      (await networks.byChainId(chainId)?.ready()) ?? false,
  }),
}))

/** The longest symbol or name that is stored. */
const maxSearch = 100

/** Units of a search: each part of its page may look at the tokens again. */
const searchUnits = 10

interface SearchArguments {
  search?: string | null
  chainId: number
}

builder.objectField(NetworkRef, 'tokens', (t) =>
  fieldWith(
    t,
    relationOptions(
      tokensOfNetwork,
      {
        args: {
          search: t.arg.string({
            required: false,
            description: `Only tokens with this text in the symbol or the name, in any letter case; at most ${maxSearch} characters.`,
          }),
        },
        rowArguments: ({ search, ...args }: SearchArguments) => ({ ...args, search: searched(search) }),
      },
      (
        { chainId }: { chainId: number },
        { search }: { search?: string | null },
        context: Context,
        info: GraphQLResolveInfo,
      ) => {
        if (searched(search) !== null) context.addUnits?.(searchUnits)
        return resolveRoot(context, info, { chainId })
      },
    ),
  ),
)

/** @throws Refusal InvalidParameter */
function searched(search: string | null | undefined): string | null {
  const text = search?.trim() ?? ''
  if (text.length > maxSearch || text.includes('\0'))
    throw new Refusal(
      'InvalidParameter',
      `search must be at most ${maxSearch} characters, none of them NUL`,
      { field: 'search' },
    )
  return text === '' ? null : text
}

const version = {
  description: 'The build that answers.',
  resolve: (_root: object, _args: object, context: Context) => context.version,
}

builder.queryFields((t) => ({
  networks: t.field({
    type: [NetworkRef],
    description: 'Every network there is here.',
    resolve: (_root, _args, { networks }) => networks.all.map(({ network }) => network),
  }),
  network: t.field({
    type: NetworkRef,
    description: 'One network.',
    args: {
      name: t.arg({
        type: 'NetworkName',
        required: false,
        description:
          'Its name, another name that it is known by, or its chain id. May be left out where there is only one.',
      }),
    },
    resolve: (_root, { name }, context) => tradingOn(context, name).network,
  }),
  commit: t.string({
    nullable: true,
    description: 'The commit that the build is of, as hex; null where the deployment does not say it.',
    resolve: (_root, _args, { commit }) => commit ?? null,
  }),
  version: t.string(version),
}))

/** The network of a chain id in a stored row or a quote. */
export function networkOn(chainId: number, { networks }: Pick<Context, 'networks'>): Network {
  const trading = networks.byChainId(chainId)
  if (!trading) throw new Error(`chain ${chainId} is not served here`)
  return trading.network
}

exposeModel(metaOf.model())

builder.objectFields(MetaRef, (t) => ({
  network: t.field({
    type: NetworkRef,
    description: 'The network.',
    resolve: (parent, _args, context) => networkOn(identityOf<{ chainId: number }>(parent).chainId, context),
  }),
  version: t.string(version),
}))

builder.queryFields((t) => ({
  meta: storedRoot(t, metaOf, {
    args: { network: networkArgument(t.arg) },
    rowArguments: ({ network }: { network?: string }, environment) => ({
      chainId: tradingOn(environment, network).network.chainId,
    }),
  }),
}))
