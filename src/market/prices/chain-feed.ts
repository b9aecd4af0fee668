import type { Rpc } from '../../chain/rpc/rpc.ts'
import { available, parseReturn, toQuantity } from '../../chain/rpc/wire.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { type Hex, hexSize } from '../../domain/evm/hex.ts'
import type { Clock } from '../../domain/log.ts'
import { isAbsurdPrice, usdPriceDown } from '../../domain/token/prices.ts'
import { OutsideFault } from '../../outside/fault.ts'
import type { UsdPriceSource } from '../token-source.ts'

/** An aggregator's price of one whole token. */
interface FeedRound {
  /** The price in units of 10^-`decimals`. It can be zero or less. */
  answer: bigint
  decimals: number
  /** The time in Unix seconds. */
  updatedAt: bigint
}

/** The selectors of `decimals()` and `latestRoundData()`. */
const selectors = ['0x313ce567', '0xfeaf968c'] as const
/** A gas limit above the use of aggregators' proxies. */
const readGas = toQuantity(2_000_000)
/** The maximum decimals of aggregators. */
const maxDecimals = 36n

/**
 * Reads the newest round; undefined if the address is not an aggregator with a complete round.
 * @throws Outage
 */
async function readPriceFeed(rpc: Rpc, feed: Address): Promise<FeedRound | undefined> {
  const answers = await available(
    rpc.batch(
      selectors.map((data) => ({ method: 'eth_call', params: [{ to: feed, data, gas: readGas }, 'latest'] })),
    ),
  )
  const [[decimals] = [], [roundId, answer, , updatedAt, answeredInRound] = []] = answers.map((returned) =>
    wordsOf(parseReturn(returned)),
  )
  if (decimals === undefined || decimals > maxDecimals) return undefined
  if (roundId === undefined || answer === undefined || updatedAt === undefined) return undefined
  if (answeredInRound === undefined || answeredInRound < roundId || roundId === 0n) return undefined
  return { answer: BigInt.asIntN(256, answer), decimals: Number(decimals), updatedAt }
}

function wordsOf(returned: Hex | undefined): bigint[] {
  const count = returned ? Math.floor(hexSize(returned) / 32) : 0
  return Array.from({ length: Math.min(count, 5) }, (_, index) =>
    BigInt(`0x${returned?.slice(2 + index * 64, 66 + index * 64)}`),
  )
}

interface ChainFeedOptions {
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
