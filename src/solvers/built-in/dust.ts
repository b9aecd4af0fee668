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
  const shown: Amount[] = []
  const planned: Amount[] = []
  const keep = (token: Address, amount: bigint) => kept.set(token, (kept.get(token) ?? 0n) + amount)
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
  // The prices show planned fees only in part: rounding may leave so many atoms besides these.
  if (restOf(kept, planned).some(([, amount]) => amount > roundings)) return undefined
  const cost = gas * task.auction.gasPrice
  const dust = cost / gasPart + volume / volumePart
  const rest = restOf(kept, shown).reduce((sum, [token, amount]) => sum + worth(token, amount), 0n)
  return fees <= maxFactor * cost + dust && rest <= dust ? rest : undefined
}

type Amount = readonly [token: Address, amount: bigint]

/** Returns the amounts by which these fees differ from what is kept, all positive. */
function restOf(kept: ReadonlyMap<Address, bigint>, fees: readonly Amount[]): Amount[] {
  const rest = new Map(kept)
  for (const [token, fee] of fees) rest.set(token, (rest.get(token) ?? 0n) - fee)
  return [...rest].map(([token, amount]) => [token, amount < 0n ? -amount : amount])
}
