import type { Spendable } from '../../chain/chain.ts'
import type { OrderAnswer } from '../../chain/order/order-check.ts'
import { maxOf, minOf, mulDivDown } from '../../domain/amount.ts'
import type { Shortage } from '../../domain/notification/text.ts'
import type { Order } from '../../domain/order/order.ts'
import { needsCodeCheck, remainingSellAmount } from './code-checks.ts'
import { holdingKey } from './holdings.ts'

/** Spendable sell atoms. The orders of one account share them: who takes first has them. */
export interface Funds {
  /** What the orders before have left; undefined while it is not known. */
  available(order: Order): bigint | undefined
  /** What the account has, whatever other orders take; undefined while it is not known. */
  held(order: Order): Spendable | undefined
  take(order: Order, remaining: bigint): void
  /** The row key of the order that took first of the same balance. */
  takenBy(order: Order): bigint | undefined
  /** What is missing though no other order takes anything; null for nothing, undefined while it is not known. */
  shortage(order: Order): Shortage | null | undefined
}

/**
 * @param holdings by `holdingKey`
 * @param answers funds of the orders that need a code check, after their pre hooks
 */
export function createFunds(
  holdings: ReadonlyMap<string, Spendable>,
  answers: ReadonlyMap<bigint, OrderAnswer>,
): Funds {
  function held(order: Order): Spendable | undefined {
    const answer = needsCodeCheck(order) ? answers.get(order.id) : undefined
    // The answer has the worst values if the order's code used up its time.
    if (answer?.exhausted) return undefined
    return needsCodeCheck(order) ? answer : holdings.get(holdingKey(order))
  }
  const taken = new Map<string, { amount: bigint; first: bigint }>()
  return {
    available(order) {
      const key = holdingKey(order)
      const answer = answers.get(order.id)
      const held = holdings.get(key)
      const total = needsCodeCheck(order) ? usableByAnswer(order, answer) : held && usable(held)
      return total === undefined ? undefined : maxOf(total - (taken.get(key)?.amount ?? 0n), 0n)
    },
    held,
    take(order, remaining) {
      const sold =
        order.kind === 'sell' ? remaining : mulDivDown(remaining, order.sellAmount, order.buyAmount)
      const key = holdingKey(order)
      const before = taken.get(key)
      if (before) before.amount += sold
      else taken.set(key, { amount: sold, first: order.id })
    },
    takenBy: (order) => taken.get(holdingKey(order))?.first,
    shortage(order) {
      const funds = held(order)
      return funds && shortageOf(order, funds)
    },
  }
}

/** Of a partially fillable order any atom suffices, but what remains of it is missing. */
function shortageOf(order: Order, { balance, allowance }: Spendable): Shortage | null {
  const least = order.partiallyFillable ? 1n : order.sellAmount
  if (minOf(balance, allowance) >= least) return null
  const missing = (held: bigint) => (held < least ? remainingSellAmount(order) - held : 0n)
  return { balance: missing(balance), allowance: missing(allowance) }
}

function usable(funds: Spendable | undefined): bigint {
  return funds ? minOf(funds.balance, funds.allowance) : 0n
}

/** Zero if the token refuses the transfer although the funds suffice. */
function usableByAnswer(order: Order, answer: OrderAnswer | undefined): bigint {
  const funds = usable(answer)
  return answer?.transfer !== 'ok' && funds >= remainingSellAmount(order) ? 0n : funds
}
