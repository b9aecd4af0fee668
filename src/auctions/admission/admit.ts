import type { Spendable } from '../../chain/chain.ts'
import type { OrderAnswer } from '../../chain/order/order-check.ts'
import { revertDataText } from '../../chain/rpc/revert.ts'
import { maxOf, minOf, mulDivDown } from '../../domain/amount.ts'
import {
  type Contender,
  canPay,
  type Outlook,
  outlookOf,
  rankOf,
  selectContenders,
} from '../../domain/auction/admission.ts'
import { directedPair } from '../../domain/auction/score.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Shortage } from '../../domain/notification/notification.ts'
import { accountOf, filledAmount, type Order } from '../../domain/order/order.ts'
import { settlementGas, tradeGas } from '../../domain/settlement/gas.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import { needsCodeCheck, remainingSellAmount } from './code-checks.ts'
import { holdingKey } from './holdings.ts'
import type { StandingUpdate } from './standings.ts'

/** Spendable sell atoms. The orders of one account share them: who takes first has them. */
interface Funds {
  /** The rest that earlier orders have left; undefined while it is not known. */
  available(order: Order): bigint | undefined
  /** The funds of the account, regardless of other orders; undefined while they are not known. */
  held(order: Order): Spendable | undefined
  take(order: Order, remaining: bigint): void
  /** The row key of the order that took first of the same balance. */
  takenBy(order: Order): bigint | undefined
  /**
   * The funds that are missing regardless of other orders; null for none, undefined while that is not known.
   */
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

/** The missing atoms. One atom suffices for a partially fillable order; without it, its rest is missing. */
function shortageOf(order: Order, { balance, allowance }: Spendable): Shortage | null {
  const min = order.partiallyFillable ? 1n : order.sellAmount
  if (minOf(balance, allowance) >= min) return null
  const missing = (held: bigint) => (held < min ? remainingSellAmount(order) - held : 0n)
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

/** An order that can be settled as far as the service knows, with how likely that is. */
interface Candidate extends Contender {
  order: Order
  outlook: Outlook
}

/** One whose tokens may have no price. */
export type AnyCandidate = Contender & Pick<Candidate, 'order'> & { outlook: Outlook | undefined }

/** An order with a place in the auction. */
export interface Admitted {
  order: Order
  /** Unfilled atoms of the fixed side that the owner can pay for. */
  remaining: bigint
  answer: OrderAnswer | undefined
}

interface PriceView {
  /** Native atoms for 10^18 atoms, by token. */
  nativePrices: ReadonlyMap<Address, bigint>
  gasPrice: bigint
  wrappedNative: Address
}

/**
 * The most likely first, the older of equals. Orders without a price, or worth less than their gas in any
 * batch, are verdicts.
 */
export function rankOrders(
  orders: readonly Order[],
  view: PriceView,
): { candidates: Candidate[]; verdicts: StandingUpdate[] } {
  const fee = settlementGas(1, 1) * view.gasPrice
  const minFee = tradeGas * view.gasPrice
  const candidates: Candidate[] = []
  const verdicts: StandingUpdate[] = []
  for (const order of orders) {
    const buyToken = wrappedForm(order.buyToken, view.wrappedNative)
    const [sell, buy] = [view.nativePrices.get(order.sellToken), view.nativePrices.get(buyToken)]
    if (!sell || !buy) {
      const unpriced = [...(sell ? [] : [order.sellToken]), ...(buy ? [] : [order.buyToken])]
      verdicts.push({ order, reason: 'missing_native_price', unpriced })
      continue
    }
    const remaining = remainingSellAmount(order)
    const outlook = outlookOf(order, { sell, buy }, remaining, fee)
    if (!canPay(remaining, sell, minFee)) {
      verdicts.push({ order, outlook, reason: 'fee_exceeds_value' })
      continue
    }
    const pair = directedPair(order.sellToken, buyToken)
    candidates.push({ order, owner: accountOf(order), pair, outlook, rank: rankOf(outlook) })
  }
  candidates.sort((a, b) => (a.rank === b.rank ? Number(a.order.id - b.order.id) : a.rank > b.rank ? -1 : 1))
  return { candidates, verdicts }
}

/**
 * Gives each account's balance to its likeliest orders, and the places to the likeliest of these. An order
 * about which something is not known yet gets neither a place nor a verdict.
 * @param candidates the most likely first
 */
export function admit(
  candidates: readonly AnyCandidate[],
  answers: ReadonlyMap<bigint, OrderAnswer>,
  funds: Funds,
  places: number,
): { admitted: Admitted[]; verdicts: StandingUpdate[] } {
  const verdicts: StandingUpdate[] = []
  const funded: (AnyCandidate & Admitted)[] = []
  for (const candidate of candidates) {
    const { order, owner, pair, outlook, rank } = candidate
    const answer = needsCodeCheck(order) ? answers.get(order.id) : undefined
    const verdict = admissionOf(candidate, answer, funds)
    if (!verdict) continue
    if ('remaining' in verdict)
      funded.push({ order, owner, pair, outlook, rank, remaining: verdict.remaining, answer })
    else verdicts.push(verdict)
  }
  const admitted = selectContenders(funded, places)
  const isAdmitted = new Set(admitted.map(({ order }) => order.id))
  for (const { order, outlook } of funded)
    verdicts.push({
      order,
      outlook,
      reason: isAdmitted.has(order.id) ? null : 'auction_full',
      shortage: null,
    })
  return { admitted, verdicts }
}

function admissionOf(
  { order, outlook }: AnyCandidate,
  answer: OrderAnswer | undefined,
  funds: Funds,
): StandingUpdate | { remaining: bigint } | undefined {
  if (!answer && needsCodeCheck(order)) return undefined
  if (answer?.signature === 'invalid')
    return { order, outlook, reason: 'invalid_signature', revert: signatureRefusal(answer) }
  const available = funds.available(order)
  if (available === undefined) return undefined
  const remaining = affordable(order, available)
  if (remaining === undefined) {
    const missing = remainingSellAmount(order) - available
    const shortage = funds.shortage(order)
    return {
      order,
      outlook,
      reason: 'insufficient_balance',
      missing,
      held: funds.held(order),
      revert: transferRefusal(order, answer),
      fundsTakenBy: funds.takenBy(order),
      shortage: shortage && { ...shortage, order },
    }
  }
  if (isDust(order, remaining)) return { order, outlook, reason: 'dust_order', shortage: null }
  funds.take(order, remaining)
  return { remaining }
}

const exhausted = 'its code used up its time or gas'

function signatureRefusal({ exhausted: isExhausted, signatureRevert }: OrderAnswer): string | undefined {
  if (isExhausted) return exhausted
  return signatureRevert && revertDataText(signatureRevert)
}

/** Why the token is not transferred though the funds suffice. */
function transferRefusal(order: Order, answer: OrderAnswer | undefined): string | undefined {
  if (!answer || answer.transfer === 'ok') return undefined
  if (answer.exhausted) return exhausted
  return minOf(answer.balance, answer.allowance) < remainingSellAmount(order)
    ? undefined
    : revertDataText(answer.transfer.revert)
}

/**
 * Atoms of the fixed side that `usable` sell atoms can fill: all that remain or none, unless the order is
 * partially fillable.
 */
function affordable(order: Order, usable: bigint): bigint | undefined {
  const target = order.kind === 'sell' ? order.sellAmount : order.buyAmount
  const remaining = target - filledAmount(order)
  if (!order.partiallyFillable) return usable >= order.sellAmount ? remaining : undefined
  if (usable === 0n) return undefined
  return order.kind === 'sell'
    ? minOf(remaining, usable)
    : minOf(remaining, mulDivDown(usable, order.buyAmount, order.sellAmount))
}

/** The remaining amount rounds to zero on one side. */
function isDust(order: Order, remaining: bigint): boolean {
  const [fixed, other] =
    order.kind === 'sell' ? [order.sellAmount, order.buyAmount] : [order.buyAmount, order.sellAmount]
  return mulDivDown(remaining, other, fixed) === 0n
}
