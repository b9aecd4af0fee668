import type { OrderAnswer } from '../../chain/order/order-check.ts'
import { revertDataText } from '../../chain/rpc/revert.ts'
import { minOf, mulDivDown } from '../../domain/amount.ts'
import {
  type Contender,
  canPay,
  type Outlook,
  outlookOf,
  rankOf,
  takePlaces,
} from '../../domain/auction/admission.ts'
import { directedPair } from '../../domain/auction/score.ts'
import type { Address } from '../../domain/evm/address.ts'
import { accountOf, filledAmount, type Order } from '../../domain/order/order.ts'
import { settlementGas, tradeGas } from '../../domain/settlement/gas.ts'
import { wrappedForm } from '../../domain/token/token.ts'
import { needsCodeCheck, remainingSellAmount } from './code-checks.ts'
import type { Funds } from './funds.ts'
import type { Verdict } from './standings.ts'

/** An order that can be settled as far as the service knows, with how likely that is. */
export interface Candidate extends Contender {
  order: Order
  outlook: Outlook
}

/** An order with a place in the auction. */
export interface Admitted {
  order: Order
  /** Unfilled atoms of the fixed side that the owner can pay for. */
  remaining: bigint
  answer: OrderAnswer | undefined
}

export interface PriceView {
  /** Native atoms for 10^18 atoms, by token. */
  nativePrices: ReadonlyMap<Address, bigint>
  gasPrice: bigint
  wrappedNative: Address
}

/** The most likely first, the older of equals. Orders without a price, or worth less than their gas in any batch, are verdicts. */
export function rankOrders(
  orders: readonly Order[],
  view: PriceView,
): { candidates: Candidate[]; verdicts: Verdict[] } {
  const fee = settlementGas(1, 1) * view.gasPrice
  const leastFee = tradeGas * view.gasPrice
  const candidates: Candidate[] = []
  const verdicts: Verdict[] = []
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
    if (!canPay(remaining, sell, leastFee)) {
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
 * Gives each account's balance to its likeliest orders, and the places to the likeliest of these. An order about which something is
 * not known yet gets neither a place nor a verdict.
 * @param candidates the most likely first
 */
export function admit(
  candidates: readonly Candidate[],
  answers: ReadonlyMap<bigint, OrderAnswer>,
  funds: Funds,
  places: number,
): { admitted: Admitted[]; verdicts: Verdict[] } {
  const verdicts: Verdict[] = []
  const funded: (Candidate & Admitted)[] = []
  for (const candidate of candidates) {
    const { order, owner, pair, outlook, rank } = candidate
    const answer = needsCodeCheck(order) ? answers.get(order.id) : undefined
    const verdict = judge(candidate, answer, funds)
    if (!verdict) continue
    if ('remaining' in verdict)
      funded.push({ order, owner, pair, outlook, rank, remaining: verdict.remaining, answer })
    else verdicts.push(verdict)
  }
  const admitted = takePlaces(funded, places)
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

function judge(
  { order, outlook }: Candidate,
  answer: OrderAnswer | undefined,
  funds: Funds,
): Verdict | { remaining: bigint } | undefined {
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
