import { Refusal } from '../domain/errors/error.ts'
import type { QuoteReply, QuoteRequest } from '../domain/quote/quote.ts'
import { type Deadline, inTime, startDeadline } from './deadline.ts'
import type { Estimate } from './estimator.ts'
import { type Priced, type PriceTask, type Pricing, startPricing, toPriced } from './price.ts'
import { type GasMeter, type QuoteServices, storeQuote, takeHooksGas, toTask, workingTime } from './quote.ts'
import { type AcceptedRequest, acceptRequest } from './request.ts'
import { verificationPolicyFor } from './verification/policy.ts'

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
