import { createRandom } from '../../../bench/database/subjects.ts'
import type { Auction, AuctionOrder } from '../../../src/domain/auction/auction.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import type { Pool } from '../../../src/domain/routing/pool.ts'
import { samplePool, value } from '../../fakes/market.ts'
import { auctionOrder, coin, dollar, sampleAuction, wrapped } from '../../fakes/order.ts'

/** An auction and its pools. */
export interface Instance {
  auction: Auction
  pools: Pool[]
}

type Random = ReturnType<typeof createRandom>

const tokens = [wrapped, dollar, coin]
const gasPrice = 10n ** 9n

/**
 * Creates two to eight orders on two or three tokens, of both kinds and directions, with limits around the
 * market, over zero to three pools.
 */
export function smallInstance(seed: number): Instance {
  const random = createRandom(seed)
  const traded = random() < 0.5 ? tokens.slice(0, 2) : tokens
  const orders = Array.from({ length: 2 + Math.floor(random() * 7) }, (_, index) =>
    randomOrder(random, distinctPair(random, traded), index),
  )
  const pairs = traded.flatMap((a, index) => traded.slice(index + 1).map((b) => [a, b] as const))
  const pools = pairs.flatMap(([a, b], index) => {
    const depth = BigInt(Math.round(20 * 100 ** random()))
    const off = BigInt(Math.round(random() * 10 - 5))
    return random() < 0.8 ? [samplePool(`0${index + 1}`, a, b, depth, off)] : []
  })
  return { auction: sampleAuction(orders, gasPrice), pools }
}

function distinctPair(random: Random, traded: readonly Address[]): [Address, Address] {
  const first = Math.floor(random() * traded.length)
  const second = (first + 1 + Math.floor(random() * (traded.length - 1))) % traded.length
  return [traded[first] ?? wrapped, traded[second] ?? dollar]
}

/**
 * Returns an order of 0.1 to 20 native coins, with a limit from 3 % below to 0.5 % above the market; one in
 * five is partially fillable.
 */
function randomOrder(random: Random, [sell, buy]: [Address, Address], index: number): AuctionOrder {
  const kind = random() < 0.5 ? 'sell' : 'buy'
  const size = 0.1 * 200 ** random()
  const ask = 0.97 + random() * 0.035
  const amount = (token: Address, native: number) =>
    ((value.get(token) ?? 1n) * BigInt(Math.round(native * 1e9))) / 10n ** 9n
  return auctionOrder({
    kind,
    sellToken: sell,
    buyToken: buy,
    sellAmount: amount(sell, kind === 'sell' ? size : size / ask),
    buyAmount: amount(buy, kind === 'sell' ? size * ask : size),
    partiallyFillable: random() < 0.2,
    validTo: 1_900_000_000 + index,
  })
}
