import { builder } from './builder.ts'
import { AccountRef, NodeRef } from './refs.ts'

AccountRef.implement({
  description: 'An address that trades. Every address is an account; one that never traded has empty lists.',
  interfaces: [NodeRef],
  fields: (t) => ({ address: t.expose('address', { type: 'Address', description: 'The address.' }) }),
})

builder.queryField('account', (t) =>
  t.field({
    type: AccountRef,
    description: 'An account with its orders, trades and notifications.',
    args: { address: t.arg({ type: 'Address', required: true, description: 'Any letter case.' }) },
    resolve: (_root, { address }) => ({ address }),
  }),
)
