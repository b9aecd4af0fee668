import type { BalancesUpdate } from '../../tokens/balances.ts'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { ValueState } from '../enums.ts'
import { BalancesUpdateRef, TokenBalanceRef, TokenRef } from '../refs.ts'
import { networkArgument } from '../relay/paging.ts'
import { tokenOfAddress } from './known-token.ts'
import { checkWatched, known, stateOf, updateFields } from './watched.ts'

/** Tokens that one subscription may name. */
const maxTokens = 1_500
/** This many tokens count as one read. */
const namedPerRead = 8

TokenBalanceRef.implement({
  description: 'What an account has of a token.',
  fields: (t) => ({
    token: t.field({
      type: TokenRef,
      description: 'The token as it was named, whether or not there is a contract.',
      resolve: ({ chainId, subject }, _args, context, info) =>
        tokenOfAddress(chainId, subject.token, context, info),
    }),
    state: t.field({
      type: ValueState,
      description: 'Whether the balance is known.',
      resolve: ({ value }) => stateOf(value),
    }),
    balance: t.field({
      type: 'Uint256',
      nullable: true,
      description: 'In atoms; null unless it is known.',
      resolve: ({ value }) => known(value)?.balance ?? null,
    }),
    allowance: t.field({
      type: 'Uint256',
      nullable: true,
      description:
        'Atoms that the network’s vault relayer may take; null unless it is known, and for the chain’s own coin.',
      resolve: ({ value }) => known(value)?.allowance ?? null,
    }),
  }),
})

BalancesUpdateRef.implement({
  description: 'Balances of an account at one block.',
  fields: (t) => ({
    block: t.field(updateFields.block),
    isComplete: t.field(updateFields.isComplete),
    isAvailable: t.field(updateFields.isAvailable),
    balances: t.field({
      type: [TokenBalanceRef],
      description: 'Those that changed, or all.',
      resolve: ({ changes, chainId }, _args, { countItems }) =>
        countItems(changes.map((change) => ({ ...change, chainId }))),
    }),
  }),
})

builder.subscriptionField('balances', (t) =>
  t.field({
    type: BalancesUpdateRef,
    description:
      'Balances of an account, and what the vault relayer may take of them: all at first, then what changes, at most once a block. Never ends by itself.',
    extensions: { namedPerRead },
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      account: t.arg({ type: 'Address', required: true, description: 'Whose balances.' }),
      tokens: t.arg({
        type: ['TokenAddress'],
        required: true,
        description: `Contracts, or \`-\` for the chain’s own coin: 1 to ${maxTokens.toLocaleString('en')}.`,
      }),
    },
    subscribe(_root, { network, account, tokens }, context) {
      checkWatched(tokens, maxTokens)
      const { client, clientSignal: signal } = context
      return tradingOn(context, network).watchBalances(account, tokens, { client, signal })
    },
    resolve: (update: BalancesUpdate, { network }, context) => ({
      ...update,
      chainId: tradingOn(context, network).network.chainId,
    }),
  }),
)
