import { describeMarket } from '../../../src/dev/market/market.ts'
import { maxAppDataBytes } from '../../../src/domain/app-data/document.ts'
import { type Address, address, nativeMarker } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import type { OrderSimulation } from '../../../src/domain/order/simulation.ts'
import type { Pool } from '../../../src/domain/routing/pool.ts'
import type { Sourced } from '../../../src/domain/token/sourced.ts'
import type { Token, TokenHolder } from '../../../src/domain/token/token.ts'
import type { TradingServices } from '../../../src/graphql/context/networks.ts'
import { operatorCheck } from '../../../src/graphql/context/operator.ts'
import { cancelOrder, cancelOrders } from '../../../src/orders/cancel.ts'
import { placeOrder } from '../../../src/orders/place.ts'
import { simulateGiven, simulateStored } from '../../../src/orders/simulate.ts'
import { createRouter } from '../../../src/quotes/estimators/router.ts'
import { quote } from '../../../src/quotes/quote.ts'
import { quoteStream } from '../../../src/quotes/stream.ts'
import { sample } from '../../../src/rest/openapi/sample.ts'
import { sampleSimulation } from '../../../src/rest/order/simulation-documentation.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import { numbered } from '../../fakes/order.ts'
import { createOrderServices } from '../../fakes/order-services.ts'
import { createQuoteServices } from '../../fakes/quote-services.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { seedSamples } from './seed.ts'

const { network, tokens } = describeMarket()
const unit = 10n ** 18n

/** The local stack's deepest pool: 10,000 WETH at 3,000 USDC. */
const pool: Pool = {
  address: numbered('d1'),
  token0: tokens.USDC.address,
  token1: tokens.WETH.address,
  reserve0: 30_000_000n * 10n ** 6n,
  reserve1: 10_000n * unit,
}

const time = 1_800_000_000_000

function sourced<Value>(value: Value): Sourced<Value> {
  return { value, source: 'own', at: time - 4_000, keepMs: 120_000, isStale: false }
}

const prices = new Map<Address, Sourced<string>>([
  [nativeMarker, sourced('3000')],
  [address(sample.usdc), sourced('1')],
])

const holders: TokenHolder[] = [
  { address: pool.address, balance: pool.reserve0 },
  { address: address(sample.trader), balance: 1_000_000n * 10n ** 6n },
]

const details = new Map<Address, Token>([
  [
    tokens.USDC.address,
    { chainId: network.chainId, address: tokens.USDC.address, symbol: 'USDC', name: 'USD Coin', decimals: 6 },
  ],
])

/** The world of the document's examples, at 08:00 on 15 January 2027. */
export async function openSampleWorld(): Promise<TestServer> {
  const server = await openTestServer(
    servicesOver(() => server.database.db),
    {
      version: '0.1.0',
      isEditor: operatorCheck(sample.key),
      isOperator: operatorCheck(sample.key),
      access: { currentAuction: 'operator', simulation: 'public' },
    },
  )
  await seedSamples(server.database.db)
  return server
}

/** The program's own quotes, checks and cancellations, over an in-memory market. */
function servicesOver(db: () => Database): Partial<TradingServices> {
  const now = () => time
  const orderServices = () => createOrderServices(db(), { network, now })
  const look = async () => ({ block: 7, gasPrice: 10n ** 9n, pools: [pool] })
  const quoteServices = () =>
    createQuoteServices(db(), {
      network,
      now,
      look,
      router: createRouter({ network, solver: numbered('50'), look }),
    })
  const { tenderlyRequest } = sampleSimulation
  const simulations = () => ({
    network,
    db: db(),
    appDataSources: { db: db(), maxBytes: maxAppDataBytes, gateway: null },
    simulateOrder: async (_order: unknown, block: number | null): Promise<OrderSimulation> => ({
      block,
      from: address(tenderlyRequest.from),
      to: address(tenderlyRequest.to),
      input: tenderlyRequest.input as Hex,
      gas: tenderlyRequest.gas,
      overrides: tenderlyRequest.state_objects as OrderSimulation['overrides'],
      error: null,
    }),
  })
  return {
    network,
    placeOrder: (creation) => placeOrder(creation, orderServices()),
    cancelOrder: (wish) => cancelOrder(wish, orderServices()),
    cancelOrders: (wish) => cancelOrders(wish, orderServices()),
    quote: (request) => quote(request, quoteServices()),
    quotes: (request, signal) => quoteStream(request, quoteServices(), signal),
    simulateStored: (uid, block) => simulateStored(uid, block, simulations()),
    simulateOrder: (order, block) => simulateGiven(order, block, simulations()),
    usdPrice: async (token) => prices.get(token),
    topHolders: async (token) => (token === sample.usdc ? sourced(holders) : undefined),
    tokens: async (asked) => new Map([...details].filter(([token]) => asked.includes(token))),
    nativeRates: async (asked) =>
      new Map(
        asked
          .filter((token) => token === sample.usdc)
          .map((token) => [token, { nativeAmount: unit, tokenAmount: 3_000n * 10n ** 6n }]),
      ),
  }
}
