import { describeMarket } from '../../../src/dev/market/market.ts'
import { maxAppDataBytes } from '../../../src/domain/app-data/document.ts'
import { type Address, address, nativeMarker } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import type { BundleSimulation, OrderSimulation, SimulatedLog } from '../../../src/domain/evm/simulation.ts'
import { nativeCoin } from '../../../src/domain/network/chains.ts'
import type { Pool } from '../../../src/domain/routing/pool.ts'
import type { Sourced } from '../../../src/domain/token/sourced.ts'
import type { Token, TokenHolder } from '../../../src/domain/token/token.ts'
import { operatorCheck } from '../../../src/graphql/context/access.ts'
import type { TradingServices } from '../../../src/graphql/context/networks.ts'
import type { Sender } from '../../../src/notifications/channels/sender.ts'
import { cancelOrder, cancelOrders } from '../../../src/orders/cancel.ts'
import { explainOrder } from '../../../src/orders/explain/explain.ts'
import { placeOrder } from '../../../src/orders/place.ts'
import { simulateGiven, simulateStored } from '../../../src/orders/simulate.ts'
import { createRouter } from '../../../src/quotes/estimators/router.ts'
import { quote, quoteStream } from '../../../src/quotes/quote.ts'
import { sampleHistory } from '../../../src/rest/market.ts'
import { sample } from '../../../src/rest/openapi/sample.ts'
import { sampleBundle } from '../../../src/rest/order/bundle.ts'
import { sampleSimulation } from '../../../src/rest/order/simulation.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import type { BalancesUpdate, KnownBalance } from '../../../src/tokens/balances.ts'
import type { PoolFigures } from '../../../src/tokens/pool-figures.ts'
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
  [tokens.WETH.address, sourced('3000')],
  [address(sample.usdc), sourced('1')],
])

/** Twenty minutes of WETH. */
const history = sampleHistory.map(({ date, price }) => ({ at: Date.parse(date), price, volume: null }))

const holders: TokenHolder[] = [
  { address: pool.address, balance: pool.reserve0 },
  { address: address(sample.trader), balance: 1_000_000n * 10n ** 6n },
]

/** A pool into which 200 WETH's worth came. */
const valued = {
  ...pool,
  chainId: network.chainId,
  day: { amount0: 300_000n * 10n ** 6n, amount1: 100n * unit },
  value: 20_000n * unit,
  volume: 200n * unit,
}

const figures: PoolFigures = {
  block: 110,
  blockTime: new Date(time - 4_000),
  fromBlock: 0,
  fromTime: new Date(time - 86_000_000),
  pools: [valued],
  byAddress: new Map([[valued.address, valued]]),
  averageApr: '1.095',
}

const details = new Map<Address, Token>([
  [
    tokens.USDC.address,
    { chainId: network.chainId, address: tokens.USDC.address, symbol: 'USDC', name: 'USD Coin', decimals: 6 },
  ],
  [nativeMarker, nativeCoin(network.chainId)],
])

const balances = new Map<Address, KnownBalance>([
  [tokens.USDC.address, { balance: 2_500n * 10n ** 6n, allowance: 1_000n * 10n ** 6n }],
  [nativeMarker, { balance: 2n * unit, allowance: null }],
])
const balanceOf = (token: Address): KnownBalance => balances.get(token) ?? 'absent'

/** All balances at block 7, and nothing after that. */
async function* watchedOnce(
  owner: Address,
  watched: readonly Address[],
): AsyncGenerator<BalancesUpdate, void> {
  const changes = watched.map((token) => ({
    subject: { owner, token },
    value: balanceOf(token),
    before: undefined,
  }))
  yield { block: 7, isComplete: true, isAvailable: true, changes }
}

/** A receiver that takes its token, and does not return it. */
const silentReceiver: Sender = {
  maxDigest: 1,
  send: async () => ({ kind: 'sent', status: 204 }),
  sendConfirmation: async () => ({ kind: 'sent', status: 204 }),
}

/** The world of the document's examples, at 08:00 on 15 January 2027. */
export async function openSampleWorld(): Promise<TestServer> {
  const server = await openTestServer(
    servicesOver(() => server.database.db),
    {
      version: '0.1.0',
      isEditor: operatorCheck(sample.key),
      isOperator: operatorCheck(sample.key),
      access: { currentAuction: 'operator', simulation: 'public', bookFeed: 'public' },
      channels: { senders: { webhook: silentReceiver } },
    },
  )
  await seedSamples(server.database.db)
  return server
}

/** What the node would say of the example. */
function sampleSimulatedBundle(): BundleSimulation {
  const transactions = sampleBundle.map(({ gasUsed, cumulativeBalancesDiff, stateDiff, logs }) => ({
    succeeds: true,
    error: null,
    gasUsed: Number(gasUsed),
    logs: logs as SimulatedLog[],
    hasAllLogs: true,
    balances: Object.entries(cumulativeBalancesDiff).flatMap(([account, changes]) =>
      Object.entries(changes).map(([token, change]) => ({
        account: address(account),
        token: address(token),
        change: BigInt(change),
      })),
    ),
    hasAllBalances: true,
    storage: stateDiff.flatMap(({ raw }) =>
      raw.map((slot) => ({
        account: address(slot.address),
        slot: slot.key as Hex,
        before: slot.original as Hex,
        after: slot.dirty as Hex,
      })),
    ),
  }))
  return { block: 7, transactions }
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
    appDataSources: { db: db(), now: () => 1_800_000_000_000, maxBytes: maxAppDataBytes, gateway: null },
    simulateOrder: async (_order: unknown, block: number | null): Promise<OrderSimulation> => ({
      block,
      from: address(tenderlyRequest.from),
      to: address(tenderlyRequest.to),
      input: tenderlyRequest.input as Hex,
      gas: tenderlyRequest.gas,
      overrides: tenderlyRequest.state_objects as OrderSimulation['overrides'],
      error: null,
      isFunded: true,
      hooks: null,
    }),
  })
  return {
    network,
    placeOrder: (creation) => placeOrder(creation, orderServices()),
    cancelOrder: (wish) => cancelOrder(wish, orderServices()),
    cancelOrders: (wish) => cancelOrders(wish, orderServices()),
    quote: (request) => quote(request, quoteServices()),
    quotes: (request, signal) => quoteStream(request, quoteServices(), signal),
    explainOrder: (order, options) =>
      explainOrder(order, options, {
        orders: orderServices(),
        quotes: quoteServices(),
        simulateOrder: simulations().simulateOrder,
        diagnosis: {
          network,
          now,
          policy: { deniedTokens: new Set() },
          auctions: { everyBlocks: 2, minLifetime: 60 },
          chain: { balances: async () => [] },
        },
      }),
    simulateStored: (uid, block) => simulateStored(uid, block, simulations()),
    simulateOrder: (order, block) => simulateGiven(order, block, simulations()),
    balances: async (_, asked) => ({ block: 7, balances: asked.map(balanceOf) }),
    heldTokens: async (owner) => (owner === sample.trader ? [tokens.USDC.address] : []),
    watchBalances: watchedOnce,
    simulateBundle: async () => sampleSimulatedBundle(),
    usdPrice: async (token) => prices.get(token),
    priceHistory: async (token) => (token === tokens.WETH.address ? sourced(history) : undefined),
    topHolders: async (token) => (token === sample.usdc ? sourced(holders) : undefined),
    poolFigures: async () => sourced(figures),
    tokens: async (asked) => new Map([...details].filter(([token]) => asked.includes(token))),
    nativeRates: async (asked) =>
      new Map(
        asked
          .filter((token) => token === sample.usdc)
          .map((token) => [token, { nativeAmount: unit, tokenAmount: 3_000n * 10n ** 6n }]),
      ),
  }
}
