import { mulDivDown, mulDivUp } from '../../domain/amount.ts'
import type { AuctionOrder } from '../../domain/auction/auction.ts'
import type { ProposedTrade } from '../../domain/auction/solution.ts'
import { factorScale } from '../../domain/fee/policy.ts'
import type { NetworkFee } from '../../domain/settlement/gas.ts'
import { orderFeeUp, pairOf, type Task } from './task.ts'

/**
 * An order that may take part in a group, with its size and fee, and the figures in doubles for its choice.
 * Tokens are indices.
 */
export interface BatchOrder {
  entry: AuctionOrder
  /** The atoms of the fixed side, with the fee of a sell order. */
  filled: bigint
  trade: Required<ProposedTrade>
  from: number
  to: number
  isSell: boolean
  /** The atoms of the fixed side without the fee in the sold token, with the fee in the bought one. */
  amount: number
  /**
   * The maximum atoms that the order gives without its fee, and the minimum that it takes, with the fee that
   * is kept from them. One of them is fixed.
   */
  give: bigint
  take: bigint
  /** The minimum price(from) / price(to) that the order accepts after its fees: `take` divided by `give`. */
  minRate: number
  /**
   * The minimum bought atoms of a sell order, with the fee in the bought token; the maximum sold atoms,
   * without the fee, of a buy order.
   */
  limit: number
  /** The score of one atom of surplus. */
  unit: number
}

/**
 * Creates a member.
 * @returns undefined without a native price, or if the fee leaves nothing of the order or of its limit
 */
export function toBatchOrder(
  task: Task,
  tokens: readonly string[],
  entry: AuctionOrder,
  filled: bigint,
  fee: NetworkFee,
): BatchOrder | undefined {
  const { order } = entry
  const isSell = order.kind === 'sell'
  const pair = pairOf(order, task)
  const price = task.auction.nativePrices.get(pair.buy)
  const executedAmount = isSell ? filled - fee.sold : filled
  if (price === undefined || executedAmount <= 0n) return undefined
  const trade = { orderUid: order.uid, executedAmount, fee: fee.sold, boughtFee: fee.bought }
  const { give, take, net } = worstTerms(entry, trade)
  if (give <= 0n || take <= 0n) return undefined
  return {
    entry,
    filled,
    trade,
    from: tokens.indexOf(pair.sell),
    to: tokens.indexOf(pair.buy),
    isSell,
    amount: Number(isSell ? give : take),
    give,
    take,
    minRate: Number(take) / Number(give),
    limit: Number(net),
    unit: (Number(price) / 1e18) * (isSell ? 1 : Number(order.buyAmount) / Number(order.sellAmount)),
  }
}

export function feeOf({ trade }: BatchOrder): NetworkFee {
  return { sold: trade.fee, bought: trade.boughtFee }
}

/** The member with its share of a settlement's gas as fee. */
export function batchOrderAt(
  task: Task,
  tokens: readonly string[],
  entry: AuctionOrder,
  gas: bigint,
  filled = entry.remaining,
): BatchOrder | undefined {
  const fee = orderFeeUp(task, entry, gas)
  return fee === undefined ? undefined : toBatchOrder(task, tokens, entry, filled, fee)
}

/** The order's contribution to the score at price(from) / price(to); negative beyond its limit. */
export function worthAt({ isSell, amount, limit, unit }: BatchOrder, rate: number): number {
  return unit * (isSell ? amount * rate - limit : limit - amount / rate)
}

export function rateOf({ from, to }: Pick<BatchOrder, 'from' | 'to'>, prices: readonly number[]): number {
  return (prices[from] ?? 0) / (prices[to] ?? 1)
}

/** The acceptance of the prices by an order: at least 1 if it accepts them. */
export function acceptance(member: BatchOrder, prices: readonly number[]): number {
  return rateOf(member, prices) / member.minRate
}

/**
 * The maximum that an order gives and the minimum that it takes, without its network fee but with volume
 * fees, which apply at any price. `net` is its limit without volume fees.
 */
function worstTerms(
  { order, feePolicies }: AuctionOrder,
  { executedAmount, fee, boughtFee }: Required<ProposedTrade>,
) {
  const volumeFactors = feePolicies.flatMap((policy) => (policy.kind === 'volume' ? [policy.factor] : []))
  if (order.kind === 'sell') {
    const net = mulDivUp(executedAmount + fee, order.buyAmount, order.sellAmount)
    const take = volumeFactors.reduceRight(
      (sum, factor) => mulDivUp(sum, factorScale, factorScale - factor),
      net,
    )
    return { give: executedAmount, take: take + boughtFee, net: net + boughtFee }
  }
  const max = mulDivDown(executedAmount, order.sellAmount, order.buyAmount)
  const gross = volumeFactors.reduceRight(
    (sum, factor) => mulDivDown(sum, factorScale, factorScale + factor),
    max,
  )
  return { give: gross - fee, take: executedAmount + boughtFee, net: max - fee }
}
