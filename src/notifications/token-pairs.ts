import { nativeMarker } from '../domain/evm/address.ts'
import { nativeCoin } from '../domain/network/chains.ts'
import type { TokenPair } from '../domain/notification/notification.ts'
import type { Order } from '../domain/order/order.ts'
import type { Tx } from '../storage/database/database.ts'
import { findTokens } from '../storage/token/tokens.ts'

export type Pair = Pick<Order, 'chainId' | 'sellToken' | 'buyToken'>

/** Stored symbols and decimals: a notification never waits for a node. */
export async function tokensOf(tx: Tx, pairs: readonly Pair[]): Promise<(pair: Pair) => TokenPair> {
  const chainIds = [...new Set(pairs.map(({ chainId }) => chainId))]
  const addresses = [...new Set(pairs.flatMap(({ sellToken, buyToken }) => [sellToken, buyToken]))]
  const stored = new Map<number, Awaited<ReturnType<typeof findTokens>>>()
  for (const chainId of chainIds) stored.set(chainId, await findTokens(tx, chainId, addresses))
  const find = (chainId: number, address: Order['sellToken']) =>
    address === nativeMarker
      ? nativeCoin(chainId)
      : (stored.get(chainId)?.get(address) ?? { chainId, address, symbol: null, name: null, decimals: null })
  return ({ chainId, sellToken, buyToken }) => ({
    sell: find(chainId, sellToken),
    buy: find(chainId, buyToken),
  })
}
