import { createServer, type Server, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hexOf } from '../../src/storage/database/columns.ts'
import { sql } from '../../src/storage/database/database.ts'
import { createCrowd } from '../app/hostile/crowd.ts'
import { untilExplained } from '../app/hostile/endings.ts'
import { readLedger } from '../app/hostile/ledger.ts'
import { type Processes, startProcesses } from '../app/hostile/processes.ts'
import { createService, type Placed } from '../app/hostile/service.ts'
import { headOf, live, type World } from '../app/hostile/story.ts'
import { startTestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createRandom } from '../setup/random.ts'
import { startWrappingNode } from '../setup/relayed-node.ts'
import { graphql, request } from '../setup/trader.ts'

/** `EQUALITY_ORDERS=500` is the long run, with its figures; `EQUALITY_SEED` varies it. */
const count = Number(process.env.EQUALITY_ORDERS ?? 40)
const isLong = process.env.EQUALITY_ORDERS !== undefined
const plan = {
  count,
  seed: Number(process.env.EQUALITY_SEED ?? 1),
  pauseMs: isLong ? 1_000 : 400,
  kills: isLong ? 20 : 3,
  depths: isLong ? [1, 2, 3, 5, 8, 13, 21, 34, 55, 64, 64] : [1, 3, 12],
}
/** Times for which the order book does not answer the follower. */
const outages = isLong ? { times: 3, ms: 20_000 } : { times: 1, ms: 5_000 }
const callsPerMinute = 600

/** An order book (A), and a follower (B) that is killed and sees A through a bad connection. */
let book: Processes
let databases: Record<'book' | 'follower', TestDatabase>
let world: World
let follower: Processes
let line: Awaited<ReturnType<typeof startBadLine>>
/** The node of the order book: every third settlement is through another contract. */
let wrapping: Awaited<ReturnType<typeof startWrappingNode>>

beforeAll(async () => {
  const [chain, ofBook, ofFollower] = await Promise.all([
    startTestChain(),
    createTestDatabase(),
    createTestDatabase(),
  ])
  databases = { book: ofBook, follower: ofFollower }
  const crowd = createCrowd(chain)
  await crowd.prepare()
  const firstBlock = (await headOf(chain)) + 1
  wrapping = await startWrappingNode(chain, 3)
  book = await startProcesses(chain, ofBook, notified, { row: { rpcUrl: wrapping.url } })
  line = await startBadLine(book.url, plan.seed)
  const orderBook = { url: `${line.url}/${chain.market.network.name}`, callsPerMinute }
  follower = await startProcesses(chain, ofFollower, notified, {
    roles: ['serve', 'index'],
    row: { orderBook, firstBlock: 0 },
  })
  const service = createService(book.url, chain.market, crowd)
  // The story kills the follower's processes.
  world = { chain, crowd, processes: follower, service, firstBlock }
}, 300_000)
afterAll(async () => {
  await follower?.[Symbol.asyncDispose]()
  await book?.[Symbol.asyncDispose]()
  line?.server.close()
  wrapping?.close()
  await world?.chain[Symbol.asyncDispose]()
  await Promise.all(Object.values(databases ?? {}).map((database) => database[Symbol.asyncDispose]()))
})

const notified = { CMS_ENABLED: 'true', CMS_API_KEY: 'cms-key-of-the-tests' }

/** Passes requests on; a tenth get 429 or 500, and all are cut off during an outage. */
async function startBadLine(target: string, seed: number) {
  const random = createRandom(seed)
  const reads: number[] = []
  const state = { isDown: false, isGood: false }
  const server: Server = createServer((req, res) => {
    if (state.isDown) return void req.socket.destroy()
    const isWrite = req.method !== 'GET' && !req.url?.endsWith('/by_uids')
    if (!isWrite) reads.push(Date.now())
    if (!state.isGood && random.chance(0.1)) {
      const status = random.chance(0.5) ? 429 : 500
      res.writeHead(status, { 'retry-after': '1', 'content-type': 'application/json' })
      return void res.end('{"errorType":"Busy","description":"busy"}')
    }
    const { host: _, ...headers } = req.headers
    const passed = send(`${target}${req.url}`, { method: req.method ?? 'GET', headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    passed.on('error', () => req.socket.destroy())
    req.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, reads, state }
}

/** The most calls in any minute. */
function busiestMinute(times: readonly number[]): number {
  let first = 0
  return times.reduce((max, at, index) => {
    while ((times[first] ?? at) <= at - 60_000) first++
    return Math.max(max, index - first + 1)
  }, 0)
}

async function failNowAndThen(): Promise<void> {
  for (let time = 0; time < outages.times; time++) {
    await pause((plan.count * plan.pauseMs) / 2 / (outages.times + 1))
    line.state.isDown = true
    await pause(outages.ms)
    line.state.isDown = false
  }
}

const base = (url: string) => `${url}/${world.chain.market.network.name}/api`
const get = async (url: string, path: string) => {
  const { status, body } = await request(`${base(url)}${path}`)
  return status < 300 ? body : { status, errorType: body.errorType }
}

/** Only its auctions know these: what a follower shows of them comes with the competitions. */
const ofAuctions = ['READY', 'CONSIDERED', 'EXECUTING', 'FILTERED', 'INVALID']

const story = `query ($uid: OrderUid!) { order(uid: $uid) {
  status invalidated events(first: 200) { nodes { label } }
  trades(first: 50) { nodes { txHash blockNumber logIndex sellAmount buyAmount } }
} }`

/** What both must show of an order. A follower cannot know when an order was cancelled that was filled all the same. */
async function viewOf(url: string, uid: string) {
  const [rest, trades, { order }] = await Promise.all([
    get(url, `/v1/orders/${uid}`),
    get(url, `/v1/trades?orderUid=${uid}`),
    graphql(url, story, { uid }),
  ])
  // The calls of a quote are not mirrored.
  const { metadata: _, ...quote } = rest.quote ?? {}
  const isLate = rest.status === 'fulfilled' && rest.cancelledBy === 'api'
  const unknown = isLate ? [...ofAuctions, 'CANCELLED'] : ofAuctions
  const nodes = order?.events.nodes.filter(({ label }: { label: string }) => !unknown.includes(label))
  return { rest: { ...rest, quote }, trades, story: { ...order, events: nodes } }
}

interface Sent {
  type: string
  metadata: { orderId?: string; txHash?: string }
}

async function notificationsOf(url: string, account: string): Promise<Sent[]> {
  const all: Sent[] = (await request(`${url}/accounts/${account}/notifications`)).body
  return all.toReversed().map(({ type, metadata }) => ({ type, metadata }))
}

/**
 * Notifications of what is on the chain, by order, oldest first. Those of replaced blocks are left out, as
 * the follower may have been down while they were there. It notifies a fill when it has read the order, so
 * those of two orders may change places.
 */
function settled(all: readonly Sent[], transactions: ReadonlySet<string>): Record<string, Sent[]> {
  const byOrder: Record<string, Sent[]> = {}
  for (const sent of all) {
    const { orderId = '', txHash = '' } = sent.metadata
    if (transactions.has(txHash)) byOrder[orderId] = [...(byOrder[orderId] ?? []), sent]
  }
  return byOrder
}

interface Competition {
  auctionId: number
  auction: { orders: string[] }
  solutions: { orders: { id: string }[] }[]
}

/** A competition whose lists of orders are sorted: they say nothing by their order. */
const sorted = (competition: Competition) => ({
  ...competition,
  auction: { ...competition.auction, orders: competition.auction.orders.toSorted() },
  solutions: competition.solutions.map((solution) => ({
    ...solution,
    orders: solution.orders.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  })),
})

async function competitionOf(url: string, number: number) {
  const competition = await get(url, `/v2/solver_competition/${number}`)
  return competition.auctionId === number ? sorted(competition) : competition
}

/** Competitions that the order book shows, by number. */
async function competitionsOf(url: string): Promise<Map<number, unknown>> {
  const newest = await get(url, '/v2/solver_competition/latest')
  const found = new Map<number, unknown>()
  for (let number = newest.auctionId; number > 0; number--) {
    const competition = await competitionOf(url, number)
    if (competition.auctionId === number) found.set(number, competition)
  }
  return found
}

/** Paths at which two values differ, with both. */
function differences(there: unknown, here: unknown, path = ''): string[] {
  if (Object.is(there, here)) return []
  if (there === null || here === null || typeof there !== 'object' || typeof here !== 'object')
    return [`${path}: ${JSON.stringify(there)} and ${JSON.stringify(here)}`]
  const names = new Set([...Object.keys(there), ...Object.keys(here)])
  const [one, other] = [there, here] as Record<string, unknown>[]
  return [...names].flatMap((name) => differences(one?.[name], other?.[name], `${path}.${name}`))
}

async function settledTransactions(): Promise<Set<string>> {
  const { trades } = await readLedger(world.chain, world.firstBlock)
  return new Set(trades.map(({ txHash }) => txHash))
}

/** UIDs that an order book's public traces name: auctions, and logs of the chain. */
async function traced(orders: readonly Placed[]): Promise<string[]> {
  const ledger = await readLedger(world.chain, world.firstBlock)
  const rows = await sql(databases.book.db).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT DISTINCT o.uid FROM auction_orders a JOIN orders o ON o.id = a.order_id`
  const seen = new Set<string>([
    ...rows.map(({ uid }) => hexOf(uid)),
    ...ledger.trades.map(({ uid }) => uid),
    ...ledger.invalidated,
    ...ledger.presigned,
  ])
  return orders.map(({ uid }) => uid).filter((uid) => seen.has(uid))
}

test(`${count} orders: a follower that is killed and badly connected ends with all that the order book shows`, async () => {
  const [{ orders }] = await Promise.all([live(world, plan), failNowAndThen()])
  line.state.isGood = true
  const { chain } = world
  await untilExplained(orders, world, isLong ? 400_000 : 300_000)
  await chain.rpc.call('evm_setIntervalMining', [0])
  const expected = await traced(orders)
  const mirrored = async () => {
    const rows = await sql(databases.follower.db).order.findMany({ select: { uid: true } })
    const held = new Set<string>(rows.map(({ uid }) => hexOf(uid)))
    return expected.filter((uid) => !held.has(uid))
  }
  let missing = expected
  await eventually(
    'all orders are mirrored',
    async () => {
      missing = await mirrored()
      return missing.length === 0
    },
    120_000,
  ).catch(() => undefined)
  expect(missing).toEqual([])

  const owners = [...new Set(orders.map(({ owner }) => owner))]
  const competitions = await competitionsOf(book.url)
  const transactions = await settledTransactions()
  let found: string[] = []
  const compare = (name: string, there: unknown, here: unknown) =>
    found.push(...differences(there, here).map((difference) => `${name}${difference}`))
  const areEqual = async () => {
    found = []
    // Orders expire with a block, also those that were read after the last one.
    await chain.rpc.call('evm_mine', [])
    for (const uid of expected)
      compare(uid.slice(0, 10), await viewOf(book.url, uid), await viewOf(follower.url, uid))
    for (const owner of owners) {
      const [there, here] = [
        await notificationsOf(book.url, owner),
        await notificationsOf(follower.url, owner),
      ]
      compare(owner, settled(there, transactions), settled(here, transactions))
      const texts = here.map((sent) => JSON.stringify(sent))
      found.push(
        ...texts.filter((text, index) => texts.indexOf(text) !== index).map((text) => `twice ${text}`),
      )
    }
    for (const [number, competition] of competitions)
      compare(`auction ${number}`, competition, await competitionOf(follower.url, number))
    return found.length === 0
  }
  await eventually('all is equal', areEqual, 60_000).catch(() => undefined)
  if (isLong) {
    const figures = { orders: orders.length, traced: expected.length, competitions: competitions.size }
    const calls = { reads: line.reads.length, busiestMinute: busiestMinute(line.reads) }
    process.stdout.write(`${inspect({ ...figures, ...calls, differences: found.length })}\n`)
  }
  expect(found).toEqual([])
  expect(competitions.size).toBeGreaterThan(count / 8)
  expect(follower.crashed).toEqual([])
  expect(wrapping.wrapped()).toBeGreaterThan(0)
  expect(busiestMinute(line.reads)).toBeLessThanOrEqual(callsPerMinute)
}, 1_800_000)
