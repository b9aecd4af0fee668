import { emptyAppDataDocument, maxAppDataBytes } from '../../src/domain/app-data/document.ts'
import { Refusal } from '../../src/domain/errors/error.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { QuoteRequest } from '../../src/domain/quote/quote.ts'
import type { Pool } from '../../src/domain/routing/pool.ts'
import type { Estimate, Estimator } from '../../src/quotes/estimator.ts'
import { createRouter } from '../../src/quotes/estimators/router.ts'
import type { QuoteServices } from '../../src/quotes/quote.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { samplePool } from './market.ts'
import { sampleNetwork } from './network.ts'
import { coin, dollar, numbered, wrapped } from './order.ts'
import { alice, testTime } from './order-services.ts'
import { silentLog } from './silent-log.ts'

/** A thousand native coins deep on each side, at 3,000 dollars for a coin. */
export const testPools: readonly Pool[] = [
  samplePool('d1', wrapped, dollar, 1_000n),
  samplePool('d2', dollar, coin, 1_000n),
]

/** A sale of one wrapped native coin. */
export function quoteRequest(change: Partial<QuoteRequest> = {}): QuoteRequest {
  return {
    kind: 'sell',
    size: { form: 'sellAmountBeforeFee', amount: 10n ** 18n },
    sellToken: wrapped,
    buyToken: dollar,
    from: alice.address,
    receiver: null,
    expiry: { validFor: 600 },
    appData: emptyAppDataDocument,
    appDataHash: keccakText(emptyAppDataDocument),
    appDataDocument: emptyAppDataDocument,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
    priceQuality: 'optimal',
    signingScheme: 'eip712',
    onchainOrder: false,
    verificationGasLimit: 0n,
    timeoutMs: 5_000,
    ...change,
  }
}

export function sampleEstimate(change: Partial<Estimate> = {}): Estimate {
  return {
    estimator: 'sample',
    solver: numbered('51'),
    sellAmount: 10n ** 18n,
    buyAmount: 3_000n * 10n ** 6n,
    gas: 200_000n,
    standing: 'computed',
    execution: null,
    route: null,
    block: null,
    ...change,
  }
}

export function estimatorOf(name: string, estimate: Partial<Estimate> = {}): Estimator {
  return { name, estimate: async () => sampleEstimate({ estimator: name, ...estimate }) }
}

export function estimatorWithout(reason: unknown): Estimator {
  return { name: 'without', estimate: () => Promise.reject(reason) }
}

/** Every simulation succeeds, and the built-in router is the only source of quotes. */
export function createQuoteServices(db: Database, overrides: Partial<QuoteServices> = {}): QuoteServices {
  const look: QuoteServices['look'] = async () => ({ block: 7, gasPrice: 10n ** 9n, pools: testPools })
  return {
    network: sampleNetwork,
    db,
    log: silentLog,
    warn() {},
    now: () => testTime * 1_000 + 999,
    limits: { minValidity: 60, maxValidity: 10_800, offered: 60, offeredOnChain: 600 },
    policy: { deniedAccounts: new Set(), deniedTokens: new Set(), sameToken: 'disallow' },
    appDataSources: { db, now: () => 1_800_000_000_000, maxBytes: maxAppDataBytes, gateway: null },
    feeRules: [],
    look,
    router: createRouter({ network: sampleNetwork, solver: zeroAddress, look: overrides.look ?? look }),
    others: [],
    outsidePrice: () => Promise.reject(new Refusal('NoLiquidity', 'nobody knows it')),
    verification: 'prefer',
    verify: async (estimate) => ({ verdict: 'held', estimate: { ...estimate, standing: 'simulated' } }),
    markBlock: () => async () => false,
    fastResults: 2,
    checkTokens: async () => {},
    learnTokens: async () => {},
    storedQuote: async () => undefined,
    ...overrides,
  }
}
