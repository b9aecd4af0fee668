import type { Address } from '../domain/evm/address.ts'
import type { Quote, QuoteReply, QuoteRequest } from '../domain/quote/quote.ts'
import type { Database } from '../storage/database/database.ts'
import { findReply, insertQuote } from '../storage/quote/quotes.ts'
import { inTime, startDeadline } from './deadline.ts'
import { type Priced, type PriceTask, type PricingServices, price } from './price.ts'
import { type AcceptedRequest, acceptRequest, type QuoteRequestServices } from './request.ts'
import {
  type VerificationMode,
  type VerificationPolicy,
  verificationPolicyFor,
} from './verification/policy.ts'

/** The dependencies of quoting on one network. Reads throw an Outage if the node does not answer. */
export interface QuoteServices extends PricingServices, QuoteRequestServices {
  db: Database
  verification: VerificationMode
  /** The number of usable estimates that a fast quote waits for. */
  fastResults: number
  /** Reads a quote of this network by its id. */
  storedQuote(id: bigint): Promise<Quote | undefined>
}

/** The part of a request's time that is reserved for storing the quote; a tenth of a very short time. */
const storingMs = 50
/**
 * The minimum time limit for storing a quote: once there is a price, a slow database may exceed the request's
 * time a little.
 */
const lateStoringMs = 1_000

/**
 * Quotes the requested order within the request's time limit.
 * @param takeGas counts the gas that hooks may use
 * @throws Refusal in the interface's order: appData, accounts, balances, validity, tokens, then the market's
 *   (UnsupportedToken, NoLiquidity, SellAmountDoesNotCoverFee, other codes of estimators); Unavailable if no
 *   estimator answers in time; Outage
 */
export async function quote(
  request: QuoteRequest,
  services: QuoteServices,
  takeGas?: TakeGas,
): Promise<QuoteReply> {
  const deadline = startDeadline(workingTime(request))
  const endsAt = services.now() + request.timeoutMs
  try {
    const accepted = await inTime(acceptRequest(request, services), deadline.signal)
    const isFast = request.priceQuality === 'fast'
    const verificationPolicy = verificationPolicyFor(request.priceQuality, services.verification)
    takeHooksGas(accepted, verificationPolicy, services, takeGas)
    const task: PriceTask = {
      ...toTask(request, accepted),
      verificationPolicy,
      ...(isFast && { enough: services.fastResults }),
    }
    const priced = await price(task, services, deadline.signal)
    return isFast
      ? unstoredReply(priced, accepted)
      : await storeQuote(priced, accepted, services, endsAt - services.now())
  } finally {
    deadline.end()
  }
}

/** Counts gas before the node is asked to run that much. @throws Refusal RateLimited */
export type TakeGas = (gas: bigint) => void

/**
 * The maximum number of simulations of an estimate: if the market moves meanwhile, it is simulated once more.
 */
const runs = 2n

/**
 * Counts the gas of the trader's hooks, which run in each simulation of an estimate.
 * @throws Refusal RateLimited
 */
export function takeHooksGas(
  { hooksGas }: AcceptedRequest,
  { simulates }: VerificationPolicy,
  { others }: Pick<QuoteServices, 'others'>,
  takeGas: TakeGas | undefined,
): void {
  if (simulates === 'nothing') return
  const simulations = BigInt(others.length + (simulates === 'everything' ? 1 : 0))
  takeGas?.(runs * hooksGas * simulations)
}

export function workingTime({ timeoutMs }: QuoteRequest): number {
  return timeoutMs - Math.min(storingMs, Math.floor(timeoutMs / 10))
}

export function toTask(
  { kind, sellToken, buyToken, size }: QuoteRequest,
  { trader, extraGas }: AcceptedRequest,
): Omit<PriceTask, 'verificationPolicy'> {
  return { kind, sellToken, buyToken, size, trader, extraGas }
}

/**
 * Stores a quote under an id that orders can name.
 * @throws Refusal Unavailable if the database is too slow; Outage
 */
export async function storeQuote(
  priced: Priced,
  { terms, quoteKind, expiration }: AcceptedRequest,
  { db }: Pick<QuoteServices, 'db'>,
  remainingMs = 0,
): Promise<QuoteReply> {
  const { route } = priced
  const quote = { ...priced.quote, quoteKind, expiration }
  const deadline = startDeadline(Math.max(lateStoringMs, remainingMs))
  try {
    const id = await inTime(insertQuote(db, quote, { terms, route }), deadline.signal)
    return { quote: { ...quote, id }, terms, route }
  } finally {
    deadline.end()
  }
}

/**
 * The stored reply, only for the account that requested it: ids are sequential, so any caller could read
 * other traders' quotes.
 */
export async function replyTo(
  from: Address,
  id: bigint,
  { db, network }: Pick<QuoteServices, 'db' | 'network'>,
): Promise<QuoteReply | undefined> {
  const reply = await findReply(db, network.chainId, id)
  return reply?.terms.from === from ? reply : undefined
}

/** The reply of a fast quote, which is a hint: it counts as not verified, and no order can name it. */
function unstoredReply(priced: Priced, { terms, quoteKind }: AcceptedRequest): QuoteReply {
  return {
    quote: { ...priced.quote, quoteKind, expiration: new Date(0), verified: false, id: null },
    terms,
    route: priced.route,
  }
}
