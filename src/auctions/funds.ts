import type { Spendable } from '../chain/chain.ts'
import type { OrderAnswer } from '../chain/order/order-check.ts'
import { maxOf, minOf, mulDivDown } from '../domain/amount.ts'
import type { Order } from '../domain/order/order.ts'
import { needsCodeCheck, soldByRest } from './code-checks.ts'
import type { AuctionServices } from './services.ts'

/** Spendable sell atoms; orders of one account share them, the oldest first. */
export interface Funds {
  left(order: Order): bigint
  take(order: Order, remaining: bigint): void
}

/** Usable atoms by `holding`, for orders of which nothing else has a say in that. */
export async function readHoldings(
  orders: readonly Order[],
  { spendable }: Pick<AuctionServices, 'spendable'>,
): Promise<ReadonlyMap<string, bigint>> {
  const plain = orders.filter((order) => !needsCodeCheck(order))
  const holders = [...new Map(plain.map((order) => [holding(order), order])).values()]
  const read = await spendable(holders.map(({ owner, sellToken }) => ({ owner, token: sellToken })))
  return new Map(holders.map((order, index) => [holding(order), usable(read[index])]))
}

/** @param answers say what the other orders have to spend, once their pre hooks ran */
export function createFunds(
  held: ReadonlyMap<string, bigint>,
  answers: ReadonlyMap<bigint, OrderAnswer>,
): Funds {
  const taken = new Map<string, bigint>()
  return {
    left(order) {
      const all = needsCodeCheck(order)
        ? usableByAnswer(order, answers.get(order.id))
        : held.get(holding(order))
      return maxOf((all ?? 0n) - (taken.get(holding(order)) ?? 0n), 0n)
    },
    take(order, remaining) {
      const sold =
        order.kind === 'sell' ? remaining : mulDivDown(remaining, order.sellAmount, order.buyAmount)
      taken.set(holding(order), (taken.get(holding(order)) ?? 0n) + sold)
    },
  }
}

function holding({ owner, sellToken }: Order): string {
  return `${owner}:${sellToken}`
}

function usable(funds: Spendable | undefined): bigint {
  return funds ? minOf(funds.balance, funds.allowance) : 0n
}

/** A token that refuses the transfer although there is enough of it pays nothing. */
function usableByAnswer(order: Order, answer: OrderAnswer | undefined): bigint {
  const funds = usable(answer)
  return answer?.transfer !== 'ok' && funds >= soldByRest(order) ? 0n : funds
}
