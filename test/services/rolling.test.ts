import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBalancer } from '../setup/balancer.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createProcesses, end, freePorts, type Processes, type Started } from '../setup/processes.ts'
import { createSender, followSteadily, type Sent, sendSteadily } from '../setup/steadily.ts'
import { createTrader } from '../setup/trader.ts'

/** How often each process is started again, and requests a second meanwhile. */
const rounds = Number(process.env.ROLLING_RESTARTS ?? 1)
const rate = Number(process.env.ROLLING_RATE ?? 20)
const streams = Number(process.env.ROLLING_STREAMS ?? 20)

let chain: TestChain
let processes: Processes
beforeAll(async () => {
  chain = await startTestChain()
  processes = await createProcesses(chain)
})
afterAll(async () => {
  await processes?.[Symbol.asyncDispose]()
  await chain?.[Symbol.asyncDispose]()
})

test('rolling restarts behind a balancer: no request fails, streams go on, no event is lost or repeated', async () => {
  const ports = await freePorts(3)
  const serve = (port: number) => processes.start('serve', { PORT: `${port}`, SHUTDOWN_DELAY_SECONDS: '5' })
  const [one, two, three] = ports as [number, number, number]
  const serving = new Map<number, Started>(
    await Promise.all([one, two, three].map(async (port) => [port, await serve(port)] as const)),
  )
  await Promise.all([processes.start('index'), processes.start('auction')])
  await using balancer = await startBalancer(ports)
  const trader = createTrader(balancer.url, chain.market)
  const swap = { sell: 'WETH', buy: 'USDC', sellAmount: 10n ** 15n, buyAmount: 1n } as const
  const { body: uid } = await trader.place(swap)
  const search = new URLSearchParams({
    query: `subscription { notifications(account: "${trader.address}", after: "earliest") { cursor } }`,
  })
  const followers = Array.from({ length: streams }, () =>
    followSteadily(`${balancer.url}/graphql/stream?${search}`),
  )
  const requests: Sent[] = [
    { path: `/sepolia/api/v1/orders/${uid}`, answer: /"uid"/ },
    { path: '/graphql', body: { query: `{ order(uid: "${uid}") { status } }` }, answer: /"status"/ },
    { path: `/sepolia/api/v1/account/${trader.address}/orders`, answer: /^\[/ },
    { path: '/graphql', body: { query: '{ meta { block { number } } }' }, answer: /"number"/ },
  ]
  using send = createSender(balancer.url)
  const stop = sendSteadily(send, rate, (place) => requests[place % requests.length] as Sent)
  let isPlacing = true
  const answers: Awaited<ReturnType<typeof trader.place>>[] = []
  const placed = (async () => {
    while (isPlacing) {
      // The first was placed before.
      const sellAmount = swap.sellAmount + BigInt(answers.length + 1)
      answers.push(await trader.place({ ...swap, sellAmount }))
      await pause(400)
    }
  })()

  const codes: (number | null)[] = []
  for (let round = 0; round < rounds; round++) {
    for (const port of ports) {
      const { child } = serving.get(port) as Started
      codes.push(await end(child, 'SIGTERM'))
      serving.set(port, await serve(port))
    }
  }
  isPlacing = false
  await placed
  const sent = await stop()
  await using client = await connectDirectly(processes.databaseUrl)
  const log = async () => {
    const { rows } = await client.query(
      `SELECT place::text FROM feed_entries WHERE account = $1 ORDER BY feed_entries.place`,
      [Buffer.from(trader.address.slice(2), 'hex')],
    )
    return rows.map(({ place }) => Number(place))
  }
  // Each order that was placed is filled.
  await eventually('the last order is filled', async () => (await log()).length > answers.length)
  const places = await log()
  await eventually('all streams have it all', () =>
    followers.every((follower) => follower.places.length >= places.length),
  )
  await Promise.all(followers.map(({ stop }) => stop()))
  const ended = followers.flatMap(({ ends }) => [...ends])
  const [restarts, orders, events] = [codes.length, answers.length, places.length]
  process.stdout.write(`${JSON.stringify({ restarts, sent: sent.length, orders, streams, ended, events })}\n`)
  expect(sent.flatMap(({ fault }) => fault ?? [])).toEqual([])
  expect(codes).toEqual(codes.map(() => 0))
  expect(answers.flatMap(({ status, body }) => (status === 201 ? [] : { status, body }))).toEqual([])
  for (const follower of followers) {
    expect(follower.faults).toEqual([])
    expect(follower.places.slice(0, places.length)).toEqual(places)
  }
  expect(new Set(ended.map(([reason]) => reason))).toEqual(new Set(['SHUTTING_DOWN']))
}, 1_200_000)

test('a second signal ends a process at once', async () => {
  const { child, ready } = await processes.start('serve', { SHUTDOWN_DELAY_SECONDS: '600' })
  child.kill('SIGTERM')
  await eventually('it is not ready', async () => (await fetch(`${ready}/health/ready`)).status === 503)
  expect(await end(child, 'SIGTERM')).toBe(1)
}, 90_000)
