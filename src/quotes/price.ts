import type { ThrottledWarn } from '../concurrency/throttled-log.ts'
import { formatRatioDown } from '../domain/amount.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { GasMeter } from '../domain/evm/gas-meter.ts'
import type { Log } from '../domain/log.ts'
import type { OrderKind } from '../domain/order/order.ts'
import type { Quote, QuoteSize } from '../domain/quote/quote.ts'
import { type QuoteRoute, toQuoteRoute } from '../domain/quote/route.ts'
import { networkFeeUp } from '../domain/settlement/gas.ts'
import type { NativeRate } from '../domain/token/prices.ts'
import { wrappedForm } from '../domain/token/token.ts'
import { buysNothing, type MarketPrices, quotedAmounts, valueAfterGas } from './amounts.ts'
import { competeForQuote } from './competition.ts'
import { inTime } from './deadline.ts'
import { type Estimate, type Estimator, EstimatorsAway, noLiquidity } from './estimator.ts'
import { type NativePriceServices, readNativeRate } from './native-price.ts'
import type { VerificationPolicy } from './verification/policy.ts'
import type { Verification, VerifiedTrade } from './verification/verify.ts'

/** The trader's accounts, and the order's hooks. */
export type Trader = Omit<VerifiedTrade, 'ask' | 'onGas'>

export interface PriceTask {
  kind: OrderKind
  sellToken: Address
  buyToken: Address
  size: QuoteSize
  trader: Trader
  /** The gas of hooks and of a contract signature. */
  extraGas: bigint
  /** Counts the gas of simulations and of trials of tokens. */
  meter: GasMeter
  /** The gas of hooks, which was counted before. */
  hooksGas: bigint
  verificationPolicy: VerificationPolicy
  /** The number of usable estimates after which the competition ends. */
  enough?: number
}

/** The dependencies of pricing. All throw an Outage if the node does not answer. */
export interface PricingServices extends NativePriceServices {
  log: Log
  warn: ThrottledWarn
  /** The service's own estimator. */
  router: Estimator
  others: readonly Estimator[]
  verify(estimate: Estimate, trade: VerifiedTrade, signal: AbortSignal): Promise<Verification>
  /** Notes the newest block. @returns a function that reports whether there is a newer one */
  markBlock(): () => Promise<boolean>
  /** Reads symbol and decimals of tokens that are not stored yet. */
  learnTokens(tokens: readonly Address[]): Promise<void>
}

export interface Pricing {
  prices: MarketPrices
  /** The estimates, each better than the previous one. */
  estimates: AsyncGenerator<Estimate, void>
}

export interface Priced {
  quote: Omit<Quote, 'id' | 'quoteKind' | 'expiration'>
  route: QuoteRoute | null
}

/** The gas of a simulation without hooks that is not counted. */
const coveredGas = 1_000_000n

/**
 * Asks all estimators, and meanwhile reads the prices and token checks that every quote needs.
 * @throws Refusal NoLiquidity if a token has no price, UnsupportedToken, Unavailable after the time limit;
 *   Outage
 */
export async function startPricing(
  task: PriceTask,
  services: PricingServices,
  signal: AbortSignal,
): Promise<Pricing> {
  const { kind, sellToken, buyToken, size, trader, meter } = task
  const ask = { kind, sellToken, buyToken, amount: size.amount }
  const prices = readPrices(task, services)
  const checks = Promise.all([
    services.checkTokens([sellToken, buyToken], meter),
    services.learnTokens([sellToken, buyToken]),
  ])
  const value = prices.then((marketPrices) => valueAfterGas(kind, marketPrices))
  for (const started of [checks, value]) started.catch(() => {})
  const onGas = (gas: bigint) => {
    const beyond = gas - task.hooksGas - coveredGas
    if (beyond > 0n) meter.addGas?.(beyond)
  }
  const found = competeForQuote({
    ask,
    router: services.router,
    others: services.others,
    verificationPolicy: task.verificationPolicy,
    verify: (estimate, until) => services.verify(estimate, { ...trader, ask, onGas }, until),
    hasMoved: services.markBlock(),
    value,
    signal,
    log: services.log,
    warn: services.warn,
    ...(task.enough !== undefined && { enough: task.enough }),
  })
  // Awaited first, because a token's fault is more useful than its missing price.
  await inTime(checks, signal)
  return { prices: await inTime(prices, signal), estimates: namingSize(found, size) }
}

/** Adds the size form to refusals of a size that is too small, because estimators do not know it. */
async function* namingSize(
  estimates: AsyncGenerator<Estimate, void>,
  { form }: QuoteSize,
): AsyncGenerator<Estimate, void> {
  try {
    yield* estimates
  } catch (fault) {
    const isTooSmall = fault instanceof Refusal && fault.code === 'SellAmountDoesNotCoverFee'
    throw isTooSmall ? buysNothing(form) : fault
  }
}

/** Prices the best estimate. @throws Refusal, Outage */
export async function price(
  task: PriceTask,
  services: PricingServices,
  signal: AbortSignal,
): Promise<Priced> {
  const { prices, estimates } = await startPricing(task, services, signal)
  let best: Estimate | undefined
  for await (const better of estimates) best = better
  if (!best) throw new TypeError('estimates ended without one')
  return toPriced(best, task, prices, services)
}

/** Converts an estimate to a price. @throws Refusal SellAmountDoesNotCoverFee, SellAmountOverflow */
export function toPriced(
  estimate: Estimate,
  { kind, sellToken, buyToken, size, extraGas }: PriceTask,
  { gasPrice, sellRate, buyRate }: MarketPrices,
  { network }: Pick<PricingServices, 'network'>,
): Priced {
  const { gas, solver, execution, route, block } = estimate
  const fee = networkFeeUp((gas + extraGas) * gasPrice, sellRate, buyRate)
  return {
    quote: {
      chainId: network.chainId,
      kind,
      sellToken,
      buyToken,
      ...quotedAmounts(size, estimate, fee),
      gasAmount: gas,
      gasPrice,
      sellTokenPrice: formatRatioDown(sellRate.nativeAmount, sellRate.tokenAmount),
      solver,
      verified: estimate.standing === 'simulated',
      calls: execution && {
        preInteractions: execution.preInteractions,
        interactions: execution.interactions,
      },
    },
    route: route && block !== null ? toQuoteRoute(route, block) : null,
  }
}

async function readPrices(
  { sellToken, buyToken }: PriceTask,
  services: PricingServices,
): Promise<MarketPrices> {
  const view = await services.look([[sellToken, wrappedForm(buyToken, services.network.wrappedNative)]])
  const [sellRate, buyRate] = await Promise.all([
    rateOf(sellToken, view, services),
    rateOf(buyToken, view, services),
  ])
  return { gasPrice: view.gasPrice, sellRate, buyRate }
}

/** Reads a rate. If the pools have no route, a failed outside estimator counts as one without a price. */
async function rateOf(...asked: Parameters<typeof readNativeRate>): Promise<NativeRate> {
  try {
    return await readNativeRate(...asked)
  } catch (fault) {
    throw fault instanceof EstimatorsAway ? noLiquidity() : fault
  }
}
