import { afterAll, beforeAll, expect, test } from 'vitest'
import { withSince } from '../../src/app/observing/monitoring.ts'
import { findCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import { ask } from '../http/client.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader } from '../setup/trader.ts'
import { startProgram, startWorld, type World } from '../setup/world.ts'

const weth = 10n ** 18n

/** Two processes over one database: one serves, the other indexes and holds the auctions. */
let world: World
let server: Awaited<ReturnType<typeof startProgram>>
const monitored = { METRICS_PORT: '0', METRICS_KEY: 'metrics-key-of-the-tests' }
beforeAll(async () => {
  world = await startWorld({ roles: ['index', 'auction'], environment: monitored })
  server = await startProgram(world, { SOLVER_PRIVATE_KEY: world.market.solver.privateKey })
})
afterAll(async () => {
  await server?.close()
  await world?.[Symbol.asyncDispose]()
})

const at = (path: string, from = world.app.metricsUrl) =>
  ask(`${from}${path}`, { headers: { 'x-api-key': monitored.METRICS_KEY } })

/** Samples by name and labels, without the network. */
async function samples(from?: string): Promise<Map<string, number>> {
  const { bytes } = await at('/metrics', from)
  const lines = [...bytes.toString().matchAll(/^(tradegraph_\S+) (\S+)$/gm)]
  return new Map(
    lines.map(([, name = '', value]) => [
      name.replace(/network="sepolia",?/, '').replace(',}', '}'),
      Number(value),
    ]),
  )
}

const states = async (from?: string) => {
  const { status, bytes } = await at('/health/ready', from)
  return { status, ...JSON.parse(bytes.toString()) }
}

test('a process that does not serve answers metrics and health at a port of its own, and nothing else', async () => {
  expect(world.app.url).toBeUndefined()
  const live = await at('/health/live')
  expect([live.status, JSON.parse(live.bytes.toString())]).toEqual([200, { status: 'up' }])
  await eventually('both loops lead', async () =>
    (await samples()).get('tradegraph_leading{loop="auctions"}'),
  )
  const up = { database: true, sepolia: true, 'sepolia:indexer': true, 'sepolia:auctions': true }
  expect(await states()).toEqual({ status: 200, ...up })
  for (const path of ['/', '/graphql', '/sepolia/api/v1/version']) expect((await at(path)).status).toBe(404)
  // Only the metrics need the key.
  expect((await ask(`${world.app.metricsUrl}/metrics`)).status).toBe(401)
  expect((await ask(`${world.app.metricsUrl}/health/ready`)).status).toBe(200)
})

test('its metrics tell of an order that is settled, and of one that rests', async () => {
  const trader = createTrader(server.url ?? '', world.market)
  const wish = { sell: 'WETH', buy: 'USDC', sellAmount: weth, buyAmount: 1n } as const
  const { body: uid } = await trader.place(wish)
  await eventually('it is settled', async () => (await trader.order(uid)).status === 'fulfilled')
  // Nobody gives so much.
  const resting = await trader.place({ ...wish, buyAmount: 10n ** 12n })
  expect(resting.status).toBe(201)
  const answers = 'tradegraph_solver_answers_total{solver="built-in",answer="ok"}'
  const told = await eventually('an auction with the resting order', async () => {
    const now = await samples()
    const isHeld = now.get('tradegraph_auction_orders{standing="in_auction"}') === 1
    return isHeld && (now.get(answers) ?? 0) >= 2 && now
  })
  expect(told.get('tradegraph_settlements_total{outcome="success"}')).toBe(1)
  for (const phase of ['assemble', 'solve', 'simulate', 'record', 'settle']) {
    const count = told.get(`tradegraph_auction_phase_duration_seconds_count{phase="${phase}"}`)
    expect(count, phase).toBeGreaterThanOrEqual(1)
  }
  expect(told.get('tradegraph_auction_age_seconds{}')).toBeLessThan(10)
  expect(told.get('tradegraph_node_breaker{node="1",state="closed"}')).toBe(1)
  expect(told.get('tradegraph_indexer_blocks_behind{}')).toBeLessThan(5)
  expect(told.get('tradegraph_indexer_block_age_seconds{}')).toBeLessThan(10)
})

test('a process that stands by is ready, and measures nothing of the loops', async () => {
  const second = await startProgram(world, monitored, { roles: ['index'] })
  try {
    await eventually('it stands by', async () => (await states(second.metricsUrl)).status === 200)
    const told = await samples(second.metricsUrl)
    expect(told.get('tradegraph_leading{loop="indexer"}')).toBe(0)
    expect([...told.keys()].filter((name) => name.includes('behind') || name.includes('age'))).toEqual([])
  } finally {
    await second.close()
  }
})

test('it counts a reorg by its depth', async () => {
  const { rpc } = world.chain
  const snapshot = await rpc.call('evm_snapshot')
  await rpc.call('anvil_mine', ['0x3'])
  const forked = Number(await rpc.call('eth_blockNumber'))
  await eventually('the blocks are indexed', async () => {
    const checkpoint = await findCheckpoint(world.database.db, world.market.network.chainId)
    return checkpoint && checkpoint.number >= forked
  })
  await rpc.call('evm_revert', [snapshot])
  await rpc.call('anvil_mine', ['0x9'])
  const told = await eventually('the reorg is seen', async () => {
    const now = await samples()
    return now.get('tradegraph_indexer_reorg_depth_blocks_count{}') === 1 && now
  })
  expect(told.get('tradegraph_indexer_reorg_depth_blocks_sum{}')).toBeGreaterThanOrEqual(3)
})

test('a process is alive but not ready while the node is away, also from its start on', async () => {
  await world.chain[Symbol.asyncDispose]()
  expect(await states()).toMatchObject({ status: 503, database: true, sepolia: false })
  expect((await at('/health/live')).status).toBe(200)
  await eventually('the breaker opens', async () => {
    const told = await samples()
    return told.has('tradegraph_node_breaker{node="1",state="open"}')
  })
  const late = await startProgram(world, monitored, { roles: ['index'] })
  try {
    expect(await states(late.metricsUrl)).toMatchObject({ status: 503, database: true, sepolia: false })
    expect((await at('/health/live', late.metricsUrl)).status).toBe(200)
    expect((await samples(late.metricsUrl)).get('tradegraph_node_breaker{node="1",state="unchecked"}')).toBe(
      1,
    )
  } finally {
    await late.close()
  }
})

test('what is down is told with the time when that was found out, until it is up again', async () => {
  let clock = Date.UTC(2026, 10, 1)
  let up: Record<string, boolean | number> = { database: true, sepolia: false, 'sepolia:node': 1 }
  const ready = withSince(
    async () => up,
    () => clock,
  )
  expect(await ready()).toEqual({ ...up, downSince: { sepolia: '2026-11-01T00:00:00.000Z' } })
  clock += 5_000
  up = { database: false, sepolia: false }
  const both = { sepolia: '2026-11-01T00:00:00.000Z', database: '2026-11-01T00:00:05.000Z' }
  expect(await ready()).toEqual({ ...up, downSince: both })
  up = { database: true, sepolia: true }
  expect(await ready()).toEqual(up)
  clock += 5_000
  up = { database: true, sepolia: false }
  expect(await ready()).toEqual({ ...up, downSince: { sepolia: '2026-11-01T00:00:10.000Z' } })
})
