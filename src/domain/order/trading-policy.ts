import { Refusal } from '../errors/error.ts'
import { type Address, nativeMarker, zeroAddress } from '../evm/address.ts'
import type { Network } from '../network/network.ts'
import type { ExclusionReason } from './event.ts'
import type { Order, OrderKind } from './order.ts'

export const sameTokenPolicies = ['disallow', 'allow-sell', 'allow'] as const

/** Accounts and tokens that a deployment refuses, for quotes and orders alike. */
export interface TradingPolicy {
  deniedAccounts: ReadonlySet<Address>
  deniedTokens: ReadonlySet<Address>
  /** The rule for trades of a token for itself; `allow-sell` allows them for sell orders. */
  sameToken: (typeof sameTokenPolicies)[number]
}

/** The reason why an order placed before the denial is excluded from auctions. */
export function deniedReason(
  { owner, receiver, sellToken, buyToken }: Pick<Order, 'owner' | 'receiver' | 'sellToken' | 'buyToken'>,
  { deniedAccounts, deniedTokens }: TradingPolicy,
): ExclusionReason | undefined {
  if ([owner, receiver].some((account) => isDenied(account, deniedAccounts))) return 'banned_user'
  return deniedTokens.has(sellToken) || deniedTokens.has(buyToken) ? 'unsupported_token' : undefined
}

/** Reports whether an account is denied. The zero address stands for no account. */
function isDenied(account: Address | null | undefined, denied: ReadonlySet<Address>): boolean {
  return account != null && account !== zeroAddress && denied.has(account)
}

/** Checks that neither owner nor receiver is denied. @throws Refusal Forbidden */
export function checkParties(
  parties: { from?: Address; owner?: Address; receiver: Address | null },
  { deniedAccounts }: Pick<TradingPolicy, 'deniedAccounts'>,
): void {
  for (const [field, account] of Object.entries(parties)) {
    if (!isDenied(account, deniedAccounts)) continue
    throw new Refusal('Forbidden', `${account} may not trade here`, {
      field: field === 'receiver' ? 'receiver' : 'from',
    })
  }
}

interface Pair {
  kind: OrderKind
  sellToken: Address
  buyToken: Address
}

/**
 * Checks that the tokens differ (unless the policy allows one token), that the sell token is not the native
 * coin, which a contract cannot pull from an account, and that neither token is denied.
 * @throws Refusal SameBuyAndSellToken, InvalidNativeSellToken, UnsupportedToken
 */
export function checkPair(
  { kind, sellToken, buyToken }: Pair,
  { wrappedNative }: Network,
  { sameToken, deniedTokens }: TradingPolicy,
): void {
  const same = sellToken === buyToken || (sellToken === wrappedNative && buyToken === nativeMarker)
  if (same && sameToken !== 'allow' && !(sameToken === 'allow-sell' && kind === 'sell')) {
    throw new Refusal('SameBuyAndSellToken', 'sellToken and buyToken are the same', { field: 'buyToken' })
  }
  if (sellToken === nativeMarker) {
    throw new Refusal('InvalidNativeSellToken', `sell the wrapped form instead: ${wrappedNative}`, {
      field: 'sellToken',
    })
  }
  for (const [field, token] of Object.entries({ sellToken, buyToken })) {
    if (token === zeroAddress) {
      const hint = field === 'buyToken' ? `: to buy the native coin name ${nativeMarker}` : ''
      throw new Refusal('UnsupportedToken', `the zero address is no token${hint}`, { field })
    }
    if (deniedTokens.has(token)) {
      throw new Refusal('UnsupportedToken', `${token} is not traded here`, { field })
    }
  }
}
