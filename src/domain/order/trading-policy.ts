import { Refusal } from '../errors/error.ts'
import { type Address, nativeMarker, zeroAddress } from '../evm/address.ts'
import type { Network } from '../network/network.ts'
import type { ExclusionReason } from './event.ts'
import type { Order, OrderKind } from './order.ts'

export const sameTokenPolicies = ['disallow', 'allow-sell', 'allow'] as const

/** Whom and what a deployment trades for: the same for quotes and for orders. */
export interface TradingPolicy {
  deniedAccounts: ReadonlySet<Address>
  deniedTokens: ReadonlySet<Address>
  /** Whether a token may be traded for itself; `allow-sell` lets sell orders do so. */
  sameToken: (typeof sameTokenPolicies)[number]
}

/** Why an order that was placed before it was denied is in no auction any more. */
export function deniedReason(
  { owner, receiver, sellToken, buyToken }: Pick<Order, 'owner' | 'receiver' | 'sellToken' | 'buyToken'>,
  { deniedAccounts, deniedTokens }: TradingPolicy,
): ExclusionReason | undefined {
  if ([owner, receiver].some((account) => isDenied(account, deniedAccounts))) return 'banned_user'
  return deniedTokens.has(sellToken) || deniedTokens.has(buyToken) ? 'unsupported_token' : undefined
}

/** The zero address is nobody. */
function isDenied(account: Address | null | undefined, denied: ReadonlySet<Address>): boolean {
  return account != null && account !== zeroAddress && denied.has(account)
}

/** Neither the owner nor who gets the buy tokens is on the list. @throws Refusal Forbidden */
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
 * Two different tokens, unless the policy has it otherwise; the sold one is a token, since the chain's own coin can't be pulled
 * from an account; and both may be traded.
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
    if (deniedTokens.has(token)) {
      throw new Refusal('UnsupportedToken', `${token} is not traded here`, { field })
    }
  }
}
