import { builder } from './builder.ts'
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
  version: t.string({
    description: 'The build that answers.',
    resolve: (_root, _args, { version }) => version,
  }),
}))
