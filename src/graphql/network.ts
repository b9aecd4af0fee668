import { type Network, network } from '../domain/network/network.ts'
import { metaOf } from '../storage/models/meta.ts'
import { formatNodeId, nodeIdText } from '../storage/query/node-id.ts'
import { builder } from './builder.ts'
import type { Context } from './context/context.ts'
import { tradingOn } from './context/networks.ts'
import { describedRef } from './described.ts'
import { networkArgument } from './paging.ts'
import { MetaRef, NodeRef } from './refs.ts'
import { exposeModel, storedRoot } from './stored/expose.ts'
import { identityOf } from './stored/resolve.ts'

export const NetworkRef = describedRef<typeof network, Network>(network)
NetworkRef.addInterfaces([NodeRef])

builder.objectFields(NetworkRef, (t) => ({
  id: t.id({ description: nodeIdText, resolve: ({ chainId }) => formatNodeId('Network', chainId) }),
  ready: t.boolean({
    description: 'True if every system that its answers depend on answers now.',
    resolve: async ({ chainId }, _args, { networks }) =>
      (await networks.byChainId(chainId)?.ready()) ?? false,
  }),
}))

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
