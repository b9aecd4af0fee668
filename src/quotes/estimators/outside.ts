import type { Address } from '../../domain/evm/address.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { goesBy } from '../../domain/network/chains.ts'
import type { Network } from '../../domain/network/network.ts'
import { createDriver } from '../../solvers/driver/driver.ts'
import { createSolverEngine } from '../../solvers/engine/engine.ts'
import type { Estimator } from '../estimator.ts'
import { createDriverEstimator } from './driver.ts'
import { createEngineEstimator, type EngineMarket } from './engine.ts'
import { type GuardLimits, guarded } from './guarded.ts'

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

export interface OutsideLimits extends GuardLimits {
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
  pauseMs: { least: 1_000, most: 60_000 },
  backOffMs: { least: 1_000, most: 60_000 },
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
    .map((source) => guarded(createEstimator(source, { ...deps, limits }), { limits, now, log }))
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
