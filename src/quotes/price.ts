import { formatRatioDown } from '../domain/amount.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Log } from '../domain/log.ts'
import type { OrderKind } from '../domain/order/order.ts'
import type { Quote, QuoteRoute, QuoteSize } from '../domain/quote/quote.ts'
import { toQuoteRoute } from '../domain/quote/route.ts'
import { wrappedForm } from '../domain/token/token.ts'
import { feeUp, quotedAmounts } from './amounts.ts'
import { compete } from './competition.ts'
import { inTime } from './deadline.ts'
import type { Estimate, Estimator } from './estimator.ts'
import { type PriceDesk, readNativeRate } from './prices/native-price.ts'
import { type MarketPrices, worthIn } from './prices/value-after-gas.ts'
import type { Belief } from './verification/policy.ts'
import type { Verification, VerifiedTrade } from './verification/verify.ts'

/** Who would trade, and what the order calls beside the trade. */
export type Trader = Omit<VerifiedTrade, 'ask'>

export interface PriceTask {
  kind: OrderKind
  sellToken: Address
  buyToken: Address
  size: QuoteSize
  trader: Trader
  /** Gas beyond the trade itself: of hooks, and of a contract's signature. */
  extraGas: bigint
  belief: Belief
  /** So many usable estimates will do. */
  enough?: number
}

/** What pricing needs from outside. Everything throws an Outage when the node does not answer. */
export interface PricingDesk extends PriceDesk {
  log: Log
  /** Our own estimator. */
  router: Estimator
  others: readonly Estimator[]
  verify(estimate: Estimate, trade: VerifiedTrade, signal: AbortSignal): Promise<Verification>
  /** Reads symbol and decimals of tokens that are not stored yet. */
  learnTokens(tokens: readonly Address[]): Promise<void>
}

export interface Pricing {
  prices: MarketPrices
  /** Each better than the one before. */
  estimates: AsyncGenerator<Estimate, void>
}

export interface Priced {
  quote: Omit<Quote, 'id' | 'quoteKind' | 'expiration'>
  route: QuoteRoute | null
}

/**
 * Asks all estimators, and meanwhile for everything that their answers are reckoned with: without that there is no quote.
 * @throws Refusal NoLiquidity when a token has no price, UnsupportedToken, Unavailable when time is over; Outage
 */
export async function startPricing(
  task: PriceTask,
  desk: PricingDesk,
  signal: AbortSignal,
): Promise<Pricing> {
  const { kind, sellToken, buyToken, size, trader } = task
  const ask = { kind, sellToken, buyToken, amount: size.amount }
  const prices = readPrices(task, desk)
  const checked = Promise.all([
    desk.checkTokens([sellToken, buyToken]),
    desk.learnTokens([sellToken, buyToken]),
  ])
  const worth = prices.then((known) => worthIn(kind, known))
  for (const started of [checked, worth]) started.catch(() => {})
  const estimates = compete({
    ask,
    router: desk.router,
    others: desk.others,
    belief: task.belief,
    verify: (estimate, until) => desk.verify(estimate, { ...trader, ask }, until),
    worth,
    signal,
    log: desk.log,
    ...(task.enough !== undefined && { enough: task.enough }),
  })
  // What is wrong with a token says more than that nobody has a price for it.
  await inTime(checked, signal)
  return { prices: await inTime(prices, signal), estimates }
}

/** The best there is. @throws Refusal, Outage */
export async function price(task: PriceTask, desk: PricingDesk, signal: AbortSignal): Promise<Priced> {
  const { prices, estimates } = await startPricing(task, desk, signal)
  let best: Estimate | undefined
  for await (const better of estimates) best = better
  if (!best) throw new TypeError('estimates ended without one')
  return toPriced(best, task, prices, desk)
}

/** @throws Refusal SellAmountDoesNotCoverFee, SellAmountOverflow, NoLiquidity */
export function toPriced(
  estimate: Estimate,
  { kind, sellToken, buyToken, size, extraGas }: PriceTask,
  { gasPrice, sellRate }: MarketPrices,
  { network }: Pick<PricingDesk, 'network'>,
): Priced {
  const { gas, solver, execution, route, block } = estimate
  const feeAmount = feeUp(gas + extraGas, gasPrice, sellRate)
  return {
    quote: {
      chainId: network.chainId,
      kind,
      sellToken,
      buyToken,
      ...quotedAmounts(size, estimate, feeAmount),
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

async function readPrices({ sellToken, buyToken }: PriceTask, desk: PricingDesk): Promise<MarketPrices> {
  const view = await desk.look([[sellToken, wrappedForm(buyToken, desk.network.wrappedNative)]])
  const [sellRate, buyRate] = await Promise.all([
    readNativeRate(sellToken, view, desk),
    readNativeRate(buyToken, view, desk),
  ])
  return { gasPrice: view.gasPrice, sellRate, buyRate }
}
