import { metaOf } from '../../storage/models/meta.ts'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { onlyNetwork } from '../input/fields.ts'
import { MetaRef, NetworkRef } from '../refs.ts'
import { networkArgument } from '../relay/paging.ts'
import { exposeModel } from '../stored/expose.ts'
import { identityOf } from '../stored/resolve.ts'
import { storedRoot } from '../stored/root.ts'

exposeModel(metaOf.model())

builder.objectFields(MetaRef, (t) => ({
  network: t.field({
    type: NetworkRef,
    description: 'Which network.',
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
    args: { network: networkArgument(t.arg, onlyNetwork) },
    rowArguments: ({ network }: { network?: string }, environment) => ({
      chainId: tradingOn(environment, network).network.chainId,
    }),
  }),
}))
