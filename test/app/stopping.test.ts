import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, openLine } from '../http/client.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader } from '../setup/trader.ts'
import { startProgram, startWorld, type World } from '../setup/world.ts'
import { openEvents } from '../sse/events.ts'

const weth = 10n ** 18n

let world: World
beforeAll(async () => {
  world = await startWorld({ environment: { METRICS_PORT: '0' } })
})
afterAll(async () => {
  // The tests end the program.
  await world?.chain[Symbol.asyncDispose]()
  await world?.database[Symbol.asyncDispose]()
})

/** @returns the status and the header Connection */
async function askKeptAlive(agent: Agent, url: string): Promise<[status: number, connection: string]> {
  return new Promise((resolve, reject) => {
    const req = request(url, { agent }, (res) => {
      res.resume().on('end', () => resolve([res.statusCode ?? 0, res.headers.connection ?? '']))
    })
    req.on('error', reject).end()
  })
}

test('a process that stops lets go, serves on unready, ends streams with a reason, and waits for requests', async () => {
  const { url = '', metricsUrl } = world.app
  const trader = createTrader(url, world.market)
  const wish = { sell: 'WETH', buy: 'USDC', sellAmount: weth, buyAmount: 1n } as const
  const placed = await trader.place(wish)
  const other = await startProgram(
    world,
    { SOLVER_PRIVATE_KEY: world.market.solver.privateKey, METRICS_PORT: '0', RATE_LIMIT_READS: '0' },
    { roles: ['serve', 'index', 'auction'] },
  )
  const leads = async () => {
    const { bytes } = await ask(`${other.metricsUrl}/metrics`)
    return [...bytes.toString().matchAll(/^tradegraph_leading\{.*loop="(indexer|auctions)".*\} 1$/gm)].length
  }
  expect(await leads()).toBe(0)
  const agent = new Agent({ keepAlive: true })
  const order = `${url}/sepolia/api/v1/orders/${placed.body}`
  expect(await askKeptAlive(agent, order)).toEqual([200, 'keep-alive'])
  const search = new URLSearchParams({
    query: 'subscription ($account: Address!) { notifications(account: $account) { cursor } }',
    variables: JSON.stringify({ account: trader.address }),
  })
  await using stream = await openEvents(`${url}/graphql/stream?${search}`)

  const closing = world.app.close(3_000)
  const ready = await ask(`${url}/health/ready`)
  expect([ready.status, JSON.parse(ready.bytes.toString())]).toEqual([503, { running: false }])
  expect((await ask(`${url}/health/live`)).status).toBe(200)
  // The other leads while this one still serves.
  await eventually('the other leads both', async () => (await leads()) === 2)
  expect(await askKeptAlive(agent, order)).toEqual([200, 'close'])
  const quote = await ask(`${url}/sepolia/api/v1/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      kind: 'sell',
      sellAmountBeforeFee: `${weth}`,
      sellToken: world.market.tokens.WETH.address,
      buyToken: world.market.tokens.USDC.address,
      from: trader.address,
    }),
  })
  expect([quote.status, quote.headers.connection]).toEqual([200, 'close'])
  expect(stream.isClosed()).toBe(false)

  await using blocker = await connectDirectly(world.database.url)
  await blocker.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE')
  const held = askKeptAlive(agent, order)
  await eventually('the stream ends', () => stream.isClosed())
  expect(stream.events().at(-1)?.data.errors[0].extensions.reason).toBe('SHUTTING_DOWN')
  expect([...stream.text().matchAll(/^retry: (\d+)$/gm)].map(([, ms]) => Number(ms))).toEqual([
    expect.toSatisfy((ms: number) => ms >= 1_000 && ms < 3_000),
    expect.toSatisfy((ms: number) => ms >= 1_000 && ms < 6_000),
  ])
  // Nobody is taken any more, and the monitor still says why.
  await expect(ask(order)).rejects.toThrow()
  expect((await ask(`${metricsUrl}/health/ready`)).status).toBe(503)
  await blocker.query('ROLLBACK')
  expect(await held).toEqual([200, 'close'])
  await closing
  await expect(ask(`${metricsUrl}/health/ready`)).rejects.toThrow()
  const next = await createTrader(other.url ?? '', world.market).place(wish)
  expect(next.status).toBe(201)
  await other.close()
})

test('of requests that came together on one connection none stays without an answer', async () => {
  const program = await startProgram(world, { RATE_LIMIT_READS: '0' })
  await using line = openLine(program.url ?? '')
  const ready = 'GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const closing = program.close(500)
  line.write(ready + ready + ready)
  await eventually('the connection is closed', () => line.isClosed)
  expect(line.text.match(/HTTP\/1.1 503 /g)).toHaveLength(3)
  expect(line.text.match(/^Connection: \S+\r$/gm)).toEqual([
    'Connection: keep-alive\r',
    'Connection: keep-alive\r',
    'Connection: close\r',
  ])
  await closing
})
