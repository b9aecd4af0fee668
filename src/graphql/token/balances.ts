import { Refusal } from '../../domain/errors/error.ts'
import { nativeWorthDown, usdWorthDown } from '../../domain/token/prices.ts'
import type { BalancesUpdate } from '../../tokens/balances.ts'
import { noPriceCodes } from '../../tokens/order-book-price.ts'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { ValueState } from '../enums.ts'
import { networkArgument } from '../paging.ts'
import { BalancesUpdateRef, TokenBalanceRef, TokenRef } from '../refs.ts'
import { tokenOfAddress } from './token.ts'
import { checkWatched, knownValue, maxNamedTokens, stateOf, updateFields, watchedPerRead } from './watched.ts'

/** The number of objects that a value counts as if its price may have to be requested. */
const pricedWeight = 32

TokenBalanceRef.implement({
  description: 'The balance of an account in a token.',
  fields: (t) => ({
    token: t.field({
      type: TokenRef,
      description: 'The token as it was named, whether or not there is a contract.',
      resolve: ({ chainId, subject }, _args, context, info) =>
        tokenOfAddress(chainId, subject.token, context, info),
    }),
    state: t.field({
      type: ValueState,
      description: 'The state of the balance.',
      resolve: ({ value }) => stateOf(value),
    }),
    balance: t.field({
      type: 'Uint256',
      nullable: true,
      description: 'The balance in atoms; null unless it is known.',
      resolve: ({ value }) => knownValue(value)?.balance ?? null,
    }),
    allowance: t.field({
      type: 'Uint256',
      nullable: true,
      description:
        'Atoms that the network’s vault relayer may take; null unless it is known, and for the chain’s own coin.',
      resolve: ({ value }) => knownValue(value)?.allowance ?? null,
    }),
    nativeValue: t.field({
      type: 'Uint256',
      nullable: true,
      description:
        'The value of the balance at the token’s `nativePrice`, in native atoms, rounded down; null while the balance or the price is not known.',
      extensions: { weight: pricedWeight },
      async resolve({ chainId, subject: { token }, value }, _args, { loaders }) {
        const balance = knownValue(value)?.balance
        if (balance === undefined) return null
        const rate = await loaders.ofBalances.nativeRate.load({ chainId, address: token }).catch(noPrice)
        return rate ? nativeWorthDown(balance, rate) : null
      },
    }),
    usdValue: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'The value of the balance at the token’s `usdPrice`: up to 18 significant digits, rounded down; null without a balance, a price or decimals. An error if no source answers now; a later request gets a price that a source has given meanwhile.',
      extensions: { weight: pricedWeight },
      async resolve({ chainId, subject: { token }, value }, _args, { loaders }) {
        const balance = knownValue(value)?.balance
        if (balance === undefined) return null
        const key = { chainId, address: token }
        const [price, metadata] = await Promise.all([
          loaders.ofBalances.usdPrice.load(key),
          loaders.token.load(key),
        ])
        const decimals = metadata?.decimals
        return price && decimals != null ? usdWorthDown(balance, price.value, decimals) : null
      },
    }),
  }),
})

/** @throws what is no answer */
function noPrice(fault: unknown): undefined {
  if (fault instanceof Refusal && noPriceCodes.has(fault.code)) return undefined
  throw fault
}

BalancesUpdateRef.implement({
  description: 'Balances of an account at one block.',
  fields: (t) => ({
    block: t.field(updateFields.block),
    isComplete: t.field(updateFields.isComplete),
    isAvailable: t.field(updateFields.isAvailable),
    balances: t.field({
      type: [TokenBalanceRef],
      description: 'The changed balances, or all.',
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
    extensions: { namedPerRead: watchedPerRead },
    args: {
      network: networkArgument(t.arg),
      account: t.arg({ type: 'Address', required: true, description: 'The account of the balances.' }),
      tokens: t.arg({
        type: ['TokenAddress'],
        required: true,
        description: `Contracts, or \`-\` for the chain’s own coin: 1 to ${maxNamedTokens.toLocaleString('en')}.`,
      }),
    },
    subscribe(_root, { network, account, tokens }, context) {
      checkWatched(tokens, maxNamedTokens)
      const { client, clientSignal: signal } = context
      return tradingOn(context, network).watchBalances(account, tokens, { client, signal })
    },
    resolve: (update: BalancesUpdate, { network }, context) => ({
      ...update,
      chainId: tradingOn(context, network).network.chainId,
    }),
  }),
)
