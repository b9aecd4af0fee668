import { builder } from './builder.ts'
import { deskOf } from './context.ts'
import { NetworkRef } from './refs.ts'

NetworkRef.implement({
  description: 'A chain that the service trades on.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The network’s segment in REST paths.' }),
    chainId: t.expose('chainId', { type: 'SafeInt', description: 'The chain id of the signing domain.' }),
    settlementContract: t.expose('settlement', {
      type: 'Address',
      description: 'The verifying contract of the signing domain.',
    }),
    vaultRelayer: t.expose('vaultRelayer', {
      type: 'Address',
      description: 'Who sell tokens must be approved to.',
    }),
    ready: t.boolean({
      description: 'Whether everything that its answers depend on answers now.',
      resolve: async ({ chainId }, _args, { desks }) => (await desks.byChainId(chainId)?.ready()) ?? false,
    }),
    wrappedNative: t.expose('wrappedNative', {
      type: 'Address',
      description: 'The chain’s coin as a token.',
    }),
  }),
})

builder.queryFields((t) => ({
  networks: t.field({
    type: [NetworkRef],
    description: 'Every network there is here.',
    resolve: (_root, _args, { desks }) => desks.all.map(({ network }) => network),
  }),
  network: t.field({
    type: NetworkRef,
    description: 'One network.',
    args: {
      name: t.arg.string({
        required: true,
        description: 'Its name, another name that it is known by, or its chain id in digits.',
      }),
    },
    resolve: (_root, { name }, context) => deskOf(context, name).network,
  }),
  version: t.string({
    description: 'The build that answers.',
    resolve: (_root, _args, { version }) => version,
  }),
}))
