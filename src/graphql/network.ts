import type { Network } from '../domain/network/network.ts'
import { metaOf } from '../storage/models/meta.ts'
import { formatNodeId, nodeIdText } from '../storage/query/node-id.ts'
import { builder } from './builder.ts'
import type { Context } from './context/context.ts'
import { tradingOn } from './context/networks.ts'
import { networkArgument } from './paging.ts'
import { MetaRef, NetworkRef, NodeRef, TokenRef } from './refs.ts'
import { exposeModel, storedRoot } from './stored/expose.ts'
import { identityOf } from './stored/resolve.ts'
import { tokenOfAddress } from './token/token.ts'

NetworkRef.implement({
  description: 'A chain that the service trades on.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.id({ description: nodeIdText, resolve: ({ chainId }) => formatNodeId('Network', chainId) }),
    name: t.exposeString('name', { description: 'The network’s segment in REST paths.' }),
    chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain id of the signing domain.' }),
    settlementContract: t.expose('settlement', {
      type: 'Address',
      description: 'The verifying contract of the signing domain.',
    }),
    vaultRelayer: t.expose('vaultRelayer', {
      type: 'Address',
      description: 'The account to which sell tokens must be approved.',
    }),
    ready: t.boolean({
      description: 'True if every system that its answers depend on answers now.',
      resolve: async ({ chainId }, _args, { networks }) =>
        (await networks.byChainId(chainId)?.ready()) ?? false,
    }),
    poolProject: t.exposeString('poolProject', { description: 'The name of its pools’ factory.' }),
    explorerUrl: t.exposeString('explorer', {
      nullable: true,
      description:
        'A site for people that shows the chain: /tx/, /address/ and /token/ follow. Null where the deployment names none.',
    }),
    wrappedNative: t.field({
      type: TokenRef,
      description: 'The chain’s coin as a token.',
      resolve: ({ chainId, wrappedNative }, _args, context, info) =>
        tokenOfAddress(chainId, wrappedNative, context, info),
    }),
  }),
})

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
        required: true,
        description: 'Its name, another name that it is known by, or its chain id.',
      }),
    },
    resolve: (_root, { name }, context) => tradingOn(context, name).network,
  }),
  commit: t.string({
    nullable: true,
    description: 'The commit that the build is of, as hex; null where the deployment does not say it.',
    resolve: (_root, _args, { commit }) => commit ?? null,
  }),
  version: t.string({
    description: 'The build that answers.',
    resolve: (_root, _args, { version }) => version,
  }),
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
    resolve: (parent, _args, { networks }) => {
      const { chainId } = identityOf<{ chainId: number }>(parent)
      const trading = networks.byChainId(chainId)
      if (!trading) throw new TypeError(`no network ${chainId}`)
      return trading.network
    },
  }),
  version: t.string({
    description: 'The build that answers.',
    resolve: (_meta, _args, { version }) => version,
  }),
}))

builder.queryFields((t) => ({
  meta: storedRoot(t, metaOf, {
    args: { network: networkArgument(t.arg) },
    rowArguments: ({ network }: { network?: string }, environment) => ({
      chainId: tradingOn(environment, network).network.chainId,
    }),
  }),
}))
