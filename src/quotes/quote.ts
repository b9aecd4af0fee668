import { maxOf } from '../domain/amount.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { GasMeter } from '../domain/evm/gas-meter.ts'
import type { Quote, QuoteReply, QuoteRequest } from '../domain/quote/quote.ts'
import type { Database } from '../storage/database/database.ts'
import { findReply, insertQuote } from '../storage/quote/quotes.ts'
import { type Deadline, inTime, startDeadline } from './deadline.ts'
import type { Estimate } from './estimator.ts'
import {
  type Priced,
  type PriceTask,
  type Pricing,
  type PricingServices,
  price,
  startPricing,
  toPriced,
} from './price.ts'
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
 * @param meter counts the gas of simulations and of trials of tokens
 * @throws Refusal in the interface's order: appData, accounts, balances, validity, tokens, then the market's
 *   (UnsupportedToken, NoLiquidity, SellAmountDoesNotCoverFee, other codes of estimators); Unavailable if no
 *   estimator answers in time; Outage
 */
export async function quote(
  request: QuoteRequest,
  services: QuoteServices,
  meter: GasMeter = {},
): Promise<QuoteReply> {
  const deadline = startDeadline(workingTime(request))
  const endsAt = services.now() + request.timeoutMs
  try {
    const accepted = await inTime(acceptRequest(request, services), deadline.signal)
    const isFast = request.priceQuality === 'fast'
    const verificationPolicy = verificationPolicyFor(request.priceQuality, services.verification)
    takeHooksGas(accepted, verificationPolicy, services, meter)
    const task: PriceTask = {
      ...toTask(request, accepted, meter),
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

/**
 * The maximum number of simulations of an estimate: if the market moves meanwhile, it is simulated once more.
 */
const runs = 2n

/**
 * Counts the gas of the trader's hooks, which run in each simulation of an estimate.
 * @throws Refusal RateLimited
 */
function takeHooksGas(
  { hooksGas }: AcceptedRequest,
  { simulates }: VerificationPolicy,
  { others }: Pick<QuoteServices, 'others'>,
  meter: GasMeter,
): void {
  const own = simulates === 'everything' ? 1 : 0
  const simulations = simulates === 'nothing' ? 0 : others.length + own
  // At least one unit, so that a client that owes for earlier simulations and trials waits.
  meter.takeGas?.(maxOf(1n, runs * hooksGas * BigInt(simulations)))
}

function workingTime({ timeoutMs }: QuoteRequest): number {
  return timeoutMs - Math.min(storingMs, Math.floor(timeoutMs / 10))
}

function toTask(
  { kind, sellToken, buyToken, size }: QuoteRequest,
  { trader, extraGas, hooksGas }: AcceptedRequest,
  meter: GasMeter,
): Omit<PriceTask, 'verificationPolicy'> {
  return { kind, sellToken, buyToken, size, trader, extraGas, hooksGas, meter }
}

/**
 * Stores a quote under an id that orders can name.
 * @throws Refusal Unavailable if the database is too slow; Outage
 */
async function storeQuote(
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

/**
 * Yields quotes as estimates arrive, each stored, each better than the previous one; all have the same
 * expiration. Ends when all estimators have answered, after the time limit, or when `signal` aborts.
 * @throws Refusal, Outage at once if it cannot start; from the generator if there was no quote at all
 */
export async function quoteStream(
  request: QuoteRequest,
  services: QuoteServices,
  signal: AbortSignal,
  meter: GasMeter = {},
): Promise<AsyncGenerator<QuoteReply, void>> {
  const deadline = startDeadline(workingTime(request), signal)
  try {
    const accepted = await inTime(acceptRequest(request, services), deadline.signal)
    const verificationPolicy = verificationPolicyFor('stream', services.verification)
    takeHooksGas(accepted, verificationPolicy, services, meter)
    const task = { ...toTask(request, accepted, meter), verificationPolicy }
    const pricing = await startPricing(task, services, deadline.signal)
    return replies(pricing, task, accepted, services, { deadline, signal })
  } catch (fault) {
    deadline.end()
    throw fault
  }
}

async function* replies(
  { estimates, prices }: Pricing,
  task: PriceTask,
  accepted: AcceptedRequest,
  services: QuoteServices,
  { deadline, signal }: { deadline: Deadline; signal: AbortSignal },
): AsyncGenerator<QuoteReply, void> {
  let isEmpty = true
  let firstRefusal: Refusal | undefined
  const attempt = (estimate: Estimate): Priced | undefined => {
    try {
      return toPriced(estimate, task, prices, services)
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault
      firstRefusal ??= fault
      return undefined
    }
  }
  try {
    for await (const estimate of estimates) {
      if (signal.aborted) return
      const priced = attempt(estimate)
      if (!priced) continue
      isEmpty = false
      yield await tryToStore(priced, accepted, services)
    }
  } catch (fault) {
    if (!signal.aborted) throw fault
  } finally {
    deadline.end()
  }
  if (isEmpty && firstRefusal && !signal.aborted) throw firstRefusal
}

/**
 * Stores a quote if possible. A quote that could not be stored is sent without an id, so that no order can
 * name it.
 */
async function tryToStore(
  priced: Priced,
  accepted: AcceptedRequest,
  services: QuoteServices,
): Promise<QuoteReply> {
  try {
    return await storeQuote(priced, accepted, services)
  } catch (fault) {
    services.log.error('a quote was not saved', { fault: String(fault) })
    const { terms, quoteKind, expiration } = accepted
    return { quote: { ...priced.quote, quoteKind, expiration, id: null }, terms, route: priced.route }
  }
}
