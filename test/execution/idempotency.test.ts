import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Outage } from '../../src/domain/errors/error.ts'
import type { OrderCreation } from '../../src/domain/order/creation.ts'
import type { OrderUid } from '../../src/domain/order/order.ts'
import type { QuoteRequest } from '../../src/domain/quote/quote.ts'
import { placedSince, placeOrder } from '../../src/orders/place.ts'
import { sql } from '../../src/storage/database/database.ts'
import { dollar, wrapped } from '../fakes/order.ts'
import { createOrderServices, signedOrder, testTime } from '../fakes/order-services.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer, sampleReply, type TestServer } from '../setup/server.ts'

const started = testTime * 1_000
let now: number
/** Attempts to place orders, whatever their outcome. */
let attempts: OrderCreation[]
/** Runs in an attempt, before and after the order is committed. */
let before: () => Promise<unknown>
let after: () => Promise<unknown>
let one: TestServer
/** Another process over the same database. */
let other: TestServer
let number = 0
let quoted = 0

beforeAll(async () => {
  const services = () => {
    const orderServices = () => createOrderServices(one.database.db, { now: () => now })
    return {
      async placeOrder(creation: OrderCreation): Promise<OrderUid> {
        attempts.push(creation)
        await before()
        const uid = await placeOrder(creation, orderServices())
        await after()
        return uid
      },
      async quote(request: QuoteRequest) {
        const reply = sampleReply(request)
        const sellTokenPrice = String(++quoted)
        const id = request.priceQuality === 'fast' ? null : 42n
        return { ...reply, quote: { ...reply.quote, id, sellTokenPrice } }
      },
      placedSince: (creation: OrderCreation, since: Date) => placedSince(creation, since, orderServices()),
    }
  }
  one = await openTestServer(services(), { now: () => now, idempotencyTimes: { waitMs: 300 } })
  const { db } = one.database
  other = await openTestServer(services(), { db, now: () => now, idempotencyTimes: { waitMs: 300 } })
})
afterAll(async () => {
  await other?.[Symbol.asyncDispose]()
  await one?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  now = started
  attempts = []
  before = after = async () => {}
  number++
})

/** A new order. */
function freshOrder(more: Parameters<typeof signedOrder>[0] = {}): Record<string, unknown> {
  return toBody(signedOrder({ sellAmount: BigInt(number), ...more }))
}

function toBody({ appData, quoteId: _, ...creation }: OrderCreation): Record<string, unknown> {
  const { sellAmount, buyAmount, feeAmount } = creation
  const amounts = { sellAmount: `${sellAmount}`, buyAmount: `${buyAmount}`, feeAmount: `${feeAmount}` }
  return { ...creation, ...amounts, appData: appData.appData }
}

/** The same as a GraphQL input. */
function graphInput(order: Record<string, unknown>): Record<string, unknown> {
  const words = { signingScheme: 'EIP712', kind: 'SELL', sellTokenBalance: 'ERC20', buyTokenBalance: 'ERC20' }
  return { ...order, ...words }
}

interface Got {
  status: number
  text: string
  replayed: boolean
  headers: Headers
}

async function post(path: string, body: unknown, key: string | undefined, server = one): Promise<Got> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    body: JSON.stringify(body),
  })
  const { status, headers } = response
  return { status, headers, text: await response.text(), replayed: headers.has('idempotent-replayed') }
}

const place = (order: unknown, key = `order-${number}`, server = one) =>
  post('/sepolia/api/v1/orders', order, key, server)

async function statementsOfKeys(run: () => Promise<unknown>): Promise<number> {
  const { statements } = one.database
  const seen = statements.length
  await run()
  return statements.slice(seen).filter((sql) => sql.includes('idempotency_keys')).length
}

const errorOf = ({ text }: Got) => JSON.parse(text).errorType

describe('a repeated request', () => {
  test('gets the same response from any process, and nothing is done twice', async () => {
    const order = freshOrder()
    const first = await place(order)
    expect([first.status, first.replayed]).toEqual([201, false])
    for (const server of [one, other]) {
      const again = await place(order, undefined, server)
      expect(again).toMatchObject({ status: 201, text: first.text, replayed: true })
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    }
    expect(attempts).toHaveLength(1)
    // Without a key it is a new request.
    const unkeyed = await post('/sepolia/api/v1/orders', order, undefined)
    expect([unkeyed.status, errorOf(unkeyed)]).toEqual([400, 'DuplicatedOrder'])
  })

  test('gets a refusal again too', async () => {
    const order = freshOrder({ buyAmount: 0n })
    const first = await place(order)
    expect([first.status, errorOf(first)]).toEqual([400, 'ZeroAmount'])
    expect(await place(order)).toMatchObject({ status: 400, text: first.text, replayed: true })
    expect(attempts).toHaveLength(1)
  })

  test('of a quote that is not stored gets another quote: its key holds digests, and no body', async () => {
    const key = `fast-${number}`
    const fast = {
      kind: 'sell',
      sellAmountBeforeFee: '5',
      sellToken: wrapped,
      buyToken: dollar,
      from: dollar,
      priceQuality: 'fast',
    }
    const ask = (body: object, of = key) => post('/sepolia/api/v1/quote', body, of)
    const bodies = () => sql(one.database.db).idempotencyKey.count({ where: { body: { not: null } } })
    const before = await bodies()
    const [first, second] = [await ask(fast), await ask(fast)]
    expect([first.status, second.status, second.replayed]).toEqual([200, 200, false])
    expect(second.text).not.toBe(first.text)
    expect(errorOf(await ask({ ...fast, sellAmountBeforeFee: '6' }))).toBe('IdempotencyKeyReused')
    expect(await bodies()).toBe(before)
    // A stored quote is answered again as it was.
    const optimal = { ...fast, priceQuality: 'optimal' }
    const stored = [await ask(optimal, `${key}-stored`), await ask(optimal, `${key}-stored`)]
    expect(stored[1]).toMatchObject({ text: stored[0]?.text, replayed: true })
  })

  test('is answered though its client has no bytes left, which refuses new keys', async () => {
    const { db } = one.database
    await using small = await openTestServer(
      {},
      { db, now: () => now, idempotencyTimes: { maxClientBytes: 2_000 } },
    )
    const quote = (key: string) =>
      post(
        '/sepolia/api/v1/quote',
        { kind: 'sell', sellAmountBeforeFee: '5', sellToken: wrapped, buyToken: dollar, from: dollar },
        key,
        small,
      )
    const answers: Got[] = []
    for (let index = 0; answers.at(-1)?.status !== 429; index++)
      answers.push(await quote(`full-${number}-${index}`))
    const refused = answers.at(-1)
    expect(JSON.parse(refused?.text ?? '')).toMatchObject({
      errorType: 'RateLimited',
      data: { limit: 'idempotency keys' },
    })
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(60)
    expect(answers.length).toBeLessThan(6)
    expect(await quote(`full-${number}-0`)).toMatchObject({ text: answers[0]?.text, replayed: true })
    // The age of a key later half of the bytes are free again.
    now += 86_400_000
    expect((await quote(`later-${number}`)).status).toBe(200)
  })

  test('with another body is refused; at another path it is another request', async () => {
    const key = `reused-${number}`
    await place(freshOrder(), key)
    const refused = await place(freshOrder({ buyAmount: 7n }), key)
    expect([refused.status, errorOf(refused)]).toEqual([422, 'IdempotencyKeyReused'])
    const quote = {
      kind: 'sell',
      sellAmountBeforeFee: '5',
      from: wrapped,
      sellToken: wrapped,
      buyToken: dollar,
    }
    const quotes = [1, 2].map(() => post('/sepolia/api/v1/quote', quote, key))
    expect((await Promise.all(quotes)).map(({ status, replayed }) => [status, replayed]).sort()).toEqual([
      [200, false],
      [200, true],
    ])
  })

  test('is recognised over GraphQL too, for mutations alone', async () => {
    const input = graphInput(freshOrder())
    const mutation = {
      query: 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { uid status } } }',
    }
    const key = `graph-${number}`
    const first = await post('/graphql', { ...mutation, variables: { input } }, key)
    expect(JSON.parse(first.text).data).toEqual({
      placeOrder: { order: { uid: expect.any(String), status: 'OPEN' } },
    })
    expect(await post('/graphql', { ...mutation, variables: { input } }, key, other)).toMatchObject({
      status: 200,
      text: first.text,
      replayed: true,
    })
    const reused = await post(
      '/graphql',
      { ...mutation, variables: { input: { ...input, buyAmount: '8' } } },
      key,
    )
    expect([reused.status, JSON.parse(reused.text).errors[0].extensions]).toEqual([
      422,
      { code: 'IdempotencyKeyReused', retryable: false, field: 'Idempotency-Key' },
    ])
    const query = { query: '{ version }' }
    expect(await statementsOfKeys(() => post('/graphql', query, key))).toBe(0)
    expect((await post('/graphql', query, key)).replayed).toBe(false)
  })

  test('while the first is under way waits for it, or is refused as retryable', async () => {
    const order = freshOrder()
    let release = () => {}
    before = () => new Promise<void>((resolve) => (release = resolve))
    const first = place(order)
    await eventually('the first has begun', () => attempts.length === 1)
    const early = await place(order, undefined, other)
    expect([early.status, errorOf(early), early.headers.get('retry-after')]).toEqual([
      409,
      'IdempotencyKeyInUse',
      '1',
    ])
    const waiting = Promise.all([place(order), place(order, undefined, other)])
    release()
    const { text } = await first
    for (const each of await waiting) expect(each).toMatchObject({ status: 201, text, replayed: true })
    expect(attempts).toHaveLength(1)
  })

  test('that many clients send at once is done once', async () => {
    const order = freshOrder()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => place(order, undefined, index % 2 ? one : other)),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(attempts).toHaveLength(1)
  })
})

describe('an attempt without a response', () => {
  /** The first process dies: only what it committed remains. */
  async function dies(order: unknown, when: 'before' | 'after'): Promise<void> {
    const gone = new AbortController()
    const dead = new Promise(() => {})
    let reached = false
    const stop = () => {
      reached = true
      return dead
    }
    if (when === 'before') before = stop
    else after = stop
    const lost = fetch(`${one.url}/sepolia/api/v1/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `order-${number}` },
      body: JSON.stringify(order),
      signal: gone.signal,
    })
    await eventually('the first attempt is as far as it comes', () => reached)
    gone.abort()
    await expect(lost).rejects.toThrow()
    before = after = async () => {}
  }

  test('is taken over after a while, and its order is the response', async () => {
    const order = freshOrder()
    await dies(order, 'after')
    now += 29_000
    expect((await place(order, undefined, other)).status).toBe(409)
    now += 1_001
    const again = await place(order, undefined, other)
    expect([again.status, again.replayed, attempts.length]).toEqual([201, false, 2])
    expect(await place(order, undefined, other)).toMatchObject({
      status: 201,
      text: again.text,
      replayed: true,
    })
    expect(await sql(one.database.db).order.count({ where: { sellAmount: number } })).toBe(1)
  })

  test('is taken over even if its order could not be placed any more', async () => {
    const order = freshOrder({ validTo: testTime + 70 })
    await dies(order, 'after')
    now += 40_000
    const unkeyed = await post('/sepolia/api/v1/orders', order, undefined, other)
    expect(errorOf(unkeyed)).toBe('InsufficientValidTo')
    expect((await place(order, undefined, other)).status).toBe(201)
  })

  test('is repeated if it placed nothing', async () => {
    const order = freshOrder()
    await dies(order, 'before')
    now += 30_001
    expect((await place(order, undefined, other)).status).toBe(201)
  })

  test('is not taken over by another request with its key', async () => {
    await dies(freshOrder(), 'before')
    now += 30_001
    const refused = await place(freshOrder({ buyAmount: 7n }), undefined, other)
    expect([refused.status, errorOf(refused), attempts.length]).toEqual([422, 'IdempotencyKeyReused', 1])
  })

  test('does not own an order that existed before it began', async () => {
    const order = freshOrder()
    expect((await post('/sepolia/api/v1/orders', order, undefined)).status).toBe(201)
    now += 5_000
    await dies(order, 'before')
    now += 30_001
    const again = await place(order, undefined, other)
    expect([again.status, errorOf(again)]).toEqual([400, 'DuplicatedOrder'])
  })

  test('can be repeated at once if it ended in an outage', async () => {
    const order = freshOrder()
    after = () => Promise.reject(new Outage('the database'))
    expect((await place(order)).status).toBe(503)
    after = async () => {}
    expect(await place(order)).toMatchObject({ status: 201, replayed: false })
    expect(await place(order)).toMatchObject({ status: 201, replayed: true })
  })

  test('can be repeated over GraphQL too, although its status is 200', async () => {
    const input = graphInput(freshOrder())
    const query = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { uid } } }'
    const send = () => post('/graphql', { query, variables: { input } }, `graph-${number}`)
    after = () => Promise.reject(new Outage('the database'))
    expect(JSON.parse((await send()).text).errors[0].extensions.code).toBe('Unavailable')
    after = async () => {}
    const again = await send()
    expect(JSON.parse(again.text).data).toEqual({ placeOrder: { order: { uid: expect.any(String) } } })
    expect(await send()).toMatchObject({ text: again.text, replayed: true })
  })
})

test('of several orders, those that failed in an outage are retried, and placed ones are returned as placed', async () => {
  const [one, two] = [graphInput(freshOrder()), graphInput(freshOrder({ validTo: testTime + 700 }))]
  const query = `mutation ($input: PlaceOrdersInput!) { placeOrders(input: $input) { results {
    order { uid } error { code retryable } } } }`
  const send = async () => {
    const answer = await post(
      '/graphql',
      { query, variables: { input: { orders: [one, two] } } },
      `several-${number}`,
    )
    return { replayed: answer.replayed, results: JSON.parse(answer.text).data.placeOrders.results }
  }
  before = async () => {
    if (attempts.at(-1)?.validTo === testTime + 700) throw new Outage('the node')
  }
  const stored = { order: { uid: expect.any(String) }, error: null }
  const first = await send()
  expect(first.results).toEqual([stored, { order: null, error: { code: 'Unavailable', retryable: true } }])
  before = async () => {}
  const second = await send()
  expect(second).toEqual({ replayed: false, results: [first.results[0], stored] })
  expect(await send()).toEqual({ ...second, replayed: true })
})

describe('keys', () => {
  test('are 1 to 255 visible characters', async () => {
    const order = freshOrder()
    for (const key of ['', 'two words', 'x'.repeat(256), 'é']) {
      const refused = await place(order, key)
      expect([key, refused.status, errorOf(refused)]).toEqual([key, 400, 'InvalidParameter'])
    }
    const graph = await post(
      '/graphql',
      { query: 'mutation { uploadAppData(input: { document: "{}" }) { created } }' },
      'two words',
    )
    expect([graph.status, JSON.parse(graph.text).errors[0].extensions]).toEqual([
      400,
      { code: 'InvalidParameter', retryable: false, field: 'Idempotency-Key' },
    ])
    expect(attempts).toEqual([])
    expect((await place(order, `"${'x'.repeat(253)}"`)).status).toBe(201)
  })

  test('cost two statements, a repetition two, and requests without a key none', async () => {
    const order = freshOrder()
    expect(await statementsOfKeys(() => post('/sepolia/api/v1/orders', order, undefined))).toBe(0)
    expect(await statementsOfKeys(() => place(order))).toBe(2)
    expect(await statementsOfKeys(() => place(order))).toBe(2)
  })

  test('store responses that only a repetition can read', async () => {
    const { text } = await place(freshOrder())
    const kept = await sql(one.database.db).idempotencyKey.findMany({ select: { body: true } })
    const bodies = kept.flatMap(({ body }) => body ?? [])
    expect(bodies.length).toBeGreaterThan(0)
    const uid = JSON.parse(text) as string
    for (const body of bodies) {
      expect(body).not.toContain(uid)
      expect(Buffer.from(body, 'base64').toString('latin1')).not.toContain(uid)
    }
  })

  test('count for a day', async () => {
    const order = freshOrder()
    const { text } = await place(order)
    now += 86_400_000
    expect(await place(order)).toMatchObject({ text, replayed: true })
    now += 1
    expect((await place(order)).replayed).toBe(false)
  })

  test('do not store a response that is too long; it is made again', async () => {
    const aliases = Array.from({ length: 40 }, (_, index) => `${'x'.repeat(250)}${index}`)
    const query = `mutation { ${aliases.map((alias) => `${alias}: uploadAppData(input: { document: "{}" }) { created }`).join(' ')} }`
    const key = `long-${number}`
    const send = () => post('/graphql', { query }, key)
    const first = await send()
    const again = await send()
    expect([first.text.length > 8_192, again.status, again.replayed]).toEqual([true, 200, false])
  })
})
