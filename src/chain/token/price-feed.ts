import type { Address } from '../../domain/evm/address.ts'
import { type Hex, hexSize } from '../../domain/evm/hex.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { available, parseReturn, toQuantity } from '../rpc/wire.ts'

/** An aggregator's price of one whole token. */
export interface FeedRound {
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
export async function readPriceFeed(rpc: Rpc, feed: Address): Promise<FeedRound | undefined> {
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
