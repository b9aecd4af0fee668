import { Outage, Refusal } from '../domain/errors/error.ts'
import type { RefusalCode } from '../domain/errors/refusal-codes.ts'
import type { Address } from '../domain/evm/address.ts'
import type { GasMeter } from '../domain/evm/gas-meter.ts'
import type { OrderData, SigningScheme } from '../domain/order/order.ts'
import type { Quote, QuoteSize } from '../domain/quote/quote.ts'
import { findQuoteFor, insertQuoteForOrder } from '../storage/quote/quotes.ts'
import { startDeadline } from './deadline.ts'
import { type Priced, price } from './price.ts'
import type { QuoteServices } from './quote.ts'
import { quoteKind } from './request.ts'
import { verificationPolicyFor } from './verification/policy.ts'

/** The time limit of a new quote for an order that names none, in milliseconds. */
const implicitMs = 1_000

export type UnquotedOrder = OrderData & {
  owner: Address
  signingScheme: SigningScheme
  quoteId: bigint | null
}

/**
 * The quote that is stored with an order: the one it names if that fits and has not expired, otherwise the
 * best fitting stored quote for this kind of signature, otherwise a new one. It never changes the order's
 * amounts.
 * @param meter counts the gas of a new quote
 * @returns null if nothing trades the pair, or no estimator answers in time: such an order is accepted too
 */
export async function quoteForOrder(
  order: UnquotedOrder,
  services: QuoteServices,
  meter: GasMeter = {},
): Promise<Quote | null> {
  const stored = (await namedQuote(order, services)) ?? (await bestStoredQuote(order, services))
  if (stored) return order.kind === 'sell' ? rescale(stored, order.sellAmount) : stored
  try {
    return await newQuote(order, services, meter)
  } catch (error) {
    if (!isWithoutPrice(error)) throw error
    return null
  }
}

/**
 * Codes that mean no price. A size that is too small for any trade now may be large enough after the market
 * has moved.
 */
const withoutPrice = new Set<RefusalCode>(['NoLiquidity', 'SellAmountDoesNotCoverFee', 'Unavailable'])

function isWithoutPrice(error: unknown): boolean {
  if (error instanceof Refusal) return withoutPrice.has(error.code)
  return error instanceof Outage
}

async function namedQuote(order: UnquotedOrder, services: QuoteServices): Promise<Quote | undefined> {
  if (order.quoteId === null) return undefined
  const quote = await services.storedQuote(order.quoteId)
  return quote && fits(quote, order) && quote.expiration.getTime() >= services.now() ? quote : undefined
}

async function bestStoredQuote(order: UnquotedOrder, services: QuoteServices): Promise<Quote | undefined> {
  return findQuoteFor(services.db, {
    ...order,
    chainId: services.network.chainId,
    quoteKind: searchedKind(order.signingScheme),
    amount: order.kind === 'sell' ? order.sellAmount : order.buyAmount,
    now: new Date(services.now()),
  })
}

async function newQuote(order: UnquotedOrder, services: QuoteServices, meter: GasMeter): Promise<Quote> {
  // One unit, so that a client that owes for earlier trials waits.
  meter.takeGas?.(1n)
  const { quote } = await priceOrder(order, services, { meter })
  const offer: Omit<Quote, 'id'> = {
    ...quote,
    quoteKind: searchedKind(order.signingScheme),
    expiration: new Date(services.now() + services.limits.offered * 1000),
  }
  return { ...offer, id: await insertQuoteForOrder(services.db, offer, order) }
}

/**
 * Prices a whole order at the market without storing anything.
 * @throws Refusal NoLiquidity, Unavailable if no estimator answers in time, other codes of estimators; Outage
 */
export async function priceOrder(
  order: UnquotedOrder,
  services: QuoteServices,
  { extraGas = 0n, meter }: { extraGas?: bigint; meter: GasMeter },
): Promise<Priced> {
  const size: QuoteSize =
    order.kind === 'sell'
      ? { form: 'sellAmountAfterFee', amount: order.sellAmount }
      : { form: 'buyAmountAfterFee', amount: order.buyAmount }
  const deadline = startDeadline(implicitMs)
  try {
    return await price(
      {
        ...pairOf(order),
        size,
        trader: { from: order.owner, receiver: order.receiver, preHooks: [], postHooks: [] },
        extraGas,
        hooksGas: 0n,
        meter,
        verificationPolicy: verificationPolicyFor('optimal', services.verification),
      },
      services,
      deadline.signal,
    )
  } finally {
    deadline.end()
  }
}

function pairOf({ kind, sellToken, buyToken }: UnquotedOrder) {
  return { kind, sellToken, buyToken }
}

/**
 * The quote named by an order placed on chain, in the form stored with the order; null if it has expired or
 * is for another amount.
 */
export function namedQuoteFor(quote: Quote, order: OrderData, at: Date): Quote | null {
  if (!fits(quote, order) || quote.expiration < at) return null
  return order.kind === 'sell' ? rescale(quote, order.sellAmount) : quote
}

export function isOfPair(quote: Quote, { kind, sellToken, buyToken }: OrderData): boolean {
  return quote.kind === kind && quote.sellToken === sellToken && quote.buyToken === buyToken
}

function fits(quote: Quote, order: OrderData): boolean {
  if (!isOfPair(quote, order)) return false
  return order.kind === 'buy'
    ? quote.buyAmount === order.buyAmount
    : quote.sellAmount === order.sellAmount || quote.sellAmount + quote.feeAmount === order.sellAmount
}

/** Scales a sell quote to the order's size, at the quote's rate, rounded down. */
function rescale(quote: Quote, sellAmount: bigint): Quote {
  return { ...quote, sellAmount, buyAmount: (quote.buyAmount * sellAmount) / quote.sellAmount }
}

function searchedKind(scheme: SigningScheme) {
  return quoteKind(scheme, true)
}
