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

/**
 * The price of a token by outside estimators.
 * @throws Refusal with the reason for none; Outage if they do not answer
 */
export type OutsidePrice = (token: Address) => Promise<NativeRate>

export interface OutsidePriceDeps {
  network: Network
  estimators: readonly Estimator[]
  verification: VerificationMode
  verify(estimate: Estimate, trade: VerifiedTrade, signal: AbortSignal): Promise<Verification>
  /** Notes the newest block. @returns a function that reports whether there is a newer one */
  markBlock(): () => Promise<boolean>
  /** The time limit of one request to all estimators, in milliseconds. */
  timeoutMs: number
  log: Log
  now: Clock
}

const freshMs = 600_000
/**
 * The age from which a price is read again before its use. A younger stale price is used while it is
 * refreshed.
 */
const usableMs = 1_800_000
/** The time for which a missing price is cached. */
const absentMs = 60_000
const maxPrices = 20_000
/** The number of concurrent requests for tokens: a client that names many must not flood the estimators. */
const maxRunning = 16

const anyTrader = { from: zeroAddress, receiver: null, preHooks: [], postHooks: [] }

type Price = (NativeRate | { refusal: Refusal }) & { readAt: number }

/** Prices tokens by buy orders of a fixed native amount, and caches the results. */
export function createOutsidePrice(deps: OutsidePriceDeps): OutsidePrice {
  const { estimators, now } = deps
  let running = 0
  const prices = new LRUCache<Address, Price>({
    max: maxPrices,
    ttl: freshMs,
    ttlResolution: 0,
    perf: { now },
    noDeleteOnFetchRejection: true,
    async fetchMethod(token, _stale, { options }) {
      if (running >= maxRunning) throw new Outage('the price of a token without a pool')
      running++
      try {
        const price = await readPrice(token, deps)
        if ('refusal' in price) options.ttl = absentMs
        return { ...price, readAt: now() }
      } finally {
        running--
      }
    },
  })
  return async (token) => {
    if (estimators.length === 0) throw noLiquidity()
    const cached = prices.peek(token, { allowStale: true })
    const isUsable = cached !== undefined && !('refusal' in cached) && now() - cached.readAt < usableMs
    const price = await prices.fetch(token, { allowStale: isUsable, allowStaleOnFetchRejection: isUsable })
    if (!price) throw noLiquidity()
    if ('refusal' in price) throw price.refusal
    return price
  }
}

async function readPrice(
  token: Address,
  { network, estimators, verification, verify, markBlock, timeoutMs, log }: OutsidePriceDeps,
): Promise<NativeRate | { refusal: Refusal }> {
  const { wrappedNative, priceAmount } = network
  const ask: Ask = { kind: 'buy', sellToken: token, buyToken: wrappedNative, amount: priceAmount }
  const deadline = startDeadline(timeoutMs)
  try {
    let best: Estimate | undefined
    const estimates = compete({
      ask,
      router: null,
      others: estimators,
      verificationPolicy: {
        ...verificationPolicyFor('optimal', verification),
        requiresSimulated: verification !== 'unverified',
      },
      verify: (estimate, signal) => verify(estimate, { ...anyTrader, ask }, signal),
      hasMoved: markBlock(),
      value: Promise.resolve(({ sellAmount }: Estimate) => -sellAmount),
      signal: deadline.signal,
      log,
    })
    for await (const better of estimates) best = better
    return best ? { nativeAmount: priceAmount, tokenAmount: best.sellAmount } : { refusal: noLiquidity() }
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault
    // A claimed price does not count, because fees are computed with it.
    return { refusal: fault.code === 'QuoteNotVerified' ? noLiquidity() : fault }
  } finally {
    deadline.end()
  }
}
