import type { ThrottledWarn } from '../concurrency/throttled-log.ts'
import { mulDivDown, priceScale } from '../domain/amount.ts'
import { createLruCache } from '../domain/derived.ts'
import { Outage, Refusal } from '../domain/errors/error.ts'
import { type Address, zeroAddress } from '../domain/evm/address.ts'
import type { GasMeter } from '../domain/evm/gas-meter.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { Pool } from '../domain/routing/pool.ts'
import { bestRouteForBuy, hopsOf, unroundedPrice } from '../domain/routing/route.ts'
import type { NativeRate } from '../domain/token/prices.ts'
import { wrappedForm } from '../domain/token/token.ts'
import type { TokenPair } from '../market/pools/pairs.ts'
import type { MarketView } from '../market/pools/pools.ts'
import { competeForQuote } from './competition.ts'
import { inTime, startDeadline } from './deadline.ts'
import { type Estimate, type EstimateRequest, type Estimator, noLiquidity } from './estimator.ts'
import { type VerificationMode, verificationPolicyFor } from './verification/policy.ts'
import type { Verification, VerifiedTrade } from './verification/verify.ts'

/**
 * The price of a token by outside estimators.
 * @throws Refusal with the reason for none; Outage if they do not answer
 */
type OutsidePrice = (token: Address) => Promise<NativeRate>

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
  warn: ThrottledWarn
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

/**
 * Prices tokens by buy orders of a fixed native amount, and caches the results. If less than 1,000 atoms buy
 * it, the price is that at which they are sold, and there is none without that.
 */
export function createOutsidePrice(deps: OutsidePriceDeps): OutsidePrice {
  const { estimators, now } = deps
  let running = 0
  const prices = createLruCache<Address, Price>({
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
  { network, estimators, verification, verify, markBlock, timeoutMs, log, warn }: OutsidePriceDeps,
): Promise<NativeRate | { refusal: Refusal }> {
  const { wrappedNative, priceAmount } = network
  const pair = { sellToken: token, buyToken: wrappedNative }
  const deadline = startDeadline(timeoutMs)
  const bestOf = async (ask: EstimateRequest): Promise<NativeRate> => {
    let best: Estimate | undefined
    const estimates = competeForQuote({
      ask,
      router: null,
      others: estimators,
      verificationPolicy: {
        ...verificationPolicyFor('optimal', verification),
        requiresSimulated: verification !== 'unverified',
      },
      verify: (estimate, signal) => verify(estimate, { ...anyTrader, ask }, signal),
      hasMoved: markBlock(),
      value: Promise.resolve(({ sellAmount, buyAmount }: Estimate) => buyAmount - sellAmount),
      signal: deadline.signal,
      log,
      warn,
    })
    for await (const better of estimates) best = better
    if (!best) throw noLiquidity()
    return { nativeAmount: best.buyAmount, tokenAmount: best.sellAmount }
  }
  try {
    const bought = await bestOf({ kind: 'buy', ...pair, amount: priceAmount })
    if (bought.tokenAmount >= minExact) return bought
    // So few atoms are rounded by too much. Sold, they say what they are worth.
    return await bestOf({ kind: 'sell', ...pair, amount: bought.tokenAmount })
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault
    // A claimed price does not count, because fees are computed with it.
    return { refusal: fault.code === 'QuoteNotVerified' ? noLiquidity() : fault }
  } finally {
    deadline.end()
  }
}

/** The search options: the amount is too small to gain from a split over pools. */
const onePath = { maxPaths: 1 }

/** The least amount in atoms whose rounding counts for nothing: 0.1 %. */
const minExact = 1_000n

/**
 * The rate at which token atoms buy a fixed native amount; undefined if no route leads to the native coin.
 * Where whole atoms are too large for that amount, their price is found in parts of them.
 */
export function nativeRate(
  pools: readonly Pool[],
  { wrappedNative, priceAmount }: Pick<Network, 'wrappedNative' | 'priceAmount'>,
  token: Address,
): NativeRate | undefined {
  if (wrappedForm(token, wrappedNative) === wrappedNative) return { nativeAmount: 1n, tokenAmount: 1n }
  const route = bestRouteForBuy(pools, token, wrappedNative, priceAmount, onePath)
  const isExact = route && hopsOf(route).every(({ amountIn }) => amountIn >= minExact)
  const { amountIn, amountOut } =
    (isExact ? route : route && unroundedPrice(pools, token, wrappedNative, priceAmount)) ?? {}
  return amountIn && amountOut ? { nativeAmount: amountOut, tokenAmount: amountIn } : undefined
}

/** Native atoms for 10^18 token atoms, rounded down: the form in stored auctions. */
export function normalizedPriceDown({ nativeAmount, tokenAmount }: NativeRate): bigint {
  return mulDivDown(nativeAmount, priceScale, tokenAmount)
}

/** The dependencies of native prices. */
export interface NativePriceServices {
  network: Network
  policy: TradingPolicy
  /** Reads the market for routes between these pairs. @throws Outage */
  look(pairs: readonly TokenPair[]): Promise<MarketView>
  /** The price of a token that no followed pool connects to the native coin. */
  outsidePrice: OutsidePrice
  /** Checks the tokens. @throws Refusal UnsupportedToken for a token that transfers wrongly; Outage */
  checkTokens(tokens: readonly Address[], meter?: GasMeter): Promise<void>
}

/**
 * The rate of one token by the pools, otherwise by outside estimators.
 * @throws Refusal with the reason for none; Outage
 */
export async function readNativeRate(
  token: Address,
  { pools }: Pick<MarketView, 'pools'>,
  { network, outsidePrice }: Pick<NativePriceServices, 'network' | 'outsidePrice'>,
): Promise<NativeRate> {
  return nativeRate(pools, network, token) ?? (await outsidePrice(token))
}

/** The time limit for prices that a client requests, in milliseconds. */
const maxMs = 5_000

/**
 * Prices tokens like `priceAll`, with a time limit.
 * @throws Refusal Unavailable after the time limit; Outage
 */
export async function readNativeRates(
  tokens: readonly Address[],
  services: NativePriceServices,
  meter?: GasMeter,
): Promise<Map<Address, NativeRate | Refusal>> {
  const deadline = startDeadline(maxMs)
  try {
    return await inTime(priceAll(tokens, services, meter), deadline.signal)
  } finally {
    deadline.end()
  }
}

/**
 * Prices all tokens from one read of the market. A token without a price is left out; a token that is not
 * traded, or not now, has a Refusal.
 * @throws Outage if the market cannot be read
 */
async function priceAll(
  tokens: readonly Address[],
  services: NativePriceServices,
  meter: GasMeter | undefined,
): Promise<Map<Address, NativeRate | Refusal>> {
  const { wrappedNative } = services.network
  const isCoin = (token: Address) => wrappedForm(token, wrappedNative) === wrappedNative
  const { deniedTokens } = services.policy
  const pairs = tokens
    .filter((token) => !deniedTokens.has(token) && !isCoin(token))
    .map((token): TokenPair => [token, wrappedNative])
  const view = pairs.length > 0 ? await services.look(pairs) : { pools: [] }
  const readRate = async (token: Address): Promise<NativeRate> => {
    if (deniedTokens.has(token)) throw new Refusal('UnsupportedToken', `${token} is not traded here`)
    const rate = await readNativeRate(token, view, services)
    if (!isCoin(token)) await services.checkTokens([token], meter)
    return rate
  }
  const rates = await Promise.all(
    tokens.map(async (token) => [token, await readRate(token).catch(refusalOf)] as const),
  )
  return new Map(rates.filter(([, rate]) => !(rate instanceof Refusal && rate.code === 'NoLiquidity')))
}

/** The refusal for an error. An outage affects only its own token. */
function refusalOf(fault: unknown): Refusal {
  if (fault instanceof Refusal) return fault
  if (fault instanceof Outage) return new Refusal('Unavailable', fault.message)
  throw fault
}
