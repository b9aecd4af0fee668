import { createStatistics } from '../../src/affiliates/statistics.ts'
import { uploadAppData } from '../../src/app-data/upload.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { maxAppDataBytes } from '../../src/domain/app-data/document.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Log } from '../../src/domain/log.ts'
import type { Network } from '../../src/domain/network/network.ts'
import type { QuoteReply, QuoteRequest } from '../../src/domain/quote/quote.ts'
import { createTradingNetworks, type TradingServices } from '../../src/graphql/context/networks.ts'
import { createTokenLists } from '../../src/market/token-lists.ts'
import { createWebhookSender } from '../../src/notifications/channels/webhook.ts'
import { closeFeeds, createFeeds } from '../../src/notifications/feed.ts'
import { diagnoseOrders } from '../../src/orders/diagnose.ts'
import { createReceivers } from '../../src/outside/receiver.ts'
import { createServer, type ServerOptions } from '../../src/server/server.ts'
import { openSignals } from '../../src/storage/database/signals.ts'
import { createBalanceSessions } from '../../src/tokens/balance-sessions.ts'
import { numbered, settlement } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

export const network: Network = {
  chainId: 11155111,
  name: 'sepolia',
  settlement,
  vaultRelayer: address('0xC92E8bdf79f0507f65a392b0ab4667716BFE0110'),
  hooksTrampoline: numbered('0f'),
  ethFlows: [],
  wrappedNative: numbered('aa'),
  poolFactory: numbered('fa'),
  poolProject: 'uniswap_v2',
  baseTokens: [],
  priceAmount: 10n ** 17n,
  usdReference: null,
  holderTokens: [],
  firstBlock: 0,
  finalityBlocks: 64,
  blockTimeMs: 1_000,
}

export interface TestServer extends AsyncDisposable {
  url: string
  database: TestDatabase
  /** The lines logged as errors. */
  faults: { message: string; fields: Record<string, unknown> | undefined }[]
}

/** The server over a real database, with trading services that have no chain. */
export async function openTestServer(
  services: Partial<TradingServices> = {},
  {
    channels,
    isNew,
    ...more
  }: Partial<Omit<ServerOptions, 'channels'>> & {
    channels?: Partial<ServerOptions['channels']>
    /** Requests a new database: see `createTestDatabase`. */
    isNew?: boolean
  } = {},
): Promise<TestServer> {
  const database = await createTestDatabase({ isNew })
  const signals = await openSignals(database.url, silentLog)
  const faults: TestServer['faults'] = []
  const log: Log = { ...silentLog, error: (message, fields) => void faults.push({ message, fields }) }
  const feeds = createFeeds({ db: database.db, signals, log })
  const receivers = createReceivers(['127.0.0.1'])
  const diagnosis = {
    network,
    now: () => 1_800_000_000_000,
    policy: { deniedTokens: new Set<Address>() },
    auctions: { everyBlocks: 1, minLifetime: 60 },
    chain: {
      balances: async (holdings: readonly unknown[]) =>
        holdings.map(() => ({ balance: maxUint256, allowance: maxUint256 })),
    },
  }
  const diagnose: TradingServices['diagnose'] = (orders) => diagnoseOrders(orders, diagnosis)
  const networks = [{ ...unusedServices, diagnose, ...services }]
  const now = more.now ?? (() => 1_800_000_000_000)
  const balanceSessions = createBalanceSessions({ db: database.db, signals, now, log })
  const server = createServer({
    db: database.db,
    feeds,
    balanceSessions,
    tokenLists: createTokenLists({ allowed: [], now, log }),
    affiliates: {
      db: database.db,
      now: () => 1_800_000_000_000,
      brand: 'Service',
      checkSignature: async () => 'no-code',
    },
    signIn: {
      db: database.db,
      now: () => 1_800_000_000_000,
      publicUrl: new URL('https://trade.example'),
      checkSignature: (chainId) => (chainId === network.chainId ? async () => 'no-code' : undefined),
      sessionMs: 3_600_000,
    },
    channels: {
      db: database.db,
      now: () => 1_800_000_000_000,
      senders: { webhook: createWebhookSender({ receivers, now: () => 1_800_000_000_000 }) },
      addressFault: receivers.fault,
      ...channels,
    },
    now: () => 1_800_000_000_000,
    log,
    version: 'test-build',
    statistics: createStatistics({ db: database.db, now: () => 1_800_000_000_000, networks }),
    networks: createTradingNetworks(networks),
    uploadAppData: (hash, document, client) =>
      uploadAppData(
        database.db,
        { hash, document, client },
        { maxBytes: maxAppDataBytes, maxUnusedBytes: 400_000, unusedMs: 90 * 86_400_000, now },
      ),
    ready: async () => ({ database: true }),
    isMetricsReader: () => true,
    ...more,
  })
  return {
    url: await server.listen(0, '127.0.0.1'),
    database,
    faults,
    async [Symbol.asyncDispose]() {
      await server.close()
      closeFeeds(feeds)
      balanceSessions.close()
      await signals.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const unusedServices: Omit<TradingServices, 'diagnose'> = {
  network,
  placeOrder: () => Promise.reject(new Error('no order is placed here')),
  placedSince: async () => undefined,
  cancelOrder: () => Promise.reject(new Error('no order is cancelled here')),
  cancelOrders: () => Promise.reject(new Error('no order is cancelled here')),
  cancelByPolicy: () => Promise.reject(new Error('no order is cancelled here')),
  quote: async (request) => sampleReply(request),
  quotes: async (request) => once(sampleReply(request)),
  simulateStored: () => Promise.reject(new Error('no order is simulated here')),
  simulateOrder: () => Promise.reject(new Error('no order is simulated here')),
  explainOrder: () => Promise.reject(new Error('no order is explained here')),
  lookAhead: async () => ({ stored: null, funds: null }),
  quoteWarnings: async () => [],
  simulateBundle: () => Promise.reject(new Error('no bundle is simulated here')),
  storedQuote: async () => undefined,
  nativeRates: async () => new Map(),
  usdPrice: async () => undefined,
  peekUsdPrice: () => undefined,
  priceHistory: async () => undefined,
  depth: async () => undefined,
  topHolders: async () => undefined,
  peekTopHolders: () => undefined,
  balances: () => Promise.reject(new Error('no balance is read here')),
  heldTokens: async () => [],
  watchBalances: () => {
    throw new Error('no balance is watched here')
  },
  watchPrices: () => {
    throw new Error('no price is watched here')
  },
  poolFigures: async () => undefined,
  ready: async () => true,
  tokens: async (addresses) =>
    new Map(
      addresses.map((token) => [
        token,
        {
          chainId: network.chainId,
          address: token,
          symbol: token.slice(2, 5).toUpperCase(),
          name: null,
          decimals: 18,
        },
      ]),
    ),
}

async function* once<Item>(item: Item): AsyncGenerator<Item, void> {
  yield item
}

/** A quote at a price of one for two. */
export function sampleReply(request: QuoteRequest): QuoteReply {
  return {
    terms: {
      ...request,
      validTo: 'validTo' in request.expiry ? request.expiry.validTo : 1_800_000_000 + request.expiry.validFor,
      volumeFees: [],
      partnerFees: [],
    },
    route: null,
    quote: {
      chainId: network.chainId,
      id: 42n,
      kind: request.kind,
      quoteKind: 'standard',
      sellToken: request.sellToken,
      buyToken: request.buyToken,
      sellAmount: request.size.amount,
      buyAmount: request.size.amount * 2n,
      feeAmount: 7n,
      gasAmount: 155_000n,
      gasPrice: 1_000_000_000n,
      sellTokenPrice: '0.00025',
      expiration: new Date(1_800_000_060_000),
      solver: numbered('50'),
      verified: true,
      calls: null,
    },
  }
}
