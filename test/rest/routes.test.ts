import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { zeroAppData } from '../../src/domain/app-data/document.ts'
import type { Cancellation, OrderCreation } from '../../src/domain/order/creation.ts'
import type { Order } from '../../src/domain/order/order.ts'
import type { QuoteRequest } from '../../src/domain/quote/quote.ts'
import { graphQuoteInput } from '../fakes/graph-input.ts'
import { dollar, numbered, wrapped } from '../fakes/order.ts'
import { storeNotification, storeOrder, storeSettledOrder } from '../fakes/story.ts'
import { openTestServer, sampleReply, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

const owner = numbered('0f')
const asked: QuoteRequest[] = []
const placed: OrderCreation[] = []
const cancelled: Cancellation[] = []
let server: TestServer
let base: string
let open: Order
let settled: Order

beforeAll(async () => {
  server = await openTestServer({
    quote: async (wish) => {
      asked.push(wish)
      return sampleReply(wish)
    },
    placeOrder: async (creation) => {
      placed.push(creation)
      return open.uid
    },
    cancelOrders: async (cancellation) => {
      cancelled.push(cancellation)
      return cancellation.orderUids
    },
  })
  base = `${server.url}/sepolia`
  open = await storeOrder(server.database.db, { owner })
  settled = await storeSettledOrder(server.database.db, 9n, numbered('1e'))
})
afterAll(() => server[Symbol.asyncDispose]())

describe('quote', () => {
  const body = {
    kind: 'sell',
    sellAmountBeforeFee: '0005',
    sellToken: wrapped.toUpperCase().replace('0X', '0x'),
    buyToken: dollar,
    from: owner,
  }

  test('is written in the interface’s spelling, with whole numbers for gas', async () => {
    const answer = await request(`${base}/api/v1/quote`, 'POST', {
      ...body,
      priceQuality: 'fast',
      validFor: 60,
      unknown: 1,
    })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      quote: {
        sellToken: wrapped,
        buyToken: dollar,
        receiver: null,
        sellAmount: '5',
        buyAmount: '10',
        feeAmount: '7',
        validTo: 1_800_000_060,
        appData: zeroAppData,
        appDataHash: zeroAppData,
        gasAmount: '155000',
        gasPrice: '1000000000',
        sellTokenPrice: '0.00025',
        kind: 'sell',
        partiallyFillable: false,
        sellTokenBalance: 'erc20',
        buyTokenBalance: 'erc20',
        signingScheme: 'eip712',
      },
      from: owner,
      expiration: '2027-01-15T08:01:00Z',
      id: 42,
      verified: true,
    })
    expect(asked.at(-1)).toMatchObject({
      priceQuality: 'fast',
      size: { form: 'sellAmountBeforeFee', amount: 5n },
    })
  })

  test('has the same meaning over GraphQL', async () => {
    const query = 'mutation ($input: QuoteInput!) { quote(input: $input) { quoteId } }'
    const input = graphQuoteInput({ ...body, priceQuality: 'fast', validFor: 60 })
    const variables = { input: { ...input, network: 'sepolia' } }
    await request(`${server.url}/graphql`, 'POST', { query, variables })
    expect(asked.at(-1)).toEqual(asked.at(-2))
  })

  test.each([5_000, 5_001, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 1e300])(
    'has the longest time with a timeout of %d',
    async (timeout) => {
      const query = 'mutation ($input: QuoteInput!) { quote(input: $input) { quoteId } }'
      const input = { ...graphQuoteInput({ ...body, timeout }), network: 'sepolia' }
      for (const [path, sent] of [
        [`${base}/api/v1/quote`, { ...body, timeout }],
        [
          `${base}/api/v1/quote`,
          JSON.stringify({ ...body, timeout: 0 }).replace(/0}$/, `${timeout}${'0'.repeat(400)}}`),
        ],
        [`${server.url}/graphql`, { query, variables: { input } }],
      ] as const) {
        asked.splice(0)
        expect((await request(path, 'POST', sent)).status).toBe(200)
        expect(asked).toMatchObject([{ timeoutMs: 5_000 }])
      }
    },
  )

  test('has defaults', async () => {
    await request(`${base}/api/v1/quote`, 'POST', { ...body, timeout: 60_000 })
    expect(asked.at(-1)).toMatchObject({
      expiry: { validFor: 1_800 },
      priceQuality: 'verified',
      signingScheme: 'eip712',
      timeoutMs: 5_000,
      verificationGasLimit: 0n,
      appData: zeroAppData,
      appDataDocument: null,
      receiver: null,
    })
  })
})

describe('orders', () => {
  const body = {
    sellToken: wrapped,
    buyToken: dollar,
    sellAmount: '5',
    buyAmount: '6',
    validTo: 2_000_000_000,
    appData: '{}',
    feeAmount: '0',
    kind: 'sell',
    partiallyFillable: true,
    signingScheme: 'ethsign',
    signature: `0x${'AB'.repeat(65)}`,
    from: null,
    quoteId: 42,
    unknown: 'ignored',
  }

  test('are placed: 201 and the UID as a JSON string', async () => {
    const answer = await request(`${base}/api/v1/orders`, 'POST', body)
    expect([answer.status, answer.body]).toEqual([201, open.uid])
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(placed.at(-1)).toEqual({
      sellToken: wrapped,
      buyToken: dollar,
      receiver: null,
      sellAmount: 5n,
      buyAmount: 6n,
      validTo: 2_000_000_000,
      appData: {
        appData: '{}',
        hash: '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d',
        document: '{}',
      },
      feeAmount: 0n,
      kind: 'sell',
      partiallyFillable: true,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
      signingScheme: 'ethsign',
      signature: `0x${'ab'.repeat(65)}`,
      from: null,
      quoteId: 42n,
      fullBalanceCheck: false,
    })
  })

  test('are cancelled', async () => {
    const wish = {
      orderUids: [open.uid.toUpperCase().replace('0X', '0x')],
      signature: '0xAB',
      signingScheme: 'eip712',
    }
    const answer = await request(`${base}/api/v1/orders`, 'DELETE', wish)
    expect([answer.status, answer.body]).toEqual([200, 'Cancelled'])
    expect(cancelled.at(-1)).toEqual({ orderUids: [open.uid], signature: '0xab', signingScheme: 'eip712' })
    expect((await request(`${base}/api/v1/orders`, 'DELETE', { ...wish, orderUids: [] })).status).toBe(200)
  })

  test('are read one by one', async () => {
    const { body: order } = await request(
      `${base}/api/v1/orders/${open.uid.toUpperCase().replace('0X', '0x')}`,
    )
    expect(order).toEqual({
      creationDate: '2027-01-15T07:43:20Z',
      owner,
      from: owner,
      uid: open.uid,
      availableBalance: null,
      executedBuyAmount: '0',
      executedSellAmount: '0',
      executedSellAmountBeforeFees: '0',
      executedFeeAmount: '0',
      executedFee: '0',
      executedFeeToken: wrapped,
      invalidated: false,
      status: 'open',
      class: 'limit',
      settlementContract: open.settlementContract,
      isLiquidityOrder: false,
      fullAppData: '{}',
      sellToken: wrapped,
      buyToken: dollar,
      receiver: null,
      sellAmount: '1000000000000000000',
      buyAmount: '2900000000',
      feeAmount: '0',
      validTo: 2_000_000_000,
      appData: open.appData,
      appDataHash: open.appData,
      kind: 'sell',
      partiallyFillable: false,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
      signingScheme: 'eip712',
      signature: `0x${'00'.repeat(65)}`,
      fullBalanceCheck: false,
      interactions: { pre: [], post: [] },
    })
    const { body: done } = await request(`${base}/api/v1/orders/${settled.uid}`)
    expect(done).toMatchObject({
      status: 'fulfilled',
      quoteId: 5,
      executedFee: '9000000000000',
      quote: {
        gasAmount: '155000',
        gasPrice: '1000000000',
        sellTokenPrice: '1',
        verified: true,
        metadata: null,
      },
    })
  })

  test('are listed by account, newest first, without quotes', async () => {
    const trader = numbered('1a')
    for (let index = 0; index < 3; index++) {
      await storeOrder(server.database.db, {
        owner: trader,
        buyAmount: BigInt(index + 1),
        creationDate: new Date(1_799_999_000_000 + index),
      })
    }
    const list = async (query: string) => {
      const { body } = await request(`${base}/api/v1/account/${trader}/orders${query}`)
      return body.map(({ buyAmount }: { buyAmount: string }) => buyAmount)
    }
    expect(await list('')).toEqual(['3', '2', '1'])
    expect(await list('?limit=1000&offset=2')).toEqual(['1'])
    expect(await list('?limit=1')).toEqual(['3'])
    const { body: whole } = await request(`${base}/api/v1/account/${settled.owner}/orders`)
    expect(whole).toHaveLength(1)
    expect(whole[0]).not.toHaveProperty('quote')
    expect((await request(`${base}/api/v1/account/${numbered('99')}/orders`)).body).toEqual([])
  })
})

test('of trades have their protocol fees, by policy', async () => {
  const expected = [
    {
      blockNumber: 109,
      logIndex: 3,
      orderUid: settled.uid,
      owner: settled.owner,
      sellToken: wrapped,
      buyToken: dollar,
      sellAmount: '1000000000000000000',
      sellAmountBeforeFees: '1000000000000000000',
      buyAmount: '2940000000',
      txHash: `0x${'ab'.repeat(32)}`,
      executedProtocolFees: [
        { policy: { surplus: { factor: 0.5, maxVolumeFactor: 0.01 } }, amount: '20000000', token: dollar },
      ],
    },
  ]
  expect((await request(`${base}/api/v2/trades?owner=${settled.owner}`)).body).toEqual(expected)
  expect((await request(`${base}/api/v1/trades?orderUid=${settled.uid}`)).body).toEqual(expected)
  expect((await request(`${base}/api/v2/trades?owner=${settled.owner}&offset=1`)).body).toEqual([])
})

test('app data is stored once and read back byte for byte', async () => {
  const document = '{ "version": "1.0.0" }'
  const first = await request(`${base}/api/v1/app_data`, 'PUT', { fullAppData: document })
  expect(first.status).toBe(201)
  const path = `${base}/api/v1/app_data/${first.body}`
  const again = await request(path, 'PUT', { fullAppData: document })
  expect([again.status, again.body]).toEqual([200, first.body])
  expect((await request(path)).body).toEqual({ fullAppData: document })
})

test('notifications are newest first, each once, and cacheable', async () => {
  for (let index = 0; index < 3; index++) await storeNotification(server.database.db, owner, index)
  const { body, headers } = await request(`${server.url}/accounts/${owner}/notifications`)
  expect(headers.get('cache-control')).toBe('public, max-age=300')
  expect(body.map(({ message }: { message: string }) => message)).toEqual([
    'notification 2',
    'notification 1',
    'notification 0',
  ])
  expect(body[0]).toEqual({
    id: expect.any(String),
    account: owner,
    type: 'order_filled',
    message: 'notification 2',
    timestamp: '2027-01-15T07:43:20.002Z',
    metadata: expect.objectContaining({ executedAmount: '2' }),
  })
  expect((await request(`${server.url}/accounts/${numbered('98')}/notifications`)).body).toEqual([])
})

describe('general requests', () => {
  test('the version is text', async () => {
    const { body, headers } = await request(`${base}/api/v1/version`)
    expect([body, headers.get('content-type')]).toEqual(['test-build', 'text/plain; charset=utf-8'])
  })

  test('HEAD answers like GET without the body', async () => {
    const get = await request(`${base}/api/v1/orders/${open.uid}`)
    const head = await fetch(`${base}/api/v1/orders/${open.uid}`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
  })

  test('a preflight is answered on any path, with the usual CORS headers', async () => {
    for (const path of ['/sepolia/api/v1/orders', '/graphql', '/graphql/stream', '/nowhere']) {
      const response = await fetch(`${server.url}${path}`, { method: 'OPTIONS' })
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-methods')).toContain('DELETE')
      expect(response.headers.get('access-control-allow-headers')).toMatch(
        /Cache-Control.*Idempotency-Key.*X-API-Key/,
      )
    }
  })

  test('health and metrics are served', async () => {
    expect((await request(`${server.url}/health/live`)).status).toBe(200)
    const ready = await request(`${server.url}/health/ready`)
    expect([ready.status, ready.body]).toEqual([200, { database: true }])
    await request(`${base}/api/v1/orders/${open.uid}`)
    const { body } = await request(`${server.url}/metrics`)
    expect(body).toMatch(
      /requests_total\{method="GET",route="\/:network\/api\/v1\/orders\/:uid",status="200"\} \d/,
    )
  })

  test('a dependency that is down shows in the health', async () => {
    await using down = await openTestServer({}, { ready: async () => ({ database: true, sepolia: false }) })
    const { status, body } = await request(`${down.url}/health/ready`)
    expect([status, body]).toEqual([503, { database: true, sepolia: false }])
  })
})
