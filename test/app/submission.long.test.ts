import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import { allowSolvers } from '../../src/dev/market/market.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { bidding } from '../fakes/auction-engine.ts'
import { startPrivateEndpoint } from '../fakes/private-endpoint.ts'
import { type SolverEngineFake, startSolverEngine } from '../fakes/solver-engine.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startWay } from '../setup/way.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const coin = 10n ** 18n
const gwei = 10n ** 9n
const metricsKey = 'metrics-key-of-the-tests'

let chain: TestChain
let database: TestDatabase
let app: Awaited<ReturnType<typeof startProgram>>
let ways: [Awaited<ReturnType<typeof startWay>>, Awaited<ReturnType<typeof startWay>>]
let endpoint: Awaited<ReturnType<typeof startPrivateEndpoint>>
let engine: SolverEngineFake
let engineAccount: Address
let price: ReturnType<typeof holdGasPrice>

beforeAll(async () => {
  ;[database, chain] = await Promise.all([createTestDatabase(), startTestChain()])
  const { market, rpc, rpcUrl } = chain
  const [outside] = market.outsideSolvers
  if (!outside) throw new Error('no account for a solver')
  await allowSolvers(rpc, [outside])
  engineAccount = outside.address
  engine = await startSolverEngine(bidding())
  ways = [await startWay(rpcUrl), await startWay(rpcUrl)]
  for (const way of ways) way.open()
  endpoint = await startPrivateEndpoint(rpc)
  price = holdGasPrice(gwei)
  const networks = [
    {
      network: market.network,
      rpcUrl: ways.map((way) => way.rpcUrl),
      privateRpc: { url: endpoint.url, publicAfterBlocks: 2, whenDown: 'wait' as const },
    },
  ]
  const environment = {
    ...unlimited,
    METRICS_KEY: metricsKey,
    SOLVER_PRIVATE_KEY: market.solver.privateKey,
    SETTLEMENT_MAX_GAS_PRICE: '100',
    AUCTION_DEADLINE_BLOCKS: '6',
    SOLVERS: JSON.stringify([
      { kind: 'engine', name: 'good', url: engine.url, privateKey: outside.privateKey },
    ]),
  }
  app = await startProgram({ database, chain }, environment, {
    networks,
    roles: ['serve', 'index', 'auction'],
  })
})
afterAll(async () => {
  await price?.stop()
  await app?.close()
  for (const each of [...(ways ?? []), endpoint, chain, database]) await each?.[Symbol.asyncDispose]()
  await engine?.close()
})
beforeEach(() => {
  endpoint.mood = 'include'
  endpoint.onSent = async () => {}
  price.value = gwei
})

/** Keeps the base fee of the next block where it is told to. */
function holdGasPrice(value: bigint) {
  const state = { value }
  const set = () => chain.rpc.call('anvil_setNextBlockBaseFeePerGas', [toQuantity(state.value)])
  const timer = setInterval(() => void set().catch(() => undefined), 100)
  /** From the newest block on. */
  async function holds(wei: bigint): Promise<void> {
    state.value = wei
    await eventually('a block at this price', async () => {
      const block = await chain.rpc.call<{ baseFeePerGas: string }>('eth_getBlockByNumber', ['latest', false])
      return BigInt(block.baseFeePerGas) === wei
    })
  }
  return Object.assign(state, { set, holds, stop: async () => clearInterval(timer) })
}

const trader = () => createTrader(app.url ?? '', chain.market)

async function place(): Promise<string> {
  const { status, body } = await trader().place({
    sell: 'WETH',
    buy: 'USDC',
    sellAmount: coin / 10n,
    buyAmount: 1n,
  })
  expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
  return body
}

const isFilled = async (uid: string) => (await trader().order(uid)).status === 'fulfilled'
const becomesFilled = (uid: string) => eventually('the order is filled', () => isFilled(uid))

interface Attempt {
  outcome: string | null
  detail: string | null
  submission: string | null
  solver: string
}

/** What the owner of an order reads about its settlements. */
async function attemptsOf(uid: string): Promise<Attempt[]> {
  const question = `query ($uid: OrderUid!) { order(uid: $uid) { debugReport { auctions(first: 50) {
    nodes { settlementAttempts { outcome detail submission solver } } } } } }`
  const { order } = await graphql(app.url ?? '', question, { uid })
  return order.debugReport.auctions.nodes.flatMap(
    ({ settlementAttempts }: { settlementAttempts: Attempt[] }) => settlementAttempts,
  )
}

/** What the attempts to settle an order cost. */
async function costsOf(uid: string) {
  const question = `query ($uid: OrderUid!) { order(uid: $uid) { debugReport { auctions(first: 50) {
    nodes { settlementAttempts { revertedGas cancellationGas cancellationGasCost } } } } } }`
  const { order } = await graphql(app.url ?? '', question, { uid })
  return order.debugReport.auctions.nodes.flatMap(
    ({ settlementAttempts }: { settlementAttempts: Record<string, string | null>[] }) => settlementAttempts,
  )
}

/** Why solutions with an order did not compete, the newest first. */
async function refusalsOf(uid: string): Promise<{ code: string; message: string }[]> {
  const question = `query ($uid: OrderUid!) { order(uid: $uid) { refusedSolutions(first: 50) {
    nodes { refusal { code message } } } } }`
  const { order } = await graphql(app.url ?? '', question, { uid })
  return order.refusedSolutions.nodes.map(({ refusal }: { refusal: object }) => refusal)
}

/** Ended attempts; the indexer records a success a moment after the runner has told how it was sent. */
const endedOf = (uid: string) =>
  eventually('its attempts have ended', async () => {
    const attempts = await attemptsOf(uid)
    const isEnded = attempts.length > 0 && attempts.every(({ outcome }) => outcome !== null)
    return isEnded && attempts
  })

async function metric(name: string): Promise<Map<string, number>> {
  const response = await fetch(`${app.url}/metrics`, { headers: { 'x-api-key': metricsKey } })
  const lines = (await response.text()).matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))
  return new Map(
    [...lines].map(([, labels = '', value]) => [labels.replace(/network="sepolia",?/, ''), Number(value)]),
  )
}

const ready = async () => (await request(`${app.url}/health/ready`)).body
const publiclySent = () =>
  ways.flatMap(({ requests }) => requests.flat()).filter((method) => method === 'eth_sendRawTransaction')
    .length

test('a settlement is sent to the private endpoint alone while that brings it on chain', async () => {
  const before = publiclySent()
  const uid = await place()
  await becomesFilled(uid)
  expect(publiclySent()).toBe(before)
  expect(endpoint.sent.length).toBeGreaterThan(0)
  const [attempt] = await endedOf(uid)
  expect(attempt).toMatchObject({ outcome: 'SUCCESS', detail: null })
  expect(attempt?.submission).toMatch(/^block \d+: offered \d+(\.\d+)? gwei/)
})

test('one that the private endpoint brings nowhere is public after two blocks', async () => {
  endpoint.mood = 'keep'
  const uid = await place()
  await becomesFilled(uid)
  const submission = await eventually('it is public', async () => {
    const told = (await endedOf(uid)).at(-1)?.submission
    return told?.includes('public nodes') && told
  })
  const [offered, first] = submission.split('; ')
  expect([offered, first]).toEqual([
    expect.stringContaining('offered'),
    expect.stringContaining('sent to the private endpoint'),
  ])
  expect(submission).toContain('sent to the private endpoint and to public nodes')
  const blocks = [...submission.matchAll(/block (\d+): ([^;]*)/g)]
  const at = (what: string) => Number(blocks.find(([, , text]) => text === what)?.[1])
  expect(
    at('sent to the private endpoint and to public nodes') - at('sent to the private endpoint'),
  ).toBeGreaterThanOrEqual(2)
})

test('with the private endpoint down, it waits two blocks, and is public then', async () => {
  endpoint.mood = 'down'
  const uid = await place()
  await becomesFilled(uid)
  const told =
    /the private endpoint does not answer, waiting for it; .*the private endpoint does not answer, sent to public nodes/
  // The indexer ends an attempt, whose sender then adds the end of its story.
  const ended = await eventually('its story has ended', async () => {
    const attempt = (await endedOf(uid)).at(-1)
    return told.test(attempt?.submission ?? '') && attempt
  })
  expect(ended.outcome).toBe('SUCCESS')
  await eventually('its breaker tells', async () =>
    [...(await metric('tradegraph_node_breaker')).keys()].some((labels) =>
      labels.startsWith('node="private",state="'),
    ),
  )
})

test('with the first public node down, orders are quoted, placed and filled over the second, until it is back', async () => {
  expect((await ready())['sepolia:node']).toBe(1)
  ways[0].close()
  const uid = await eventually('an order is placed', () => place().catch(() => false as const))
  await becomesFilled(uid)
  expect(await ready()).toMatchObject({ sepolia: true, 'sepolia:node': 2, 'sepolia:auctions': true })
  expect(await metric('tradegraph_node_used')).toEqual(
    new Map([
      ['node="1"', 0],
      ['node="2"', 1],
      ['node="private"', 1],
    ]),
  )
  ways[0].open()
  await eventually('the first is used again', async () => (await ready())['sepolia:node'] === 1)
  const after = await place()
  await becomesFilled(after)
  expect((await endedOf(after)).map(({ outcome }) => outcome)).toEqual(['SUCCESS'])
})

test('a solver whose account is empty is told so and wins nothing, until it is funded', async () => {
  const balance = async () =>
    (await metric('tradegraph_account_balance')).get(`account="${engineAccount}",name="good"`)
  const setBalance = (wei: bigint) => chain.rpc.call('anvil_setBalance', [engineAccount, toQuantity(wei)])
  expect(await balance()).toBeGreaterThan(1)
  await setBalance(10n ** 9n)
  await eventually('it is seen', async () => (await balance()) === 1e-9)
  const uid = await place()
  await becomesFilled(uid)
  const builtIn = chain.market.solver.address
  expect((await endedOf(uid)).map(({ solver }) => solver)).toEqual([builtIn])
  const { body: notices } = await request(`${trader().base}/api/v1/solver_notices/${engineAccount}`)
  const notice = notices.find(({ reason }: { reason: string }) => reason.startsWith('its account has '))
  expect(notice).toMatchObject({
    kind: 'driverError',
    reason: expect.stringMatching(
      /^its account has 0 of the native coin, and the transaction may cost 0\.00\d+$/,
    ),
  })

  await setBalance(coin)
  await eventually('it is seen', async () => (await balance()) === 1)
  const next = await place()
  await becomesFilled(next)
  expect((await endedOf(next)).map(({ solver }) => solver)).toEqual([engineAccount])
})

test('gas that costs three times as much after the simulation is paid, up to the cap', async () => {
  await price.holds(20n * gwei)
  endpoint.onSent = async () => {
    price.value = 60n * gwei
    await price.set()
  }
  const uid = await place()
  await becomesFilled(uid)
  const [attempt, ...more] = await endedOf(uid)
  expect([attempt?.outcome, more]).toEqual(['SUCCESS', []])
  // Twice the base fee and a tip at first, in the end the most that it may.
  const steps = attempt?.submission?.split('; ').map((step) => step.replace(/^block \d+: /, '')) ?? []
  expect(steps.slice(0, 2)).toEqual(['offered 41 gwei', 'sent to the private endpoint'])
  expect(steps.filter((step) => step.startsWith('offered')).at(-1)).toBe('offered 100 gwei')
  const { body: report } = await request(`${trader().base}/api/v1/debug/order/${uid}`)
  const { txHash } = report.trades[0]
  const receipt = await chain.rpc.call<{ effectiveGasPrice: string }>('eth_getTransactionReceipt', [txHash])
  expect(BigInt(receipt.effectiveGasPrice)).toBeGreaterThan(60n * gwei)
  expect(BigInt(receipt.effectiveGasPrice)).toBeLessThanOrEqual(100n * gwei)
})

test('gas that costs more than the cap ends an attempt, and no other begins until the order is filled when it is cheaper', async () => {
  await price.holds(40n * gwei)
  endpoint.onSent = async () => {
    price.value = 150n * gwei
    await price.set()
  }
  endpoint.mood = 'keep'
  const uid = await place()
  const why = /^gas costs 15\d(\.\d+)? gwei, and a settlement may offer 100$/
  await eventually('solutions are refused, auction after auction', async () => {
    const dear = (await refusalsOf(uid)).filter(({ code }) => code === 'GAS_TOO_DEAR')
    for (const { message } of dear) expect(message).toMatch(why)
    return dear.length > 5
  })
  const [dear, ...more] = await attemptsOf(uid)
  expect([dear?.outcome, more]).toEqual(['TIMEOUT', []])
  expect(dear?.submission).toContain('gas costs 150 gwei, more than the 100 that it may offer')
  expect(dear?.submission).toMatch(
    /offered 81 gwei; .*; block \d+: cancelled, since its time is over, for 301 gwei$/,
  )
  expect((await trader().order(uid)).status).toBe('open')
  const { order } = await graphql(
    app.url ?? '',
    'query ($uid: OrderUid!) { order(uid: $uid) { diagnosis { code summary } } }',
    { uid },
  )
  expect(order.diagnosis).toMatchObject({
    code: 'SOLUTION_REFUSED',
    summary: expect.stringMatching(/refused: gas costs 15\d(\.\d+)? gwei, and a settlement may offer 100\.$/),
  })
  endpoint.onSent = async () => {}
  endpoint.mood = 'include'
  price.value = gwei
  await becomesFilled(uid)
  const gas = await eventually('the transfer that cancelled it is counted', async () => {
    const [{ cancellationGas, ...costs }] = await costsOf(uid)
    return cancellationGas !== null && { cancellationGas, ...costs }
  })
  expect(gas).toEqual({
    revertedGas: '0',
    cancellationGas: '21000',
    cancellationGasCost: expect.stringMatching(/^[1-9]\d{14,}$/),
  })
})
