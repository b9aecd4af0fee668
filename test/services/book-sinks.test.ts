import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPage, root } from '../docs/pages.ts'
import { eventually } from '../setup/eventually.ts'
import { startNats, type TestNats } from '../setup/nats.ts'
import { type Receiver, startReceiver } from '../setup/receiver.ts'
import { createTrader, graphql } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const key = 'operator-key-of-the-tests'
let nats: TestNats
let receiver: Receiver
let world: World
beforeAll(async () => {
  nats = await startNats()
  receiver = await startReceiver()
  receiver.answer = () => ({ status: 204 })
  world = await startWorld({
    roles: ['serve', 'index', 'auction', 'deliver'],
    environment: {
      NATS_URL: nats.url,
      ADMIN_API_KEY: key,
      CHANNEL_ALLOWED_HOSTS: '127.0.0.1',
      // Sinks read what clients may not.
      BOOK_FEED_ACCESS: 'off',
    },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
  await nats?.[Symbol.asyncDispose]()
})

/** A request with the operator’s key. */
async function asOperator(query: string, variables: object = {}) {
  const response = await fetch(`${world.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors?: unknown }
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}

const create = `mutation ($input: CreateBookWebhookInput!) {
  createBookWebhook(input: $input) { secret webhook { id name address filter isPaused lagEntries } }
}`

test('the program publishes all events of an order to NATS, and those of a filter to a webhook', async () => {
  const input = {
    name: 'partner',
    url: `${receiver.url}/book`,
    filter: { labels: ['TRADED'], kinds: ['SELL'] },
  }
  await expect(graphql(world.url, create, { input })).rejects.toThrow('Unauthorized')
  const { createBookWebhook: created } = (await asOperator(create, { input })) as {
    createBookWebhook: { secret: string; webhook: object }
  }
  expect(created.webhook).toMatchObject({
    name: 'partner',
    filter: input.filter,
    isPaused: false,
    lagEntries: 0,
    address: new URL(receiver.url).origin,
  })

  const { network } = world.market
  const trader = createTrader(world.url, world.market)
  const uid = (await trader.place({ sell: 'WETH', buy: 'USDC', sellAmount: 10n ** 17n, buyAmount: 1n })).body
  await eventually('it trades', async () => (await trader.order(uid)).status === 'fulfilled')
  const published = await eventually('its trade is published', async () => {
    const messages = await nats.read('TRADEGRAPH').catch(() => [])
    return messages.some(({ subject }) => subject === `event.${network.chainId}.traded`) && messages
  })
  expect(published.map(({ subject }) => subject.split('.')[2])).toEqual(
    expect.arrayContaining(['created', 'ready', 'executing', 'traded']),
  )
  const entries = published.map(({ text }) => JSON.parse(text))
  expect(entries.map(({ cursor }) => cursor)).toEqual(published.map(({ id }) => id))
  const places = published.map(({ id }) => BigInt(id))
  expect(places).toEqual(places.toSorted((a, b) => (a < b ? -1 : 1)))
  expect(new Set(entries.map(({ order }) => order.uid))).toEqual(new Set([uid]))

  const message = await eventually('the webhook has it', () => receiver.received[0])
  expect(() =>
    new Webhook(created.secret).verify(message.text, message.headers as Record<string, string>),
  ).not.toThrow()
  expect(message.body.events).toEqual([entries.find(({ event }) => event?.label === 'TRADED')])
  expect(message.body.cursor).toBe(message.body.events[0].cursor)
  expect(message.body.events[0]).toMatchObject({
    isRemoved: false,
    chainId: network.chainId,
    order: { uid, sellToken: { symbol: 'WETH' } },
    trade: { sellAmount: `${10n ** 17n}` },
  })
  await eventually('its state is shown', async () => {
    // A busy machine may answer that the database is away.
    const { bookWebhooks = [] } = await asOperator('{ bookWebhooks { name cursor sentAt fault } }').catch(
      (): Record<string, unknown> => ({}),
    )
    const [webhook] = bookWebhooks as { name: string; cursor: string; sentAt: string; fault: null }[]
    return webhook?.name === 'partner' && webhook.sentAt !== null && BigInt(webhook.cursor) > 1n
  })
  await expect(graphql(world.url, '{ bookWebhooks { id } }')).rejects.toThrow('Unauthorized')
})

test('the program of docs/how-to/publish-to-nats.md prints the trade', async () => {
  const block = readPage('docs/how-to/publish-to-nats.md').blocks.find(({ name }) => name === 'trades.mjs')
  const file = path.join(root, 'test', `trades-${process.pid}.tmp.mjs`)
  writeFileSync(file, block?.text ?? '')
  const environment = { ...process.env, NATS_SERVER: nats.url }
  const child = spawn(process.execPath, [file], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const line = await eventually('a line', () => /^.*\n/.exec(output)?.[0])
    expect(line).toMatch(new RegExp(`^\\d+ traded 0x[0-9a-f]{112} ${10n ** 17n} \\d+\\n$`))
  } finally {
    child.kill()
    rmSync(file)
  }
})
