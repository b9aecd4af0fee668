import { randomUUID } from 'node:crypto'
import { Wallet } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { operatorCheck } from '../../src/graphql/context/access.ts'
import { createStoredBytes, type StoredLimits } from '../../src/graphql/context/stored-bytes.ts'
import { createMetrics } from '../../src/server/metrics.ts'
import { findTokens } from '../../src/storage/token/tokens.ts'
import { number, text } from '../chain/speaking-code.ts'
import { numbered } from '../fakes/order.ts'
import { startReceiver } from '../setup/receiver.ts'
import { network, openTestServer } from '../setup/server.ts'
import { ask, openSession } from '../setup/session.ts'
import { createTrader, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'
import { openMetadataWorld } from '../tokens/metadata-world.ts'

let world: World
beforeAll(async () => {
  // Half of it at once: one order or quote, and a part of the next.
  const environment = { ORDER_CLIENT_BYTES: '12000', QUOTE_CLIENT_BYTES: '8000' }
  world = await startWorld({ roles: ['serve'], environment })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const trader = () => createTrader(world.url, world.market)

test('a client with too many bytes of orders gets 429 with the time until it may place the next', async () => {
  const validTo = Math.floor(Date.now() / 1_000) + 1_200
  const wish = { sell: 'WETH', buy: 'USDC', buyAmount: 1n, validTo } as const
  const place = async (sellAmount: bigint) => trader().place({ ...wish, sellAmount })
  expect((await place(1_000_001n * 10n ** 9n)).status).toBe(201)
  // A refused order stores nothing.
  expect((await place(1_000_001n * 10n ** 9n)).body).toMatchObject({ errorType: 'DuplicatedOrder' })
  expect((await place(1_000_002n * 10n ** 9n)).status).toBe(201)
  const { status, body, headers } = await place(1_000_003n * 10n ** 9n)
  expect({ status, body }).toMatchObject({ status: 429, body: { errorType: 'RateLimited' } })
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(60)
  expect(await trader().cancel([`0x${'00'.repeat(56)}`])).toMatchObject({ status: 404 })
})

test('a client with too many bytes of quotes still gets fast ones, which are not stored', async () => {
  const { tokens } = world.market
  const quote = async (priceQuality: string) =>
    request(`${trader().base}/api/v1/quote`, 'POST', {
      sellToken: tokens.WETH.address,
      buyToken: tokens.USDC.address,
      from: trader().address,
      kind: 'sell',
      sellAmountBeforeFee: `${10n ** 17n}`,
      priceQuality,
    })
  expect((await quote('optimal')).status).toBe(200)
  expect((await quote('optimal')).status).toBe(200)
  expect(await quote('optimal')).toMatchObject({ status: 429, body: { errorType: 'RateLimited' } })
  expect((await quote('fast')).body).toMatchObject({ id: null })
})

test('placeOrders stores what the bytes of its client allow, and a cancellation is taken', async () => {
  const wish = { sell: 'WETH', buy: 'USDC', buyAmount: 1n } as const
  const signed = await Promise.all(
    [1n, 2n].map((more) => trader().sign({ ...wish, sellAmount: (1_000_010n + more) * 10n ** 9n })),
  )
  const { body } = await request(`${world.url}/graphql`, 'POST', {
    query:
      'mutation ($input: PlaceOrdersInput!) { placeOrders(input: $input) { results { error { code data } } } }',
    variables: {
      input: {
        network: 'SEPOLIA',
        orders: signed.map(({ signingScheme, kind, sellTokenBalance, buyTokenBalance, ...order }) => ({
          ...order,
          appDataHash: undefined,
          signingScheme: 'EIP712',
          kind: 'SELL',
        })),
      },
    },
  })
  const refused = { code: 'RateLimited', data: { limit: 'orders', retryAfterMs: expect.any(Number) } }
  expect(body.data?.placeOrders.results ?? body).toEqual([{ error: refused }, { error: refused }])
})

const none = { bytes: 0, ageMs: 1 }
const unlimited = {
  quotes: none,
  orders: none,
  sessions: none,
  channels: none,
  'sign-in nonces': none,
  'test deliveries': none,
  'sessions of balances': none,
  'affiliate codes': none,
  tokens: none,
}
const key = 'editor-key-of-16-or-more'

/** A server with these limits alone. */
async function openLimited(limits: Partial<StoredLimits>, now = () => 0) {
  const metrics = createMetrics(false)
  const stored = createStoredBytes({ ...unlimited, ...limits }, { now, meter: metrics })
  return openTestServer({}, { stored, metrics, isEditor: operatorCheck(key) })
}

test('nonces of sign-in count for the client that requests them', async () => {
  const limit = { bytes: 1_024, ageMs: 600_000 }
  let now = Date.now()
  await using server = await openLimited({ 'sign-in nonces': limit }, () => now)
  const challenge = async () => {
    const { errors } = await ask(server.url, 'mutation { createSignInChallenge { nonce } }')
    return errors?.[0]?.extensions.code ?? 'nonce'
  }
  expect([await challenge(), await challenge(), await challenge()]).toEqual(['nonce', 'nonce', 'RateLimited'])
  now += limit.ageMs / 2
  expect(await challenge()).toBe('nonce')
  const { body } = await request(`${server.url}/metrics`)
  expect(body).toContain('tradegraph_stored_bytes_total{kind="sign-in nonces"} 768')
  expect(body).toContain('tradegraph_rate_limited_total{limit="stored sign-in nonces"} 1')
})

test('sessions of accounts count for the client that opens them', async () => {
  await using server = await openLimited({ sessions: { bytes: 2_048, ageMs: 600_000 } })
  const open = () =>
    openSession(server.url, Wallet.createRandom(), { chainId: network.chainId, now: 1_800_000_000_000 })
  await open()
  await open()
  await expect(open()).rejects.toThrow()
})

test('channels and their test events count for the client that adds them', async () => {
  const limits = {
    channels: { bytes: 8_192, ageMs: 600_000 },
    'test deliveries': { bytes: 1_024, ageMs: 600_000 },
  }
  await using server = await openLimited(limits)
  await using receiver = await startReceiver()
  const [first, second] = [numbered('c1'), numbered('c2')]
  const subscribe = (account: Address, path: string) =>
    ask(
      server.url,
      'mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { channel { id } } }',
      { input: { account, kind: 'WEBHOOK', address: `${receiver.url}/${path}` } },
      key,
    )
  const { data } = await subscribe(first, 'a')
  expect((await subscribe(second, 'b')).errors).toBeUndefined()
  expect((await subscribe(second, 'c')).errors?.[0]?.extensions.code).toBe('RateLimited')
  const { id } = data.subscribeChannel.channel
  const testEvent = async () => {
    const { errors } = await ask(
      server.url,
      'mutation ($input: ChannelInput!) { testChannel(input: $input) { messageId } }',
      { input: { account: first, id } },
      key,
    )
    return errors?.[0]?.extensions.code ?? 'sent'
  }
  expect([await testEvent(), await testEvent()]).toEqual(['sent', 'RateLimited'])
})

test('a channel whose token cannot be sent counts, since its row stays', async () => {
  await using server = await openLimited({ channels: { bytes: 8_192, ageMs: 600_000 } })
  const codes = []
  for (const account of [numbered('c3'), numbered('c4'), numbered('c5')]) {
    const input = { account, kind: 'WEBHOOK', address: 'http://127.0.0.1:1/closed' }
    const document =
      'mutation ($input: SubscribeChannelInput!) { subscribeChannel(input: $input) { channel { id } } }'
    const { errors } = await ask(server.url, document, { input }, key)
    codes.push(errors?.[0]?.extensions.code)
  }
  expect(codes).toEqual(['ChannelUnreachable', 'ChannelUnreachable', 'RateLimited'])
})

test('sessions of balances count by their tokens, also when these are replaced', async () => {
  await using server = await openLimited({ 'sessions of balances': { bytes: 4_096, ageMs: 120_000 } })
  const id = randomUUID()
  const send = async (method: string, tokens: number) => {
    const response = await fetch(`${server.url}/sepolia/sessions/${numbered('0f')}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-client-id': id },
      body: JSON.stringify({
        customTokens: Array.from({ length: tokens }, (_, index) => `0x${`${index + 1}`.padStart(40, '0')}`),
      }),
    })
    return { status: response.status, retryAfter: response.headers.get('retry-after') }
  }
  expect([(await send('POST', 30)).status, (await send('PUT', 60)).status]).toEqual([201, 200])
  const { status, retryAfter } = await send('PUT', 1)
  expect(status).toBe(429)
  expect(Number(retryAfter)).toBeGreaterThan(10)
})

test('tokens beyond the bytes of a client are answered, and not stored', async () => {
  await using metadata = await openMetadataWorld()
  const tokens = await Promise.all(
    ['ONE', 'TWO', 'THREE'].map((symbol) => metadata.put([text(symbol), text(symbol), number(18n)])),
  )
  await metadata.index()
  const { tokens: read } = metadata.openReader()
  const limit = { bytes: 2 * 320, ageMs: 86_400_000 }
  const stored = createStoredBytes({ ...unlimited, tokens: limit }, { now: () => 0 })
  await using server = await openTestServer({ tokens: read }, { stored })
  const symbolOf = async (token?: Address) => {
    const { data } = await ask(server.url, `{ tokens(network: SEPOLIA, addresses: ["${token}"]) { symbol } }`)
    return data.tokens[0].symbol
  }
  for (const [index, symbol] of ['ONE', 'TWO', 'THREE', 'THREE'].entries())
    expect(await symbolOf(tokens[Math.min(index, 2)])).toBe(symbol)
  const known = await findTokens(metadata.database.db, network.chainId, tokens)
  expect([...known.values()].map(({ symbol }) => symbol).toSorted()).toEqual(['ONE', 'TWO'])
})
