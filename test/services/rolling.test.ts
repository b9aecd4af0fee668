import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBalancer } from '../setup/balancer.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createProcesses, end, freePorts, type Processes, type Started } from '../setup/processes.ts'
import { createTrader } from '../setup/trader.ts'
import { type EventReader, openEvents, type StreamEvent } from '../sse/events.ts'

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

/** Sends a request each time that one is due, without waiting for answers, until it is stopped. */
function sendSteadily(url: string, requests: readonly Sent[]) {
  const agent = new Agent({ keepAlive: true })
  const faults: string[] = []
  const underWay = new Set<Promise<void>>()
  let sent = 0
  const started = performance.now()
  const sendDue = () => {
    for (const due = ((performance.now() - started) * rate) / 1_000; sent < due; sent++) {
      const one = requests[sent % requests.length] as Sent
      const answered = exchange(agent, url, one).then((fault) => void (fault && faults.push(fault)))
      underWay.add(answered)
      void answered.then(() => underWay.delete(answered))
    }
  }
  const timer = setInterval(sendDue, 10)
  return async () => {
    clearInterval(timer)
    await Promise.all(underWay)
    agent.destroy()
    return { sent, faults }
  }
}

interface Sent {
  path: string
  body?: unknown
  answer: RegExp
}

/** @returns what is wrong with the answer */
function exchange(agent: Agent, url: string, { path, body, answer }: Sent): Promise<string | undefined> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' }
    const req = httpRequest(`${url}${path}`, { agent, method: body ? 'POST' : 'GET', headers }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      const fault = () =>
        res.statusCode === 200 && answer.test(text) ? undefined : `${res.statusCode} ${text}`
      res.on('close', () => resolve(res.complete ? fault() : `${path}: cut`))
    })
    req.on('error', (error) => resolve(`${path}: ${error.message}`))
    req.end(body && JSON.stringify(body))
  })
}

/** An EventSource: comes back after the time that the service asks for, with the last id. */
function followSteadily(address: string) {
  const faults: string[] = []
  const events: StreamEvent[] = []
  let current: EventReader | undefined
  const stopping = new AbortController()
  const stopped = once(stopping.signal, 'abort')
  const all = () => [...events, ...(current?.events() ?? [])]
  const idsOf = () => all().flatMap(({ id, data }) => (id !== undefined && !data.errors ? [id] : []))
  const followed = (async () => {
    for (let retryMs = 1_000; !stopping.signal.aborted; ) {
      const last = idsOf().at(-1)
      const headers = last === undefined ? {} : { 'last-event-id': last }
      const opened = await openEvents(address, { headers }).catch((error) => void faults.push(String(error)))
      if (opened) {
        if (opened.status !== 200) faults.push(`status ${opened.status}: ${opened.text()}`)
        current = opened
        await Promise.race([stopped, eventually('its end', opened.isClosed, 3_600_000)])
        current = undefined
        events.push(...opened.events())
        retryMs = Number(
          opened
            .text()
            .match(/^retry: \d+$/gm)
            ?.at(-1)
            ?.slice(7) ?? retryMs,
        )
        await opened[Symbol.asyncDispose]()
      }
      const { signal } = stopping
      await pause(retryMs, undefined, { signal }).catch(() => {})
    }
  })()
  return {
    faults,
    ids: idsOf,
    reasons: () => all().flatMap(({ data }) => (data?.errors ? [data.errors[0].extensions.reason] : [])),
    async stop() {
      stopping.abort()
      await followed
    },
  }
}

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
  const stop = sendSteadily(balancer.url, [
    { path: `/sepolia/api/v1/orders/${uid}`, answer: /"uid"/ },
    { path: '/graphql', body: { query: `{ order(uid: "${uid}") { status } }` }, answer: /"status"/ },
    { path: `/sepolia/api/v1/account/${trader.address}/orders`, answer: /^\[/ },
    { path: '/graphql', body: { query: '{ meta { block { number } } }' }, answer: /"number"/ },
  ])
  let isPlacing = true
  const statuses: number[] = []
  const placed = (async () => {
    while (isPlacing) {
      statuses.push(
        (await trader.place({ ...swap, sellAmount: swap.sellAmount + BigInt(statuses.length) })).status,
      )
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
  const { sent, faults } = await stop()
  await using client = await connectDirectly(processes.databaseUrl)
  const log = async () => {
    const { rows } = await client.query(
      `SELECT place::text FROM feed_entries WHERE account = $1 ORDER BY feed_entries.place`,
      [Buffer.from(trader.address.slice(2), 'hex')],
    )
    return rows.map(({ place }) => place as string)
  }
  // Each order that was placed is filled.
  await eventually('the last order is filled', async () => (await log()).length > statuses.length)
  const places = await log()
  await eventually('all streams have it all', () =>
    followers.every(({ ids }) => ids().length >= places.length),
  )
  await Promise.all(followers.map(({ stop }) => stop()))
  const ended = followers.flatMap(({ reasons }) => reasons())
  const [restarts, orders, events] = [codes.length, statuses.length, places.length]
  process.stdout.write(
    `${JSON.stringify({ restarts, sent, orders, streams, ended: ended.length, events })}\n`,
  )
  expect(faults).toEqual([])
  expect(codes).toEqual(codes.map(() => 0))
  expect(new Set(statuses)).toEqual(new Set([201]))
  for (const { ids, faults } of followers) {
    expect(faults).toEqual([])
    expect(ids().slice(0, places.length)).toEqual(places)
  }
  expect(new Set(ended)).toEqual(new Set(['SHUTTING_DOWN']))
}, 1_200_000)

test('a second signal ends a process at once', async () => {
  const { child, ready } = await processes.start('serve', { SHUTDOWN_DELAY_SECONDS: '600' })
  child.kill('SIGTERM')
  await eventually('it is not ready', async () => (await fetch(`${ready}/health/ready`)).status === 503)
  expect(await end(child, 'SIGTERM')).toBe(1)
}, 90_000)
