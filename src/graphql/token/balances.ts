import { Refusal } from '../../domain/errors/error.ts'
import { nativeWorthDown, usdWorthDown } from '../../domain/token/prices.ts'
import {
  type BalancesUpdate,
  balancesUpdate,
  type TokenBalance,
  tokenBalance,
} from '../../tokens/balances.ts'
import { noPriceCodes } from '../../tokens/order-book-price.ts'
import { knownValue } from '../../tokens/watch.ts'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { describedRef } from '../described.ts'
import { networkArgument } from '../paging.ts'
import { checkWatched, maxNamedTokens, watchedPerRead } from './watched.ts'

/** The number of objects that a value counts as if its price may have to be requested. */
const pricedWeight = 32

export const TokenBalanceRef = describedRef<typeof tokenBalance, TokenBalance & { chainId: number }>(
  tokenBalance,
)

builder.objectFields(TokenBalanceRef, (t) => ({
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
}))

/** @throws what is no answer */
function noPrice(fault: unknown): undefined {
  if (fault instanceof Refusal && noPriceCodes.has(fault.code)) return undefined
  throw fault
}

builder.subscriptionField('balances', (t) =>
  t.field({
    type: describedRef(balancesUpdate),
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
