import { abortable } from '../../concurrency/abortable.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { goesBy } from '../../domain/network/chains.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { gasUnits } from '../../domain/settlement/gas.ts'
import { type Token, wrappedForm } from '../../domain/token/token.ts'
import type { TokenPair } from '../../market/pools/pairs.ts'
import type { MarketView } from '../../market/pools/pools.ts'
import { createDriver, type Driver } from '../../solvers/driver/quote-client.ts'
import { createSolverEngine, type SolverEngine } from '../../solvers/engine/client.ts'
import { quoteOrder, readEngineQuote } from '../../solvers/engine/quote.ts'
import { tokensOf } from '../../solvers/engine/request.ts'
import type { OutsideQuestion, QuoteClaim } from '../../solvers/outside/quote.ts'
import { type Estimate, type EstimateRequest, type Estimator, noLiquidity } from '../estimator.ts'
import { type GuardLimits, guardedEstimator } from './guarded.ts'

/** The outside estimator that makes a claim. */
interface Claimant {
  name: string
  /**
   * The submission address of its settlements, from the settings. The address in a response is not trusted.
   */
  solver: Address
  wrappedNative: Address
}

/**
 * The ask in the form for outside estimators: the native coin in its wrapped form.
 * @throws Refusal NoLiquidity if that makes both tokens the same, which no outside estimator trades
 */
function outsideRequest(ask: EstimateRequest, { wrappedNative }: Claimant): OutsideQuestion {
  const buyToken = wrappedForm(ask.buyToken, wrappedNative)
  if (ask.sellToken === buyToken) throw noLiquidity()
  return { ...ask, buyToken }
}

/** Converts a claim, adding the gas of unwrapping, which the outside question does not include. */
function claimedEstimate({ buyToken }: EstimateRequest, claim: QuoteClaim, claimant: Claimant): Estimate {
  const isNative = buyToken !== wrappedForm(buyToken, claimant.wrappedNative)
  return {
    ...claim,
    gas: claim.gas + (isNative ? gasUnits.unwrapNative : 0n),
    estimator: claimant.name,
    solver: claimant.solver,
    standing: 'claimed',
    route: null,
    block: null,
  }
}

interface DriverOptions {
  claimant: Claimant
  driver: Driver
  now: Clock
  /** The time limit sent to the driver. */
  answerMs: number
}

/** Creates an estimator from a solver's driver, which reads the market itself. */
function createDriverEstimator({ claimant, driver, now, answerMs }: DriverOptions): Estimator {
  return {
    name: claimant.name,
    async estimate(ask, signal) {
      const deadline = new Date(now() + answerMs)
      const claim = await driver.quote(outsideRequest(ask, claimant), deadline, signal)
      return claimedEstimate(ask, claim, claimant)
    },
  }
}

/** The market data that engines receive with the order. */
interface EngineMarket {
  look(pairs: readonly TokenPair[]): Promise<MarketView>
  tokens(addresses: readonly Address[]): Promise<Map<Address, Token>>
  /**
   * Returns the native atoms for 10^18 token atoms by these pools; null if no route leads to the native coin.
   */
  referencePrice(token: Address, pools: readonly Pool[]): bigint | null
}

interface EngineOptions {
  claimant: Claimant
  engine: SolverEngine
  network: Network
  market: EngineMarket
  now: Clock
  /** The time limit for reading the market. */
  lookMs: number
  /** The time limit sent to the engine. */
  answerMs: number
}

/** Creates an estimator that asks a solver engine to settle an auction of one order. */
function createEngineEstimator(options: EngineOptions): Estimator {
  const { claimant, engine, network, market, now, answerMs } = options
  const { name } = claimant
  return {
    name,
    async estimate(ask, signal) {
      const question = outsideRequest(ask, claimant)
      const orders = [quoteOrder(question)]
      const { pools, gasPrice, tokens } = await readMarket(options, question, signal)
      const auction = {
        id: null,
        orders,
        pools,
        tokens,
        referencePrice: (token: Address) => market.referencePrice(token, pools),
        gasPrice,
        deadline: new Date(now() + answerMs),
      }
      const solutions = await engine.solve(auction, signal)
      const { settlement, vaultRelayer } = network
      const claim = readEngineQuote(solutions, question, { name, pools, settlement, vaultRelayer })
      if (!claim) throw noLiquidity()
      return claimedEstimate(ask, claim, claimant)
    },
  }
}

/**
 * Reads the market. The time limit is shorter than the engine's, so that a slow node does not count as the
 * engine's failure.
 * @throws Outage
 */
function readMarket(
  { market, lookMs }: EngineOptions,
  { sellToken, buyToken }: { sellToken: Address; buyToken: Address },
  signal: AbortSignal,
) {
  const readAll = async () => {
    const { pools, gasPrice } = await market.look([[sellToken, buyToken]])
    const tokens = await market.tokens(tokensOf({ orders: [{ sellToken, buyToken }], pools }))
    return { pools, gasPrice, tokens }
  }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(lookMs)])
  return abortable(readAll(), limit, () => new Outage('the market'))
}

/** An outside estimator: an entry of the settings. */
export interface EstimatorSource {
  kind: 'engine' | 'driver'
  name: string
  /** The base URL: `/solve` or `/quote` is appended to its path, its query is kept. */
  url: string
  /** The submission address of its settlements. */
  address: Address
  /** The network that the estimator serves, by any of its names; all if absent. */
  network?: string | undefined
}

interface OutsideLimits extends GuardLimits {
  /** The time limit for reading the market, before the request to an engine. */
  lookMs: number
  /** The time limit sent to the estimator. */
  answerMs: number
  /**
   * The time limit of the whole exchange. With `lookMs` it ends before `limitMs`, so that the error shows
   * which of the two was late.
   */
  exchangeMs: number
  /** The limit of one response: several times the size of a transaction. */
  maxBytes: number
}

/** The default limits, which leave a part of a quote's five seconds for the simulation. */
export const outsideLimits: OutsideLimits = {
  lookMs: 1_000,
  answerMs: 2_000,
  exchangeMs: 2_500,
  limitMs: 4_000,
  maxBytes: 1_000_000,
  rememberMs: 1_000,
  atOnce: 16,
  failures: 5,
  pauseMs: { min: 1_000, max: 60_000 },
  backOffMs: { min: 1_000, max: 60_000 },
}

export interface OutsideDeps extends EngineMarket {
  network: Network
  now: Clock
  log: Log
  limits?: OutsideLimits
}

/** Creates the estimators for the sources that serve this network. */
export function createOutsideEstimators(sources: readonly EstimatorSource[], deps: OutsideDeps): Estimator[] {
  const { network, now, log, limits = outsideLimits } = deps
  return sources
    .filter((source) => source.network === undefined || goesBy(network, source.network))
    .map((source) => guardedEstimator(createEstimator(source, { ...deps, limits }), { limits, now, log }))
}

function createEstimator(
  { kind, name, url, address }: EstimatorSource,
  { network, limits, now, ...market }: OutsideDeps & { limits: OutsideLimits },
): Estimator {
  const { exchangeMs, maxBytes, answerMs, lookMs } = limits
  const claimant = { name, solver: address, wrappedNative: network.wrappedNative }
  const peer = { name, url, now, timeoutMs: exchangeMs, maxBytes }
  if (kind === 'driver') {
    return createDriverEstimator({ claimant, driver: createDriver(peer, network), now, answerMs })
  }
  return createEngineEstimator({
    claimant,
    engine: createSolverEngine(peer),
    network,
    market,
    now,
    lookMs,
    answerMs,
  })
}
