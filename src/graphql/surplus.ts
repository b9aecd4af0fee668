import { totalSurplusDown } from '../storage/surplus.ts'
import { builder } from './builder.ts'
import { deskOf } from './context.ts'
import { networkArgument } from './paging.ts'
import { AccountRef } from './refs.ts'

builder.objectField(AccountRef, 'totalSurplus', (t) =>
  t.field({
    type: 'Uint256',
    description:
      'What the account’s trades got beyond their signed prices, in native atoms: each trade at its auction’s prices, rounded down.',
    args: { network: networkArgument(t.arg, 'May be left out where there is only one.') },
    resolve: ({ address }, { network }, context) =>
      totalSurplusDown(context.db, deskOf(context, network).network, address),
  }),
)
