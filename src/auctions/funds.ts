import type { Spendable } from '../chain/chain.ts'
import type { OrderAnswer } from '../chain/order/order-check.ts'
import { maxOf, minOf, mulDivDown } from '../domain/amount.ts'
import type { Order } from '../domain/order/order.ts'
import { needsCodeCheck, remainingSellAmount } from './code-checks.ts'
import type { AuctionServices } from './services.ts'

/** Spendable sell atoms; orders of one account share them, the oldest order first. */
export interface Funds {
  available(order: Order): bigint
  take(order: Order, remaining: bigint): void
}

/** Usable atoms by `holdingKey`, for orders that need no code check. */
export async function readHoldings(
  orders: readonly Order[],
  { spendable }: Pick<AuctionServices, 'spendable'>,
): Promise<ReadonlyMap<string, bigint>> {
  const plain = orders.filter((order) => !needsCodeCheck(order))
  const holders = [...new Map(plain.map((order) => [holdingKey(order), order])).values()]
  const funds = await spendable(holders.map(({ owner, sellToken }) => ({ owner, token: sellToken })))
  return new Map(holders.map((order, index) => [holdingKey(order), usable(funds[index])]))
}

/** @param answers funds of the orders that need a code check, after their pre hooks */
export function createFunds(
  holdings: ReadonlyMap<string, bigint>,
  answers: ReadonlyMap<bigint, OrderAnswer>,
): Funds {
  const taken = new Map<string, bigint>()
  return {
    available(order) {
      const total = needsCodeCheck(order)
        ? usableByAnswer(order, answers.get(order.id))
        : holdings.get(holdingKey(order))
      return maxOf((total ?? 0n) - (taken.get(holdingKey(order)) ?? 0n), 0n)
    },
    take(order, remaining) {
      const sold =
        order.kind === 'sell' ? remaining : mulDivDown(remaining, order.sellAmount, order.buyAmount)
      taken.set(holdingKey(order), (taken.get(holdingKey(order)) ?? 0n) + sold)
    },
  }
}

function holdingKey({ owner, sellToken }: Order): string {
  return `${owner}:${sellToken}`
}

function usable(funds: Spendable | undefined): bigint {
  return funds ? minOf(funds.balance, funds.allowance) : 0n
}

/** Zero if the token refuses the transfer although the funds suffice. */
function usableByAnswer(order: Order, answer: OrderAnswer | undefined): bigint {
  const funds = usable(answer)
  return answer?.transfer !== 'ok' && funds >= remainingSellAmount(order) ? 0n : funds
}
