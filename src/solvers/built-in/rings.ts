import type { AuctionOrder } from '../../domain/auction/auction.ts'
import { directedPair } from '../../domain/auction/score.ts'
import type { Address } from '../../domain/evm/address.ts'
import { worthAt } from './member.ts'
import { type DirectedPair, poolRate } from './pairs.ts'
import type { Task } from './task.ts'

type Pairs = ReadonlyMap<string, DirectedPair>

/** Tokens that orders pass on in sequence. Orders or pools exchange the last one for the first. */
export interface Ring {
  tokens: Address[]
  /** The factor by which the best limits together are better than needed. */
  gain: number
  /** The gain of the smallest edge, in native atoms. */
  promise: number
}

/** Limits of the work. */
const maxTokens = 4
const maxRings = 8
const maxSequences = 20_000
const maxOrdersOfPair = 4
/** The maximum gain that counts. A higher one indicates a careless limit, not a good ring. */
const largestGain = 2

/** The most promising rings, one for each set of tokens. */
export function findRings(task: Task, pairs: Pairs): Ring[] {
  const rings = new Map<string, Ring>()
  let sequences = 0
  const visit = (tokens: Address[], edges: DirectedPair[]) => {
    const last = tokens.at(-1)
    if (!last || ++sequences > maxSequences) return
    if (tokens.length > 2) keepBest(rings, closedRing(task, pairs, tokens, edges))
    if (tokens.length === maxTokens) return
    for (const pair of pairs.values()) {
      const isNext = pair.sell === last && pair.offer > 0 && !tokens.includes(pair.buy)
      if (isNext) visit([...tokens, pair.buy], [...edges, pair])
    }
  }
  for (const token of new Set([...pairs.values()].map(({ sell }) => sell))) visit([token], [])
  return [...rings.values()].sort((a, b) => b.promise - a.promise).slice(0, maxRings)
}

/** The orders between any two of the ring's tokens that are worth most at the ring's best prices. */
export function ordersOfRing(pairs: Pairs, { tokens, gain }: Ring): AuctionOrder[] {
  return tokens.flatMap((sell) =>
    tokens.flatMap((buy) => {
      const pair = pairs.get(directedPair(sell, buy))
      if (!pair || sell === buy || pair.offer === 0) return []
      const rate = gain / pair.offer
      return pair.members
        .map((member) => ({ entry: member.entry, worth: worthAt(member, rate) }))
        .filter(({ worth }) => worth > 0)
        .sort((a, b) => b.worth - a.worth)
        .slice(0, maxOrdersOfPair)
        .map(({ entry }) => entry)
    }),
  )
}

function closedRing(task: Task, pairs: Pairs, tokens: Address[], edges: DirectedPair[]): Ring | undefined {
  const [first, last] = [tokens[0], tokens.at(-1)]
  if (!first || !last) return undefined
  const closing = pairs.get(directedPair(last, first))
  // Four tokens in a circle need orders between each two: pools would do the work of three.
  const pools = tokens.length < maxTokens ? poolRate(task, first, last) : 0
  const offers = edges.reduce((product, { offer }) => product * offer, 1)
  const gain = Math.min(offers * Math.max(closing?.offer ?? 0, pools), largestGain)
  if (!(gain > 1)) return undefined
  const smallest = Math.min(...edges.map((edge) => volumeOf(task, edge)))
  return { tokens, gain, promise: (gain - 1) * smallest }
}

function volumeOf({ auction }: Task, { sell, members }: DirectedPair): number {
  const price = Number(auction.nativePrices.get(sell) ?? 0n) / 1e18
  return members.reduce((sum, { entry }) => sum + Number(entry.order.sellAmount) * price, 0)
}

function keepBest(rings: Map<string, Ring>, ring: Ring | undefined): void {
  if (!ring) return
  const key = ring.tokens.toSorted().join()
  const other = rings.get(key)
  if (!other || ring.promise > other.promise) rings.set(key, ring)
}
