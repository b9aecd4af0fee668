import type { Address } from '../domain/evm/address.ts'
import type { Quote, QuoteReply, QuoteRequest } from '../domain/quote/quote.ts'
import type { Database } from '../storage/database/database.ts'
import { findReply, insertQuote } from '../storage/quote/quotes.ts'
import { inTime, startDeadline } from './deadline.ts'
import { type Priced, type PriceTask, type PricingServices, price } from './price.ts'
import { type AcceptedRequest, acceptRequest, type QuoteRequestServices } from './request.ts'
import { type VerificationMode, verificationPolicyFor } from './verification/policy.ts'

/** What quoting on one network needs from outside. Reads throw an Outage when the node does not answer. */
export interface QuoteServices extends PricingServices, QuoteRequestServices {
  db: Database
  verification: VerificationMode
  /** Usable estimates that a fast quote waits for. */
  fastResults: number
  /** A quote of this network that was given before. */
  storedQuote(id: bigint): Promise<Quote | undefined>
}

/** Of a request's time, what is left for storing its answer; of a very short one a tenth. */
const storingMs = 50
/** A price that is found already waits for a slow database for what is left of its time, and beyond that not for long. */
const lateStoringMs = 1_000

/**
 * Prices an order of the request's form, within the time that the request gives.
 * @throws Refusal in the order of the contract: appData, accounts, balances, validity, tokens, then the market's (UnsupportedToken,
 * NoLiquidity, SellAmountDoesNotCoverFee and what else estimators say); Unavailable when time is over before anybody answered; Outage
 */
export async function quote(request: QuoteRequest, services: QuoteServices): Promise<QuoteReply> {
  const deadline = startDeadline(workingTime(request))
  const endsAt = services.now() + request.timeoutMs
  try {
    const accepted = await inTime(acceptRequest(request, services), deadline.signal)
    const isFast = request.priceQuality === 'fast'
    const task: PriceTask = {
      ...toTask(request, accepted),
      verificationPolicy: verificationPolicyFor(request.priceQuality, services.verification),
      ...(isFast && { enough: services.fastResults }),
    }
    const priced = await price(task, services, deadline.signal)
    return isFast
      ? notStored(priced, accepted)
      : await stored(priced, accepted, services, endsAt - services.now())
  } finally {
    deadline.end()
  }
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

/** With an id, by which an order can name it. @throws Refusal Unavailable when the database is too slow, Outage */
export async function stored(
  { quote: offer, route }: Priced,
  { terms, quoteKind, expiration }: AcceptedRequest,
  { db }: Pick<QuoteServices, 'db'>,
  leftMs = 0,
): Promise<QuoteReply> {
  const kept = { ...offer, quoteKind, expiration }
  const deadline = startDeadline(Math.max(lateStoringMs, leftMs))
  try {
    const id = await inTime(insertQuote(db, kept, { terms, route }), deadline.signal)
    return { quote: { ...kept, id }, terms, route }
  } finally {
    deadline.end()
  }
}

/** A quote as it was answered, for whom it was made: ids follow each other, and what others are about to trade is nobody's business. */
export async function replyTo(
  from: Address,
  id: bigint,
  { db, network }: Pick<QuoteServices, 'db' | 'network'>,
): Promise<QuoteReply | undefined> {
  const reply = await findReply(db, network.chainId, id)
  return reply?.terms.from === from ? reply : undefined
}

/** A fast quote is a hint: nothing was simulated for its sake, and no order can name it. */
function notStored({ quote: offer, route }: Priced, { terms, quoteKind }: AcceptedRequest): QuoteReply {
  return { quote: { ...offer, quoteKind, expiration: new Date(0), verified: false, id: null }, terms, route }
}
