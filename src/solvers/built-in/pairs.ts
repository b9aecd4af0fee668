import type { AuctionOrder } from '../../domain/auction/auction.ts'
import { directedPair } from '../../domain/auction/score.ts'
import { rateBits } from '../../domain/routing/graph.ts'
import { rateBound } from '../../domain/routing/route.ts'
import { maxTransactionGas, settlementBaseGas, tradeGas } from '../../domain/settlement/gas.ts'
import { type Curve, curveBetween, outputOf } from './curve.ts'
import { type Member, memberAt, worthAt } from './member.ts'
import { pairKey, pairOf, type Task, type TokenPair } from './task.ts'

/** The orders of one directed pair whose limits leave something of their fee. */
export interface DirectedPair extends TokenPair {
  members: Member[]
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
const smallestPart = 1 / 64
/** The factor on the demand: opposite orders take more than at their limits if the price is better. */
const demandMargin = 1.1

/** The pairs of the auction. Each order pays at least for its own trade, whatever it is settled with. */
export function directedPairs(task: Task): Map<string, DirectedPair> {
  const pairs = new Map<string, DirectedPair>()
  for (const entry of task.auction.orders) {
    const key = pairKey(entry.order, task)
    const { sell, buy } = pairOf(entry.order, task)
    const pair = pairs.get(key) ?? { sell, buy, members: [], poolRate: poolRate(task, sell, buy), offer: 0 }
    const member = memberAt(task, [sell, buy], entry, tradeGas)
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
export function poolRate(task: Task, sell: TokenPair['sell'], buy: TokenPair['buy']): number {
  return sell === buy ? 1 : Number(rateBound(task.pools, sell, buy)) / 2 ** Number(rateBits)
}

/**
 * Creates a prospect.
 * @param demand maximum sold atoms that opposite orders take, each at the `offered` rate or a worse one
 */
function toProspect(
  pair: DirectedPair,
  member: Member,
  curve: Curve,
  { offered, demand }: { offered: number; demand: number },
): Prospect {
  const least = minSold(member)
  const taken = demand * demandMargin
  const sold = member.entry.order.partiallyFillable && taken > 0 ? Math.min(least, taken) : least
  const matched = Math.min(sold, taken)
  const routed = pair.sell === pair.buy ? sold : outputOf(curve, sold)
  const best = Math.max(routed, matched * offered + outputOf(curve, sold - matched))
  return { entry: member.entry, worth: worthAt(member, best / sold) }
}

/** The atoms of the smallest fill, at the limit price. */
function minSold({ entry, isSell, amount, limit }: Member): number {
  return (isSell ? amount : limit) * (entry.order.partiallyFillable ? smallestPart : 1)
}

function bytesOf({ order: { signature, interactions } }: AuctionOrder): number {
  const hooks = [...interactions.pre, ...interactions.post]
  return hooks.reduce(
    (sum, { callData }) => sum + callData.length / 2 + hookBytes,
    tradeBytes + signature.length / 2,
  )
}
