import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from 'pg'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numbered } from '../fakes/order.ts'
import { storeNotification } from '../fakes/story.ts'
import { launchBrowser } from '../setup/browser.ts'
import { startCuttingProxy } from '../setup/cutting-proxy.ts'
import { connectDirectly, createTestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, type OrderWish } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

/** Event streams in a browser, without a client library but that of GraphiQL. */
let world: World
let browser: Browser
/** An application's own server: browsers let only a page of this machine connect to this machine. */
const app = createServer((_req, res) => res.setHeader('content-type', 'text/html').end('<title>app</title>'))
let appUrl = ''

beforeAll(async () => {
  await once(app.listen(0, '127.0.0.1'), 'listening')
  appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/`
  ;[world, browser] = await Promise.all([startWorld(), launchBrowser()])
})
afterAll(async () => {
  await browser?.close()
  app.close()
  await world?.[Symbol.asyncDispose]()
})

/** What the local stack sets: the feed of accounts has to be enabled. */
const environment = { ...unlimited, CMS_ENABLED: 'true', CMS_API_KEY: 'cms-key-of-the-tests' }

const swap: OrderWish = { sell: 'WETH', buy: 'USDC', sellAmount: 10n ** 15n, buyAmount: 1n }

const notificationsOf = (account: string) =>
  `subscription { notifications(account: "${account}", after: "earliest") { cursor node { message } } }`

interface Seen {
  id: string
  // biome-ignore lint/suspicious/noExplicitAny: JSON of an event
  result: any
}

interface SeenPage extends AsyncDisposable {
  page: Page
  /** The events of each source so far. */
  seen(): Promise<Seen[][]>
}

interface Source {
  document: string
  path?: '/graphql' | '/graphql/stream'
}

/** A page of another origin, with an EventSource for each document. */
async function openSources(url: string, sources: readonly Source[]): Promise<SeenPage> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(appUrl)
  const addresses = sources.map(
    ({ document: query, path = '/graphql/stream' }) => `${url}${path}?${new URLSearchParams({ query })}`,
  )
  await page.evaluate((addresses) => {
    const seen = addresses.map((address) => {
      const events: Seen[] = []
      new EventSource(address).addEventListener('next', ({ lastEventId, data }) =>
        events.push({ id: lastEventId, result: JSON.parse(data) }),
      )
      return events
    })
    Object.assign(globalThis, { seen })
  }, addresses)
  return {
    page,
    seen: () => page.evaluate(() => (globalThis as unknown as { seen: Seen[][] }).seen),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

test('GraphiQL shows what a subscription sends after it was started', async () => {
  const trader = createTrader(world.url, world.market, 1)
  const query = `subscription { orderEvents(owner: "${trader.address}") { cursor event { label } order { uid } } }`
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${world.url}/graphql?${new URLSearchParams({ query })}`)
  await page.locator('.graphiql-query-editor').getByText('orderEvents').first().waitFor()
  const started = page.waitForResponse(
    (response) => response.status() === 202 || isStream(response.headers()),
  )
  await page.locator('.graphiql-execute-button').click()
  await started
  const { status, body: uid } = await trader.place(swap)
  expect(status).toBe(201)
  const shown = page.locator('.graphiql-response')
  await shown.getByText(uid.slice(0, 40)).first().waitFor()
  await shown.getByText('TRADED').first().waitFor()
  await context.close()
})

const isStream = (headers: Record<string, string>) =>
  headers['content-type']?.startsWith('text/event-stream') === true

/** Places in a feed, in the order of its log. */
async function placesIn(client: Client, table: string, condition: string): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT f.place::text FROM ${table} f WHERE ${condition} ORDER BY f.place`,
  )
  return rows.map(({ place }) => place)
}

test('sources of a browser that are cut twenty times see each log whole, each entry once', async () => {
  const trader = createTrader(world.url, world.market)
  const { name, chainId } = world.market.network
  const owner = trader.address
  const key = `'\\x${owner.slice(2)}'`
  const feeds = [
    { document: notificationsOf(owner), table: 'feed_entries', condition: `account = ${key}` },
    {
      document: `subscription { orderEvents(owner: "${owner}", after: "earliest") { cursor event { label } } }`,
      table: 'order_feed',
      condition: `owner = ${key}`,
    },
    {
      document: `subscription { auctions(network: ${name.toUpperCase()}, after: "earliest") { cursor } }`,
      table: 'auction_feed',
      condition: `chain_id = ${chainId} AND hides IS NOT TRUE`,
    },
  ]
  // As many as a browser connects to one host.
  const path = '/graphql' as const
  const sources = [...feeds, ...feeds.map((feed) => ({ ...feed, path }))]
  // Each source may wait for its next cut.
  let planned = 0
  await using proxy = await startCuttingProxy(world.url, () =>
    planned++ < 20 + sources.length ? Math.ceil(Math.random() * 1_000) : undefined,
  )
  await using client = await connectDirectly(world.database.url)
  await using opened = await openSources(proxy.url, sources)
  for (let round = 0; round < 10; round++)
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        trader.place({ ...swap, sellAmount: swap.sellAmount + BigInt(10 * round + index) }),
      ),
    )
  await eventually('all cuts', () => proxy.cuts() >= 20)
  const logs = await Promise.all(sources.map(({ table, condition }) => placesIn(client, table, condition)))
  expect(logs[1]?.length).toBeGreaterThanOrEqual(100)
  const seen = await eventually('all events', async () => {
    const seen = await opened.seen()
    return seen.every((events, index) => events.length >= (logs[index]?.length ?? 0)) && seen
  })
  // Orders are being filled, so that more may have come.
  expect(seen.map((events, index) => events.slice(0, logs[index]?.length).map(({ id }) => id))).toEqual(logs)
  expect(seen.flat().filter(({ result }) => result.errors)).toEqual([])
})

test('a source goes on at a process that was started again, and behind a gap of which it was told', async () => {
  await using database = await createTestDatabase()
  const parts = { database, chain: world.chain }
  const account = numbered('e1')
  const write = async (...indexes: number[]) => {
    for (const index of indexes) await storeNotification(database.db, account, index)
  }
  await write(0, 1, 2)
  const first = await startProgram(parts, environment)
  const url = first.url ?? ''
  await using opened = await openSources(url, [{ document: notificationsOf(account) }])
  const seen = async () =>
    (await opened.seen())
      .flat()
      .map(({ result }) => result.errors?.[0].extensions.reason ?? result.data.notifications.node.message)
  const expected = ['notification 0', 'notification 1', 'notification 2']
  await eventually('the first three', async () => (await seen()).length === 3)
  await first.close()

  await write(3, 4, 5)
  const second = await startProgram(parts, { ...environment, PORT: new URL(url).port })
  expected.push('SHUTTING_DOWN', 'notification 3', 'notification 4', 'notification 5')
  await eventually('what the process that stopped did not send', async () => (await seen()).length === 7)
  await second.close()

  await write(6, 7, 8)
  await using client = await connectDirectly(database.url)
  const old = `UPDATE feed_entries SET written_at = now() - interval '91 days' WHERE place IN
    (SELECT place FROM feed_entries ORDER BY place LIMIT 8)`
  await client.query(old)
  const indexer = await startProgram(parts, environment, { roles: ['index'] })
  const [kept] = await eventually('entries are removed', async () => {
    const places = await placesIn(client, 'feed_entries', 'true')
    return places.length === 1 && places
  })
  await indexer.close()
  const third = await startProgram(parts, { ...environment, PORT: new URL(url).port })
  expected.push('SHUTTING_DOWN', 'GAP', 'notification 8', 'notification 9')
  await eventually('what was kept', async () => (await seen()).at(-1) === 'notification 8')
  await write(9)
  await eventually('what comes now', async () => (await seen()).length >= expected.length)
  expect(await seen()).toEqual(expected)
  expect(Number((await opened.seen()).flat().at(-3)?.id)).toBeLessThan(Number(kept))
  await third.close()
})
