import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import { insertMarketPrices } from '../../storage/auction/competition.ts'
import type { Database } from '../../storage/database/database.ts'

/** Keeps what the market gave for live orders, for the answer to why they were not filled. */
export interface MarketPrices {
  /** Stores the prices, at most once in five minutes; they are asked for only then. */
  keep(read: () => ReadonlyMap<Address, bigint>): Promise<void>
}

const everyMs = 300_000
/** Tokens of one moment. */
const maxTokens = 5_000

export function createMarketPrices({
  db,
  chainId,
  now,
}: {
  db: Database
  chainId: number
  now: Clock
}): MarketPrices {
  let last: number | undefined
  return {
    async keep(read) {
      // Times are multiples of the interval, so that processes that lead one after the other write a moment once.
      const at = now() - (now() % everyMs)
      if (at === last) return
      const nativePrices = read()
      if (nativePrices.size === 0) return
      await insertMarketPrices(db, chainId, new Map([...nativePrices].slice(0, maxTokens)), new Date(at))
      last = at
    },
  }
}
