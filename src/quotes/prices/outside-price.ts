import { LRUCache } from 'lru-cache'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { NativeRate } from '../../domain/token/native-rate.ts'
import { compete } from '../competition.ts'
import { startDeadline } from '../deadline.ts'
import type { Ask, Estimate, Estimator } from '../estimator.ts'
import { noLiquidity } from '../fault-choice.ts'
import { type VerificationMode, verificationPolicyFor } from '../verification/policy.ts'
import type { Verification, VerifiedTrade } from '../verification/verify.ts'

/** What others say a token is worth. @throws Refusal why there is no price, Outage when they are away */
export type OutsidePrice = (token: Address) => Promise<NativeRate>

export interface OutsidePriceDeps {
  network: Network
  estimators: readonly Estimator[]
  verification: VerificationMode
  verify(estimate: Estimate, trade: VerifiedTrade, signal: AbortSignal): Promise<Verification>
  /** For one question to all of them, in milliseconds. */
  timeoutMs: number
  log: Log
  now: Clock
}

const freshMs = 600_000
/** A price this old is read anew before it is used; a younger one is used while the next is on its way. */
const usableMs = 1_800_000
/** That there is none can change sooner. */
const absentMs = 60_000
const maxPrices = 20_000
/** Tokens that are asked about at a time: whoever names many must not flood anybody. */
const maxAsked = 16

const anybody = { from: zeroAddress, receiver: null, preHooks: [], postHooks: [] }

type Price = (NativeRate | { refusal: Refusal }) & { readAt: number }

/** Asked with a buy order of a fixed native amount, and remembered. */
export function createOutsidePrice(deps: OutsidePriceDeps): OutsidePrice {
  const { estimators, now } = deps
  let asking = 0
  const prices = new LRUCache<Address, Price>({
    max: maxPrices,
    ttl: freshMs,
    ttlResolution: 0,
    perf: { now },
    noDeleteOnFetchRejection: true,
    async fetchMethod(token, _stale, { options }) {
      if (asking >= maxAsked) throw new Outage('the price of a token that only others know')
      asking++
      try {
        const price = await ask(token, deps)
        if ('refusal' in price) options.ttl = absentMs
        return { ...price, readAt: now() }
      } finally {
        asking--
      }
    },
  })
  return async (token) => {
    if (estimators.length === 0) throw noLiquidity()
    const known = prices.peek(token, { allowStale: true })
    const isUsable = known !== undefined && !('refusal' in known) && now() - known.readAt < usableMs
    const price = await prices.fetch(token, { allowStale: isUsable, allowStaleOnFetchRejection: isUsable })
    if (!price) throw noLiquidity()
    if ('refusal' in price) throw price.refusal
    return price
  }
}

async function ask(
  token: Address,
  { network, estimators, verification, verify, timeoutMs, log }: OutsidePriceDeps,
): Promise<NativeRate | { refusal: Refusal }> {
  const { wrappedNative, priceAmount } = network
  const question: Ask = { kind: 'buy', sellToken: token, buyToken: wrappedNative, amount: priceAmount }
  const deadline = startDeadline(timeoutMs)
  try {
    let best: Estimate | undefined
    const answers = compete({
      ask: question,
      router: null,
      others: estimators,
      verificationPolicy: {
        ...verificationPolicyFor('optimal', verification),
        requiresSimulated: verification !== 'unverified',
      },
      verify: (estimate, signal) => verify(estimate, { ...anybody, ask: question }, signal),
      value: Promise.resolve(({ sellAmount }: Estimate) => -sellAmount),
      signal: deadline.signal,
      log,
    })
    for await (const better of answers) best = better
    return best ? { nativeAmount: priceAmount, tokenAmount: best.sellAmount } : { refusal: noLiquidity() }
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault
    // A price that is a mere word is none: fees are reckoned with it.
    return { refusal: fault.code === 'QuoteNotVerified' ? noLiquidity() : fault }
  } finally {
    deadline.end()
  }
}
