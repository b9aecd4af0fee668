import type { AppDataSources } from '../app-data/read.ts'
import type { RouteTrials } from '../auctions/services.ts'
import type { NetworkNodes } from '../chain/rpc/nodes.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { createTokenCheck } from '../chain/token/check.ts'
import { createTokenSlots } from '../chain/token/slots.ts'
import { createTradeCheck } from '../chain/trade/check.ts'
import { batch } from '../concurrency/batch.ts'
import { createThrottledLog, type ThrottledWarn } from '../concurrency/throttled-log.ts'
import { createLruCache } from '../domain/derived.ts'
import type { Refusal } from '../domain/errors/error.ts'
import { type Address, zeroAddress } from '../domain/evm/address.ts'
import type { GasMeter } from '../domain/evm/gas-meter.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { Network } from '../domain/network/network.ts'
import type { TradingPolicy } from '../domain/order/trading-policy.ts'
import type { NativeRate } from '../domain/token/prices.ts'
import type { Token } from '../domain/token/token.ts'
import type { Pools } from '../market/pools/pools.ts'
import { createOutsideEstimators } from '../quotes/estimators/outside.ts'
import { createRouter } from '../quotes/estimators/router.ts'
import {
  createOutsidePrice,
  nativeRate,
  normalizedPriceDown,
  readNativeRates,
} from '../quotes/native-price.ts'
import type { QuoteServices } from '../quotes/quote.ts'
import { createTokenVerdicts, deepestPool } from '../quotes/verification/token-verdicts.ts'
import { verifyEstimate } from '../quotes/verification/verify.ts'
import type { Database } from '../storage/database/database.ts'
import { findQuotes } from '../storage/quote/quotes.ts'
import type { Settings } from './settings.ts'

interface QuotingOptions {
  db: Database
  settings: Settings
  log: Log
  now: Clock
  policy: TradingPolicy
  network: Network
  rpc: Rpc
  nodes: NetworkNodes
  pools: Pools
  appDataSources: AppDataSources
  /** The built-in solver, if there is one. */
  solver: Address | undefined
  tokens(addresses: readonly Address[]): Promise<Map<Address, Token>>
}

interface Quoting {
  services: QuoteServices
  nativeRates(addresses: readonly Address[], meter?: GasMeter): Promise<Map<Address, NativeRate | Refusal>>
  /** The same for records of the program itself, without use of pools by requests. */
  recordedRates: Quoting['nativeRates']
  /** Trials of auctions apart from orders, by the same tests. */
  trials: RouteTrials
}

/** Validity of a quote, in seconds. */
const offered = { standard: 60, onChain: 600 }
/** Timeout of a simulation: shorter than the five seconds of a quote. */
const simulationTimeoutMs = 4_000
/** Timeout to query all outside estimators for the price of one token. */
const outsidePriceTimeoutMs = 4_500
const maxLearntTokens = 10_000
/** Trials of a settlement that fails. */
const trialsAtOnce = 8

/** The services that price orders on one network. */
export function composeQuoting(options: QuotingOptions): Quoting {
  const { network, db, settings, log, now, policy, appDataSources, pools, tokens } = options
  const throttledWarn = createThrottledLog({ now, log })
  const warn: ThrottledWarn = (message, fields) =>
    throttledWarn(message, { network: network.name, ...fields })
  const look: Pools['look'] = (pairs) => pools.look(pairs)
  const { verify, checkTokens, trials } = createSimulations(options)
  const others = createOutsideEstimators(settings.QUOTE_ESTIMATORS, {
    network,
    now,
    log,
    look,
    tokens,
    referencePrice(token, rates) {
      const rate = nativeRate(rates, network, token)
      return rate ? normalizedPriceDown(rate) : null
    },
  })
  const outsidePrice = createOutsidePrice({
    network,
    estimators: others,
    verification: settings.QUOTE_VERIFICATION,
    verify,
    markBlock: pools.mark,
    timeoutMs: outsidePriceTimeoutMs,
    log,
    warn,
    now,
  })
  const services: QuoteServices = {
    network,
    db,
    now,
    log,
    warn,
    limits: {
      minValidity: settings.ORDER_MIN_VALIDITY,
      maxValidity: settings.QUOTE_MAX_VALIDITY,
      offered: offered.standard,
      offeredOnChain: offered.onChain,
    },
    policy,
    appDataSources,
    feeRules: settings.FEE_POLICIES ?? [],
    look,
    router: createRouter({ network, solver: options.solver ?? zeroAddress, look }),
    others,
    outsidePrice,
    verification: settings.QUOTE_VERIFICATION,
    verify,
    markBlock: pools.mark,
    fastResults: settings.QUOTE_FAST_RESULTS,
    checkTokens,
    learnTokens: createTokenLearner(tokens),
    storedQuote: batch((ids) => findQuotes(db, network.chainId, ids), { maxBatch: 50, concurrency: 2 }),
  }
  return {
    services,
    nativeRates: (addresses, meter) => readNativeRates(addresses, services, meter),
    recordedRates: (addresses) => readNativeRates(addresses, { ...services, look: pools.peek }),
    trials,
  }
}

/** Simulations in eth_call: verification of estimates, and checks of tokens. */
function createSimulations({ network, rpc, nodes, settings, log, now, pools }: QuotingOptions) {
  const slots = createTokenSlots({ rpc, now })
  const timeoutMs = Math.min(settings.RPC_TIMEOUT_MS, simulationTimeoutMs)
  const simulationRpc = nodes.connect({ timeoutMs, retries: 0, runsStrangersCode: true })
  const checkTrade = createTradeCheck({ rpc: simulationRpc, network, slots })
  const { baseTokens } = network
  const deps = { checkTrade, maxInaccuracy: settings.QUOTE_MAX_INACCURACY, baseTokens }
  const verify: QuoteServices['verify'] = (estimate, trade, signal) =>
    verifyEstimate(estimate, trade, deps, signal)
  const { checkTokens, tryAgain } = createTokenVerdicts({
    check: createTokenCheck({ rpc, slots }),
    async holderOf(token) {
      const { pools: poolsOfToken } = await pools.peek([[token, network.wrappedNative]])
      return deepestPool(token, poolsOfToken)
    },
    wrappedNative: network.wrappedNative,
    now,
    log,
  })
  const trials = {
    // A queue of its own: quotes do not delay it.
    trade: createTradeCheck({ rpc: simulationRpc, network, slots, atOnce: trialsAtOnce }),
    token: tryAgain,
  }
  return { verify, checkTokens, trials }
}

/** Reads tokens that are not stored yet. A token that was read is skipped for a minute. */
function createTokenLearner(tokens: QuotingOptions['tokens']): QuoteServices['learnTokens'] {
  // Not for ever: a token may not be stored yet, or a reorg may remove it.
  const learntTokens = createLruCache<Address, true>({ max: maxLearntTokens, ttl: 60_000 })
  return async (addresses) => {
    const unknown = addresses.filter((token) => !learntTokens.has(token))
    if (unknown.length === 0) return
    for (const token of (await tokens(unknown)).keys()) learntTokens.set(token, true)
  }
}
