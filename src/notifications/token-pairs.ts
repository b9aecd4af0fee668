import { type Address, nativeMarker } from '../domain/evm/address.ts'
import { nativeCoin } from '../domain/network/chains.ts'
import type { TokenPair } from '../domain/notification/notification.ts'
import type { Order } from '../domain/order/order.ts'
import type { Token } from '../domain/token/token.ts'
import type { Tx } from '../storage/database/database.ts'
import { findTokens } from '../storage/token/tokens.ts'

export type Pair = Pick<Order, 'chainId' | 'sellToken' | 'buyToken'>

/** Tokens of a network that were read a moment ago, and may not be stored yet. */
export type RecentTokens = ReadonlyMap<Address, Token>

/** Stored symbols and decimals, else recent ones: a notification never waits for a node. */
export async function tokensOf(
  tx: Tx,
  pairs: readonly Pair[],
  recent: RecentTokens = new Map(),
): Promise<(pair: Pair) => TokenPair> {
  const chainIds = [...new Set(pairs.map(({ chainId }) => chainId))]
  const addresses = [...new Set(pairs.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken]))]
  const stored = new Map<number, Awaited<ReturnType<typeof findTokens>>>()
  for (const chainId of chainIds) stored.set(chainId, await findTokens(tx, chainId, addresses))
  const find = (chainId: number, address: Address) => {
    if (address === nativeMarker) return nativeCoin(chainId)
    const unknown = { chainId, address, symbol: null, name: null, decimals: null }
    return stored.get(chainId)?.get(address) ?? recent.get(address) ?? unknown
  }
  return ({ chainId, sellToken, buyToken }) => ({
    sell: find(chainId, sellToken),
    buy: find(chainId, buyToken),
  })
}
