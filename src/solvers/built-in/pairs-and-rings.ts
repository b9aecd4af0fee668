import type { AuctionOrder } from '../../domain/auction/auction.ts'
import { directedPair } from '../../domain/auction/score.ts'
import type { Address } from '../../domain/evm/address.ts'
import { rateBits } from '../../domain/routing/graph.ts'
import { rateBound } from '../../domain/routing/route.ts'
import { maxTransactionGas, settlementBaseGas, tradeGas } from '../../domain/settlement/gas.ts'
import { type BatchOrder, batchOrderAt, worthAt } from './batch-order.ts'
import { type ClearingCurve, curveBetween, outputOf } from './clearing-prices.ts'
import { pairKey, pairOf, type Task, type TokenPair } from './task.ts'

/** The orders of one directed pair whose limits leave something of their fee. */
export interface DirectedPair extends TokenPair {
  members: BatchOrder[]
  /** The bought atoms for a sold atom: no route pays more, for any amount. */
  poolRate: number
  /** The best offer of this pair to the opposite one: sold atoms for a bought atom. */
  offer: number
}

/** An order and its maximum contribution to the score, with all pools or opposite orders for itself. */
export interface Prospect {
  entry: AuctionOrder
  worth: number
}

/**
 * The gas limit of a settlement. It leaves a margin for underestimated gas, and for the calldata limit of a
 * node's pool.
 */
const maxBatchGas = (maxTransactionGas * 7n) / 8n
const maxBatchBytes = 110_000
/** The encoded size of an order's trade, its prices and tokens, and of one hook's frame. */
const [tradeBytes, hookBytes] = [832, 320]
const minPart = 1 / 64
/** The factor on the demand: opposite orders take more than at their limits if the price is better. */
const demandMargin = 1.1

/** The pairs of the auction. Each order pays the gas of its own trade or more, in any settlement. */
export function directedPairs(task: Task): Map<string, DirectedPair> {
  const pairs = new Map<string, DirectedPair>()
  for (const entry of task.auction.orders) {
    const key = pairKey(entry.order, task)
    const { sell, buy } = pairOf(entry.order, task)
    const pair = pairs.get(key) ?? { sell, buy, members: [], poolRate: poolRate(task, sell, buy), offer: 0 }
    const member = batchOrderAt(task, [sell, buy], entry, tradeGas)
    if (member) pair.members.push(member)
    if (member) pair.offer = Math.max(pair.offer, 1 / member.minRate)
    pairs.set(key, pair)
  }
  return pairs
}

export function oppositeOf(pairs: ReadonlyMap<string, DirectedPair>, pair: DirectedPair) {
  return pair.sell === pair.buy ? undefined : pairs.get(directedPair(pair.buy, pair.sell))
}

/**
 * The orders that pools or opposite orders could fill, most valuable first. Most open orders are out of
 * reach, and need no search.
 */
export function prospectsOf(task: Task, pair: DirectedPair, opposite: DirectedPair | undefined): Prospect[] {
  const offered = opposite?.offer ?? 0
  const inReach = pair.members.filter(({ minRate }) => minRate <= Math.max(pair.poolRate, offered))
  const volume = inReach.reduce((sum, { entry }) => sum + entry.order.sellAmount, 0n)
  const curve = pair.poolRate > 0 && volume > 0n ? curveBetween(task, pair.sell, pair.buy, volume) : []
  const demand = (opposite?.members ?? []).reduce((sum, { entry }) => sum + Number(entry.order.buyAmount), 0)
  return inReach
    .map((member) => toProspect(pair, member, curve, { offered, demand }))
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth)
}

/** The most valuable orders that fit into one transaction. */
export function largestBatch(prospects: readonly Prospect[]): AuctionOrder[] {
  const batch: AuctionOrder[] = []
  let [gas, bytes] = [settlementBaseGas, 0]
  for (const { entry } of prospects.toSorted((a, b) => b.worth - a.worth)) {
    const [moreGas, moreBytes] = [tradeGas + entry.extraGas, bytesOf(entry)]
    if (gas + moreGas > maxBatchGas || bytes + moreBytes > maxBatchBytes) continue
    gas += moreGas
    bytes += moreBytes
    batch.push(entry)
  }
  return batch
}

/** The bought atoms for a sold atom: no route pays more. */
function poolRate(task: Task, sell: TokenPair['sell'], buy: TokenPair['buy']): number {
  return sell === buy ? 1 : Number(rateBound(task.pools, sell, buy)) / 2 ** Number(rateBits)
}

/**
 * Creates a prospect.
 * @param demand maximum sold atoms that opposite orders take, each at the `offered` rate or a worse one
 */
function toProspect(
  pair: DirectedPair,
  member: BatchOrder,
  curve: ClearingCurve,
  { offered, demand }: { offered: number; demand: number },
): Prospect {
  const min = minSold(member)
  const taken = demand * demandMargin
  const sold = member.entry.order.partiallyFillable && taken > 0 ? Math.min(min, taken) : min
  const matched = Math.min(sold, taken)
  const routed = pair.sell === pair.buy ? sold : outputOf(curve, sold)
  const best = Math.max(routed, matched * offered + outputOf(curve, sold - matched))
  return { entry: member.entry, worth: worthAt(member, best / sold) }
}

/** The atoms of the smallest fill, at the limit price. */
function minSold({ entry, isSell, amount, limit }: BatchOrder): number {
  return (isSell ? amount : limit) * (entry.order.partiallyFillable ? minPart : 1)
}

function bytesOf({ order: { signature, interactions } }: AuctionOrder): number {
  const hooks = [...interactions.pre, ...interactions.post]
  return hooks.reduce(
    (sum, { callData }) => sum + callData.length / 2 + hookBytes,
    tradeBytes + signature.length / 2,
  )
}

type Pairs = ReadonlyMap<string, DirectedPair>

/** Tokens that orders pass on in sequence. Orders or pools exchange the last one for the first. */
interface Ring {
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
const maxGain = 2

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
  const gain = Math.min(offers * Math.max(closing?.offer ?? 0, pools), maxGain)
  if (!(gain > 1)) return undefined
  const min = Math.min(...edges.map((edge) => volumeOf(task, edge)))
  return { tokens, gain, promise: (gain - 1) * min }
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
