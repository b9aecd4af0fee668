import { priceScale } from '../../domain/amount.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import {
  intervalMs,
  intervalPoints,
  type PriceHistory,
  type PriceInterval,
} from '../../domain/token/price-history.ts'
import type { Token } from '../../domain/token/token.ts'
import type { PriceHistorySource } from '../../market/token-source.ts'
import type { Db } from '../../storage/database/database.ts'
import { findMarketPrices } from '../../storage/token/market-prices.ts'
import { usdPrice } from '../order-book-price.ts'

export interface OwnHistoryOptions {
  name: string
  network: Pick<Network, 'chainId' | 'usdReference' | 'wrappedNative'>
  db: Db
  tokens(addresses: readonly Address[]): Promise<Map<Address, Pick<Token, 'decimals'> | Outage>>
  /** Called with a token whose prices are asked for, so that they are recorded from now on. */
  onAsked(token: Address): void
  now: Clock
}

/**
 * Prices in dollars from the native prices that auctions and the own market recorded, against the network's dollar token. `undefined`
 * where there is no such token.
 */
export function createOwnHistory(
  { name, network, db, tokens, onAsked, now }: OwnHistoryOptions,
  interval: PriceInterval,
): PriceHistorySource | undefined {
  const { chainId, usdReference, wrappedNative } = network
  if (usdReference === null) return undefined
  const spanMs = intervalMs[interval]
  return {
    name,
    async find(token) {
      onAsked(token)
      // The wrapped coin is always worth one native coin, and is not recorded.
      const asked = [...new Set([token, usdReference])].filter((address) => address !== wrappedNative)
      const since = new Date(now() - intervalPoints[interval] * spanMs)
      const [recorded, metadata] = await Promise.all([
        findMarketPrices(db, { chainId, tokens: asked, since, spanMs }),
        tokens([token, usdReference]),
      ])
      const rateOf = (address: Address, at: number) => {
        const found = metadata.get(address)
        if (found instanceof Outage) throw found
        const nativeAmount = address === wrappedNative ? priceScale : recorded.get(address)?.get(at)
        const decimals = found?.decimals ?? null
        return nativeAmount === undefined || decimals === null
          ? undefined
          : { rate: { nativeAmount, tokenAmount: priceScale }, decimals }
      }
      const [first] = asked
      const times = first ? [...(recorded.get(first)?.keys() ?? [])] : spansSince(since, now(), spanMs)
      const history = times.flatMap((at): PriceHistory => {
        const [rate, dollar] = [rateOf(token, at), rateOf(usdReference, at)]
        const price = rate && dollar && dollar.rate.nativeAmount > 0n ? usdPrice(rate, dollar) : undefined
        return price === undefined ? [] : [{ at, price: Number(price), volume: null }]
      })
      return history.length > 0 ? history : undefined
    },
  }
}

function spansSince(since: Date, until: number, spanMs: number): number[] {
  const first = Math.ceil(since.getTime() / spanMs) * spanMs
  return Array.from(
    { length: Math.floor((until - first) / spanMs) + 1 },
    (_, index) => first + index * spanMs,
  )
}
