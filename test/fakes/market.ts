import fc from 'fast-check'
import type { Auction } from '../../src/domain/auction/auction.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { FeePolicy } from '../../src/domain/fee/policy.ts'
import type { Pool } from '../../src/domain/routing/pool.ts'
import {
  auctionOrder,
  coin,
  dollar,
  nativeMarker,
  numbered,
  sampleAuction,
  sampleQuote,
  wrapped,
} from './order.ts'

/** Atoms of each token that equal one native coin. */
export const value = new Map<Address, bigint>([
  [wrapped, 10n ** 18n],
  [nativeMarker, 10n ** 18n],
  [dollar, 3_000n * 10n ** 6n],
  [coin, 6_000n * 10n ** 18n],
])

export function atoms(token: Address, thousandths: bigint): bigint {
  return ((value.get(token) ?? 0n) * thousandths) / 1_000n
}

/** A pool at the market price, `native` coins deep on each side, moved off the price by some thousandths. */
export function samplePool(digits: string, a: Address, b: Address, native: bigint, off = 0n): Pool {
  const [token0 = a, token1 = b] = [a, b].toSorted()
  return {
    address: numbered(digits),
    token0,
    token1,
    reserve0: atoms(token0, native * 1_000n),
    reserve1: atoms(token1, native * (1_000n + off)),
  }
}

const depth = fc.bigInt({ min: 1n, max: 10_000n })
const off = fc.bigInt({ min: -30n, max: 30n })
const pairs = [
  ['01', wrapped, dollar],
  ['02', wrapped, coin],
  ['03', dollar, coin],
  ['04', wrapped, dollar],
] as const

export const pools: fc.Arbitrary<Pool[]> = fc
  .tuple(
    ...pairs.map(([digits, a, b]) =>
      fc.option(
        fc.tuple(depth, off).map(([d, o]) => samplePool(digits, a, b, d, o)),
        { freq: 4 },
      ),
    ),
  )
  .map((list) => list.filter((pool) => pool !== null))

const policies: fc.Arbitrary<FeePolicy[]> = fc.subarray<FeePolicy>([
  { kind: 'surplus', factor: 500_000n, maxVolumeFactor: 10_000n },
  { kind: 'priceImprovement', factor: 300_000n, maxVolumeFactor: 900_000n },
  { kind: 'volume', factor: 200n },
])

const sample = fc.record({
  tokens: fc
    .tuple(fc.constantFrom(wrapped, dollar, coin), fc.constantFrom(wrapped, dollar, coin, nativeMarker))
    .filter(([sell, buy]) => sell !== buy),
  size: fc.bigInt({ min: 1n, max: 100_000n }),
  /** Thousandths of the market price that the limit asks for. */
  ask: fc.bigInt({ min: 700n, max: 1_010n }),
  kind: fc.constantFrom('buy' as const, 'sell' as const),
  partiallyFillable: fc.boolean(),
  filled: fc.bigInt({ min: 0n, max: 3n }),
  quote: fc.option(fc.bigInt({ min: 900n, max: 1_100n })),
  policies,
})

/** Orders around the market price, of every kind, some filled in part, with fee policies and quotes. */
export const auctions: fc.Arbitrary<Auction> = fc
  .tuple(fc.array(sample, { minLength: 1, maxLength: 6 }), fc.bigInt({ min: 0n, max: 50n * 10n ** 9n }))
  .map(([samples, gasPrice]) => {
    const orders = samples.map((item, index) => {
      const [sellToken, buyToken] = item.tokens
      const sellAmount = atoms(sellToken, item.size)
      const buyAmount = (atoms(buyToken, item.size) * item.ask) / 1_000n
      const quoted =
        item.quote === null ? null : sampleQuote({ sellAmount, buyAmount: (buyAmount * item.quote) / 1_000n })
      const entry = auctionOrder(
        {
          sellToken,
          buyToken,
          sellAmount,
          buyAmount,
          kind: item.kind,
          partiallyFillable: item.partiallyFillable,
          validTo: 2_000_000_000 + index,
          quote: quoted,
        },
        item.policies,
      )
      const remaining = item.partiallyFillable ? (entry.remaining * (4n - item.filled)) / 4n : entry.remaining
      return { ...entry, remaining }
    })
    return sampleAuction(orders, gasPrice)
  })
