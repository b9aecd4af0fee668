import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readPriceFeed } from '../../chain/token/price-feed.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import { isAbsurdPrice, usdPriceDown } from '../../domain/token/usd-price.ts'
import { OutsideFault } from '../../outside/fault.ts'
import type { UsdPriceSource } from '../token-source.ts'

export interface ChainFeedOptions {
  name: string
  rpc: Rpc
  /** The aggregators by token. */
  feeds: ReadonlyMap<Address, Address>
  maxAgeSeconds: number
  now: Clock
}

/** The seconds by which the chain's clock may be ahead of the local one. */
const maxAheadSeconds = 600n

/**
 * Creates a source of prices from on-chain aggregators. A bad answer of a feed is an outage of its token;
 * only a node that does not answer is a fault of the source.
 */
export function createChainFeed(options: ChainFeedOptions): UsdPriceSource {
  const { name, rpc, feeds, maxAgeSeconds, now } = options
  return {
    name,
    knows: (token) => feeds.has(token),
    async find(token) {
      const feed = feeds.get(token)
      if (!feed) return undefined
      const round = await readPriceFeed(rpc, feed).catch((fault: unknown) => {
        throw fault instanceof Outage ? new OutsideFault(name, 'the network node does not answer') : fault
      })
      if (!round) throw new Outage(name, `the feed of ${token} is not an aggregator with a complete round`)
      const { answer, decimals, updatedAt } = round
      const age = BigInt(Math.floor(now() / 1_000)) - updatedAt
      if (age > BigInt(maxAgeSeconds)) throw new Outage(name, `the feed of ${token} is out of date`)
      if (age < -maxAheadSeconds) throw new Outage(name, `the feed of ${token} is dated in the future`)
      const unit = 10n ** BigInt(decimals)
      if (answer <= 0n || isAbsurdPrice(answer, unit))
        throw new Outage(name, `the answer of the feed of ${token} is out of range`)
      return usdPriceDown(answer, unit)
    },
  }
}
