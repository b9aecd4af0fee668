import { abortable } from '../../concurrency/abortable.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import type { Token } from '../../domain/token/token.ts'
import type { TokenPair } from '../../market/pools/pairs.ts'
import type { MarketView } from '../../market/pools/pools.ts'
import type { SolverEngine } from '../../solvers/engine/engine.ts'
import { quoteOrder, readEngineQuote } from '../../solvers/engine/quote.ts'
import { tokensOf } from '../../solvers/engine/request.ts'
import type { Estimator } from '../estimator.ts'
import { noLiquidity } from '../fault-choice.ts'
import { type Claimant, claimedEstimate, outsideQuestion } from './claimed.ts'

/** The market data that engines receive with the order. */
export interface EngineMarket {
  look(pairs: readonly TokenPair[]): Promise<MarketView>
  tokens(addresses: readonly Address[]): Promise<Map<Address, Token>>
  /**
   * Returns the native atoms for 10^18 token atoms by these pools; null if no route leads to the native coin.
   */
  referencePrice(token: Address, pools: readonly Pool[]): bigint | null
}

export interface EngineOptions {
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
export function createEngineEstimator(options: EngineOptions): Estimator {
  const { claimant, engine, network, market, now, answerMs } = options
  const { name } = claimant
  return {
    name,
    async estimate(ask, signal) {
      const question = outsideQuestion(ask, claimant)
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
