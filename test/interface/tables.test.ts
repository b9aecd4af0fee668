import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Wallet } from 'ethers'
import type { GraphQLFormattedError } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { describeMarket } from '../../src/dev/market/market.ts'
import { nativeMarker } from '../../src/domain/evm/address.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer } from '../setup/server.ts'
import { type Answer, createTrader, request } from '../setup/trader.ts'
import { startProgram, startWorld, type World } from '../setup/world.ts'
import { type Ask, debugReport, notifications, quoting, registering, tokenPrice, topHolders } from './asks.ts'
import {
  affiliateErrors,
  deniedAccount,
  type ErrorRow,
  orderErrors,
  quoteErrors,
  signedRegistration,
  tokenErrors,
} from './error-rows.ts'

/** The interface's tables of endpoints and errors, row by row, over REST and GraphQL of the whole program. */
const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-interface-'))
const cms = { CMS_ENABLED: 'true', CMS_API_KEY: 'a-key-of-the-editors', STATS_SOURCE: 'own' }
const oneWeth = 10n ** 18n
let world: World
let uid: string
/** The same program with default limits and a fixed clock. */
let limited: App
const startedAt = Date.now()

beforeAll(async () => {
  const denied = path.join(folder, 'denied')
  writeFileSync(denied, `${describeMarket().accounts[deniedAccount]?.address}\n`)
  world = await startWorld({ environment: { ...cms, DENIED_ACCOUNTS_FILE: denied } })
  const environment = { SOLVER_PRIVATE_KEY: world.market.solver.privateKey, ...cms }
  limited = await startProgram(world, environment, { now: () => startedAt })
  const trader = createTrader(world.url, world.market)
  const { body } = await trader.place({
    sell: 'WETH',
    buy: 'USDC',
    sellAmount: oneWeth,
    buyAmount: 2_900n * 10n ** 6n,
  })
  uid = body
  await eventually('a trade', async () => (await trader.order(uid)).status === 'fulfilled')
  await eventually('its notification', async () => (await trader.notifications()).length > 0)
})
afterAll(async () => {
  await limited?.close()
  await world?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** No row is about outages: on a busy machine an unavailable service is asked again, as a client would. */
const available = (ask: () => Promise<Answer>) =>
  eventually('it is available', async () => {
    const answer = await ask()
    const codes = (answer.body?.errors ?? []).map(({ extensions }: GraphQLFormattedError) => extensions?.code)
    return answer.status !== 503 && !codes.includes('Unavailable') && answer
  })
const rest = ({ rest }: Ask, url = world.url) =>
  available(() => request(`${url}${rest.path}`, rest.method, rest.body))
const graphql = ({ graphql }: Ask, url = world.url) =>
  available(() => request(`${url}/graphql`, 'POST', graphql))

function expectCors({ headers }: Answer): void {
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-allow-headers')).toContain('Cache-Control')
  expect(headers.get('x-request-id')).toMatch(/^[\w.-]{8,}$/)
}

describe('endpoints', () => {
  const dollars = expect.closeTo(3_000, -2)

  test.each([
    ['11155111', '-'],
    ['sepolia', '-'],
    ['sepolia', nativeMarker],
    ['11155111', '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14'],
    ['sepolia', '0xfff9976782d46cc05630d1f6ebab18b2324d6b14'],
  ])('1. GET /%s/tokens/%s/usdPrice', async (chain, token) => {
    const answer = await rest(tokenPrice(chain, token))
    expect([answer.status, answer.body]).toEqual([200, { price: dollars }])
    expectCors(answer)
    expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/)
    const { data } = (await graphql(tokenPrice(chain, token))).body
    expect(Number(data.token.usdPrice.price)).toBe(answer.body.price)
    expect(data.token.usdPrice).toMatchObject({ source: 'orderbook', isStale: false })
  })

  test.each([
    ['11155111', '-'],
    ['sepolia', '0xfff9976782d46cc05630d1f6ebab18b2324d6b14'],
  ])('2. GET /%s/tokens/%s/topHolders', async (chain, token) => {
    const answer = await eventually('holders are indexed', async () => {
      const response = await rest(topHolders(chain, token))
      return response.status === 200 && response
    })
    const [first, second] = answer.body
    expect(first).toEqual({
      address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      balance: expect.stringMatching(/^[1-9][0-9]*$/),
    })
    expect(BigInt(first.balance)).toBeGreaterThanOrEqual(BigInt(second.balance))
    expectCors(answer)
    const { data } = (await graphql(topHolders(chain, token))).body
    expect(data.token.holders.edges.map(({ node }: { node: unknown }) => node)).toEqual(answer.body)
  })

  test('3. GET /{network}/api/v1/debug/order/{uid}', async () => {
    const answer = await rest(debugReport(uid))
    expect(answer.status).toBe(200)
    expectCors(answer)
    expect(answer.body).toMatchObject({
      orderUid: uid,
      order: { uid, status: 'fulfilled', class: 'limit' },
      trades: [{ txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/), auctionId: expect.any(Number) }],
    })
    const labels = answer.body.events.map(({ label }: { label: string }) => label)
    expect(labels).toEqual(expect.arrayContaining(['created', 'ready', 'executing', 'traded']))
    const ids = answer.body.auctions.map(({ id }: { id: number }) => id)
    expect(ids).toEqual(ids.toSorted((a: number, b: number) => a - b))
    const { data } = (await graphql(debugReport(uid))).body
    expect(data.order.debugReport.orderUid).toBe(uid)
    expect(data.order.debugReport.auctions.nodes.map(({ id }: { id: number }) => Number(id))).toEqual(ids)
  })

  test('4. POST /{network}/api/v1/quote', async () => {
    const { WETH, USDC } = world.market.tokens
    const body = {
      kind: 'sell',
      sellAmountBeforeFee: `${oneWeth}`,
      sellToken: WETH.address,
      buyToken: USDC.address,
      from: world.market.accounts[0]?.address,
    }
    // A simulation that takes too long leaves a quote unverified.
    const answer = await eventually('a verified quote', async () => {
      const quoted = await rest(quoting(body))
      return quoted.body.verified !== false && quoted
    })
    expect(answer.status).toBe(200)
    expectCors(answer)
    expect(answer.body).toMatchObject({
      from: body.from,
      expiration: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      id: expect.any(Number),
      verified: true,
      quote: { sellToken: WETH.address, buyToken: USDC.address, kind: 'sell', partiallyFillable: false },
    })
    const { quote } = answer.body
    expect(BigInt(quote.sellAmount) + BigInt(quote.feeAmount)).toBe(oneWeth)
    expect(Number((await graphql(quoting(body))).body.data.quote.quoteId)).toBeGreaterThan(answer.body.id)
  })

  test('5. GET /accounts/{account}/notifications', async () => {
    const account = world.market.accounts[0]?.address ?? ''
    const answer = await rest(notifications(account))
    expect(answer.status).toBe(200)
    expectCors(answer)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(answer.body).toContainEqual({
      id: expect.any(String),
      account,
      type: 'order_filled',
      message: expect.any(String),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      metadata: expect.objectContaining({ orderId: uid, executedAmount: expect.stringMatching(/^\d+$/) }),
    })
    const { data } = (await graphql(notifications(account))).body
    const ids = data.account.latestNotifications.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(answer.body.map(({ id }: { id: string }) => id))
    const none = await rest(notifications(`0x${'0d'.repeat(20)}`))
    expect([none.status, none.body]).toEqual([200, []])
  })

  test('6. POST /affiliate/{walletAddress}/, with and without the trailing slash, and in GraphQL', async () => {
    const asked: [string, (ask: Ask) => Promise<Answer>][] = [
      ['FIRSTCODE', (ask) => rest(ask)],
      ['SECOND_CODE', (ask) => rest({ ...ask, rest: { ...ask.rest, path: ask.rest.path.slice(0, -1) } })],
      ['THIRD-CODE', (ask) => graphql(ask)],
    ]
    for (const [code, send] of asked) {
      const wallet = new Wallet(Wallet.createRandom().privateKey)
      const answer = await send(registering(await signedRegistration(wallet, code)))
      const affiliate = answer.body.data?.registerAffiliate.affiliate ?? answer.body
      expect(answer.status).toBe(answer.body.data ? 200 : 201)
      expect(affiliate).toEqual({ code, createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) })
      expectCors(answer)
      for (const slash of ['', '/']) {
        const read = await request(`${world.url}/affiliate/${wallet.address}${slash}`)
        expect([read.status, read.body.code]).toEqual([200, code])
      }
    }
  })

  test('the operations that the tables only refer to', async () => {
    const base = `${world.url}/sepolia/api/v1`
    const document = '{"appCode":"interface"}'
    const hash = '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d'
    const order = await request(`${base}/orders/${uid}`)
    expect([order.status, order.body.status]).toEqual([200, 'fulfilled'])
    expect((await request(`${base}/app_data/${hash}`, 'PUT', { fullAppData: '{}' })).status).toBeLessThan(202)
    const other = await request(`${base}/app_data`, 'PUT', { fullAppData: document })
    expect([other.status, other.body]).toEqual([201, expect.stringMatching(/^0x[0-9a-f]{64}$/)])
    const [trade] = (await request(`${base}/trades?orderUid=${uid}`)).body
    expect(trade.orderUid).toBe(uid)
    const { auctions } = (await rest(debugReport(uid))).body
    const competition = await request(`${base}/solver_competition/${auctions.at(-1).id}`)
    expect([competition.status, competition.body.auctionId]).toEqual([200, auctions.at(-1).id])
  })

  test('DELETE of an order makes it cancelled', async () => {
    const trader = createTrader(world.url, world.market)
    const wish = { sell: 'COW', buy: 'USDC', sellAmount: oneWeth, buyAmount: 10n ** 12n } as const
    const { body } = await trader.place(wish)
    expect((await trader.cancel([body])).status).toBe(200)
    expect((await trader.order(body)).status).toBe('cancelled')
  })
})

/** A second or a block may pass between two responses, which changes times and gas prices. */
const unnumbered = (text: string) => text.replace(/\d+/g, '#')

function orderBookTable(name: string, rows: readonly ErrorRow[]): void {
  describe(name, () => {
    test.each(rows.map((row) => [row.status, row.documented, row.because, row] as const))(
      '%i %s: %s',
      async (status, code, _because, row) => {
        const ask = await row.ask(world)
        const answer = await rest(ask)
        expect([answer.status, answer.body.errorType]).toEqual([status, code])
        expect(answer.body.description).toMatch(/\w{2,} .*\w/)
        expectCors(answer)
        if (row.restOnly) return
        const { errors } = (await graphql(ask)).body
        expect(errors[0].extensions.code).toBe(code)
        // What does not fit a GraphQL type has GraphQL's own message.
        if (row.graphField) expect(errors[0].extensions.field).toBe(row.graphField)
        else if (code === 'InvalidParameter')
          expect(answer.body.description).toContain(errors[0].extensions.field)
        else expect(unnumbered(errors[0].message)).toBe(unnumbered(answer.body.description))
      },
    )
  })
}
orderBookTable('errors of quotes', quoteErrors)
orderBookTable('errors of orders', orderErrors)

describe('errors of tokens, affiliates and notifications', () => {
  const rows = [...tokenErrors, ...affiliateErrors]
  test.each(rows.map((row) => [row.status, row.documented ?? '(any text)', row.because, row] as const))(
    '%i %s: %s',
    async (status, _documented, _because, row) => {
      const ask = await row.ask(world)
      const answer = await rest(ask)
      expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['message']])
      if (row.documented) expect(answer.body.message).toBe(row.documented)
      expectCors(answer)
      if (row.restOnly) return
      const { data, errors } = (await graphql(await row.ask(world))).body
      if (status === 404) expect(data.token?.usdPrice ?? data.token?.holders ?? null).toBeNull()
      else if (row.documented)
        expect([errors[0].message, errors[0].extensions.code]).toEqual([row.documented, row.code])
      else expect(['InvalidParameter', 'NotFound']).toContain(errors[0].extensions.code)
    },
  )

  test('500: a failed database read is an internal error, without its message', async () => {
    await using server = await openTestServer()
    const client = await connectDirectly(server.database.url)
    await client.query('ALTER TABLE notifications RENAME TO notifications_elsewhere')
    await client.end()
    const answer = await request(`${server.url}/accounts/${nativeMarker}/notifications`)
    expect([answer.status, answer.body]).toEqual([500, { message: 'Internal server error' }])
    expectCors(answer)
  })
})

describe('limits', () => {
  /** Sends requests as fast as it can until one is limited. */
  async function untilLimited(ask: Ask): Promise<{ passed: number; answer: Answer }> {
    for (let passed = 0; passed < 60; passed++) {
      const answer = await rest(ask, limited.url)
      if (answer.status === 429) return { passed, answer }
    }
    throw new Error('never limited')
  }

  test('429 RateLimited over about ten quotes a second', async () => {
    const { passed, answer } = await untilLimited(quoting({ kind: 'sell' }))
    expect(passed).toBeGreaterThanOrEqual(10)
    expect(passed).toBeLessThanOrEqual(20)
    expect(answer.body.errorType).toBe('RateLimited')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expectCors(answer)
  })

  test('429 RateLimited over about five orders a second', async () => {
    const row = orderErrors.at(0)
    const ask = (await row?.ask(world)) ?? expect.fail()
    const { passed, answer } = await untilLimited(ask)
    expect(passed).toBeGreaterThanOrEqual(5)
    expect(passed).toBeLessThanOrEqual(10)
    expect(answer.body.errorType).toBe('RateLimited')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  })

  test('amounts go up to uint256, and validFor to uint32', async () => {
    const { WETH, USDC } = world.market.tokens
    const base = { kind: 'sell', sellToken: WETH.address, buyToken: USDC.address, from: nativeMarker }
    const max = await rest(quoting({ ...base, sellAmountBeforeFee: `${2n ** 256n - 1n}` }))
    expect(max.body.errorType).not.toBe('InvalidParameter')
    const over = await rest(quoting({ ...base, sellAmountBeforeFee: `${2n ** 256n}` }))
    expect([over.status, over.body.errorType]).toEqual([400, 'SellAmountOverflow'])
    const long = await rest(quoting({ ...base, sellAmountBeforeFee: '1', validFor: 2 ** 32 }))
    expect([long.status, long.body.errorType]).toEqual([400, 'InvalidParameter'])
  })
})

describe('an internal fault of a quote', () => {
  test('is 500 InternalServerError, without its message', async () => {
    await using server = await openTestServer({ quote: () => Promise.reject(new Error('a secret')) })
    const { WETH, USDC } = world.market.tokens
    const ask = quoting({
      kind: 'sell',
      sellToken: WETH.address,
      buyToken: USDC.address,
      from: nativeMarker,
      sellAmountBeforeFee: '1',
    })
    const answer = await rest(ask, server.url)
    expect([answer.status, answer.body]).toEqual([
      500,
      { errorType: 'InternalServerError', description: 'Internal server error' },
    ])
    expectCors(answer)
  })
})
