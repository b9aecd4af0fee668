import { maxOf, minOf, priceScale } from '../amount.ts'
import type { Address } from '../evm/address.ts'

/** The chance that an order is filled, as shares in parts per million. */
export interface Outlook {
  /** The share by which the market is better than the limit price; negative if it is worse. */
  marketGap: bigint
  /** The network fee of a settlement of this order alone, as a share of the amount that it sells. */
  feeShare: bigint
}

const million = 1_000_000n
/** The cap on gaps and shares; larger values carry no more information. */
const max = 10n ** 12n

/**
 * Compares the limit price of an order with the market price.
 * @param prices native atoms for 10^18 atoms of each token
 * @param sold sell atoms of the next fill
 * @param fee native atoms for the gas of that fill
 */
export function outlookOf(
  { sellAmount, buyAmount }: { sellAmount: bigint; buyAmount: bigint },
  prices: { sell: bigint; buy: bigint },
  sold: bigint,
  fee: bigint,
): Outlook {
  return {
    marketGap: gapOf(sellAmount * prices.sell, buyAmount * prices.buy),
    feeShare: shareOf(fee * priceScale, sold * prices.sell),
  }
}

/** Reports whether the sold amount is worth more than a fee. @param price native atoms for 10^18 atoms */
export function canPay(sold: bigint, price: bigint, fee: bigint): boolean {
  return sold * price > fee * priceScale
}

/** The gap between a price and the limit price in parts per million; negative if the price is worse. */
export function limitGap(
  { sellAmount, buyAmount }: { sellAmount: bigint; buyAmount: bigint },
  { sell, buy }: { sell: bigint; buy: bigint },
): bigint {
  return gapOf(buy * sellAmount, sell * buyAmount)
}

function gapOf(given: bigint, wanted: bigint): bigint {
  return shareOf(given - wanted, wanted)
}

/**
 * The order's rank, highest first: the part of the market price beyond the limit that the network fee leaves.
 */
export function rankOf({ marketGap, feeShare }: Outlook): bigint {
  return marketGap - feeShare
}

function shareOf(part: bigint, whole: bigint): bigint {
  if (whole === 0n) return max
  return maxOf(minOf((part * million) / whole, max), -max)
}

export interface Contender {
  owner: Address
  /** The key of the directed pair. */
  pair: string
  rank: bigint
}

/** The number of places that one owner, and one pair, gets before others of its kind. */
const ownerShare = 10
const pairShare = 100

/**
 * Distributes the places of an auction. Orders that the market can fill come first. Among these, each owner
 * and each pair gets its share before any gets more.
 * @param contenders best first
 * @returns the contenders with a place, best first
 */
export function selectContenders<Item extends Contender>(
  contenders: readonly Item[],
  places: number,
): Item[] {
  if (contenders.length <= places) return [...contenders]
  const [owners, pairs] = [new Map<string, number>(), new Map<string, number>()]
  const queue = contenders.map((item, index) => {
    const turn = Math.max(
      Math.floor(next(owners, item.owner) / ownerShare),
      Math.floor(next(pairs, item.pair) / pairShare),
    )
    return { item, index, turn, isFar: item.rank < 0n ? 1 : 0 }
  })
  return queue
    .sort((a, b) => a.isFar - b.isFar || a.turn - b.turn || a.index - b.index)
    .slice(0, places)
    .sort((a, b) => a.index - b.index)
    .map(({ item }) => item)
}

/** Counts the key and returns its previous count. */
function next(counts: Map<string, number>, key: string): number {
  const count = counts.get(key) ?? 0
  counts.set(key, count + 1)
  return count
}
