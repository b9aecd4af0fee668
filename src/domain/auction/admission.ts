import { maxOf, minOf, priceScale } from '../amount.ts'
import type { Address } from '../evm/address.ts'

/** How likely an order is to be filled, in parts per million. */
export interface Outlook {
  /** How much better the market is than the limit price; negative when it is worse. */
  marketGap: bigint
  /** The network fee of a settlement of this order alone, as a share of what it sells. */
  feeShare: bigint
}

const million = 1_000_000n
/** Beyond this a gap or share says nothing more. */
const largest = 10n ** 12n

/**
 * The limit price of an order against the market's.
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

/** Whether what is sold is worth more than a fee. @param price native atoms for 10^18 atoms */
export function canPay(sold: bigint, price: bigint, fee: bigint): boolean {
  return sold * price > fee * priceScale
}

/** How much better a price is than the limit price, in parts per million; negative when it is worse. */
export function limitGap(
  { sellAmount, buyAmount }: { sellAmount: bigint; buyAmount: bigint },
  { sell, buy }: { sell: bigint; buy: bigint },
): bigint {
  return gapOf(buy * sellAmount, sell * buyAmount)
}

function gapOf(given: bigint, wanted: bigint): bigint {
  return shareOf(given - wanted, wanted)
}

/** Highest first: what the market leaves beyond the limit after the network fee. */
export function rankOf({ marketGap, feeShare }: Outlook): bigint {
  return marketGap - feeShare
}

function shareOf(part: bigint, whole: bigint): bigint {
  if (whole === 0n) return largest
  return maxOf(minOf((part * million) / whole, largest), -largest)
}

export interface Contender {
  owner: Address
  /** Key of the directed pair. */
  pair: string
  rank: bigint
}

/** Places that one owner, and one pair, gets before the others of its kind. */
const ownerShare = 10
const pairShare = 100

/**
 * Shares the places of an auction: orders that the market can fill come before the others, and among these each owner and each pair gets
 * its share before any gets more.
 * @param contenders best first
 * @returns those with a place, best first
 */
export function takePlaces<Item extends Contender>(contenders: readonly Item[], places: number): Item[] {
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

/** How often the key was counted before. */
function next(counts: Map<string, number>, key: string): number {
  const count = counts.get(key) ?? 0
  counts.set(key, count + 1)
  return count
}
