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
 * undefined if it pays more than it gets, if that rest is more than dust, or if the network fees are more
 * than twice the cost of the gas. With large atoms the amounts of a batch may round to as much.
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
  const keep = (token: Address, amount: bigint) => kept.set(token, (kept.get(token) ?? 0n) + amount)
  let [fees, volume] = [0n, 0n]
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
    shown.push([feeToken, networkFee], ...protocolFees.map((fee) => [surplusToken, fee] as const))
    fees += worth(feeToken, networkFee)
    volume += worth(sell, fill.sell)
  }
  for (const { hops, amountIn, amountOut } of paths) {
    keep(hops[0].tokenIn, -amountIn)
    keep((hops.at(-1) ?? hops[0]).tokenOut, amountOut)
  }
  if ([...kept.values()].some((amount) => amount < 0n)) return undefined
  for (const [token, fee] of shown) keep(token, -fee)
  const cost = gas * task.auction.gasPrice
  const dust = cost / gasPart + volume / volumePart
  const rest = [...kept].reduce(
    (sum, [token, amount]) => sum + worth(token, amount < 0n ? -amount : amount),
    0n,
  )
  return fees <= maxFactor * cost + dust && rest <= dust ? rest : undefined
}
