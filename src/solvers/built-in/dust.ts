import { priceScale } from '../../domain/amount.ts'
import type { AuctionOrder } from '../../domain/auction/auction.ts'
import type { Proposal } from '../../domain/auction/solution.ts'
import type { Address } from '../../domain/evm/address.ts'
import { outcomeOf, pairOf, type Task } from './task.ts'

/** The factor within which all fees stay: rounding one to whole atoms may double it. */
const maxFactor = 2n
/** The parts of the gas and of the volume that rounding may leave in the contract besides fees. */
const [gasPart, volumePart] = [10n, 100_000n]

/**
 * Returns what the contract keeps besides the fees that the trades show, or lacks of them, in native atoms;
 * undefined if it pays more than it gets, if that rest is more than the rounding of each amount leaves, in
 * atoms or in value, or if the network fees are more than twice the cost of the gas.
 * @param gas the gas that the orders pay for
 */
export function dustOf(
  task: Task,
  entries: readonly AuctionOrder[],
  { trades, prices, paths = [] }: Proposal,
  gas: bigint,
): bigint | undefined {
  const worth = (token: Address, amount: bigint) =>
    (amount * (task.auction.nativePrices.get(token) ?? 0n)) / priceScale
  const kept = new Map<Address, bigint>()
  const shown: (readonly [Address, bigint])[] = []
  const planned: (readonly [Address, bigint])[] = []
  const add = (totals: Map<Address, bigint>, token: Address, amount: bigint) =>
    totals.set(token, (totals.get(token) ?? 0n) + amount)
  const keep = (token: Address, amount: bigint) => add(kept, token, amount)
  let [fees, volume, roundings] = [0n, 0n, 0n]
  for (const [index, trade] of trades.entries()) {
    const entry = entries[index]
    const outcome = entry && outcomeOf(task, entry, trade, prices)
    if (!outcome) return undefined
    const { sell, buy } = pairOf(entry.order, task)
    const { networkFee, feeSide, protocolFees, ...fill } = outcome.execution
    const feeToken = feeSide === 'sell' ? sell : buy
    keep(sell, fill.sell)
    keep(buy, -fill.buy)
    const surplusToken = entry.order.kind === 'sell' ? buy : sell
    const protocol = protocolFees.map((fee) => [surplusToken, fee] as const)
    shown.push([feeToken, networkFee], ...protocol)
    planned.push([sell, trade.fee], [buy, trade.boughtFee ?? 0n], ...protocol)
    fees += worth(feeToken, networkFee)
    volume += worth(sell, fill.sell)
    roundings += BigInt(1 + protocolFees.length)
  }
  for (const { hops, amountIn, amountOut } of paths) {
    keep(hops[0].tokenIn, -amountIn)
    keep((hops.at(-1) ?? hops[0]).tokenOut, amountOut)
    roundings += BigInt(hops.length)
  }
  if ([...kept.values()].some((amount) => amount < 0n)) return undefined
  // What rounding leaves besides the fees as they were planned, which the prices show only in part.
  const unplanned = new Map(kept)
  for (const [token, fee] of planned) add(unplanned, token, -fee)
  if ([...unplanned.values()].some((amount) => amount > roundings || -amount > roundings)) return undefined
  for (const [token, fee] of shown) keep(token, -fee)
  const cost = gas * task.auction.gasPrice
  const dust = cost / gasPart + volume / volumePart
  const rest = [...kept].reduce(
    (sum, [token, amount]) => sum + worth(token, amount < 0n ? -amount : amount),
    0n,
  )
  return fees <= maxFactor * cost + dust && rest <= dust ? rest : undefined
}
