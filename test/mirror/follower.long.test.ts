import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Interface } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { roles } from '../../src/app/chain/loops.ts'
import { checkNetworks } from '../../src/app/commands/doctor-network.ts'
import { readSettings } from '../../src/app/config.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { sql } from '../../src/storage/database/database.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { runHere } from '../setup/program.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

/** An order book of its own (A), and a service that follows it (B), over one chain. */
let book: World
let database: TestDatabase
let follower: App
let atBook: ReturnType<typeof createTrader>
let atFollower: ReturnType<typeof createTrader>

const wish = (amount: bigint, buyAmount = 1n) =>
  ({ sell: 'WETH', buy: 'USDC', sellAmount: amount, buyAmount }) as const

/** The row of the follower: without pools. */
const followed = () => ({
  network: { ...book.market.network, poolFactory: zeroAddress, baseTokens: [] },
  rpcUrl: book.chain.rpcUrl,
  orderBook: { url: `${book.url}/${book.market.network.name}`, callsPerMinute: 100_000 },
})

beforeAll(async () => {
  ;[book, database] = await Promise.all([startWorld(), createTestDatabase()])
  const environment = { ...unlimited, CMS_ENABLED: 'true', CMS_API_KEY: 'cms-key-of-the-tests' }
  follower = await startProgram({ database, chain: book.chain }, environment, {
    roles: ['serve', 'index', 'auction'],
    networks: [followed()],
  })
  atBook = createTrader(book.url, book.market)
  atFollower = createTrader(follower.url ?? '', book.market)
})
afterAll(async () => {
  await follower?.close()
  await database?.[Symbol.asyncDispose]()
  await book?.[Symbol.asyncDispose]()
})

/** An order as both return it, without what only one of them knows. */
async function both(uid: string) {
  const orders = [await atBook.order(uid), await atFollower.order(uid)]
  // On a busy machine the order book may have no quote for it.
  return orders.map(({ quote: { metadata, ...quote } = {}, ...order }) => ({ ...order, quote }))
}

describe('an order that is placed at the order book', () => {
  test('is read when a client names it, and is equal field by field', async () => {
    const { body: uid } = await atBook.place(wish(10n ** 16n, 10n ** 15n))
    const { order } = await graphql(follower.url ?? '', `{ order(uid: "${uid}") { uid status sellAmount } }`)
    expect(order).toEqual({ uid, status: 'OPEN', sellAmount: String(10n ** 16n) })
    const [there, here] = await both(uid)
    expect(here).toEqual(there)
  })

  test('is filled here with its events, its trade and its notification', async () => {
    // The order book knows the names of the tokens, which its messages have.
    const named = { where: { symbol: { in: ['WETH', 'USDC'] } } }
    await eventually('the tokens are named', async () => {
      await atBook.place(wish(10n ** 16n, 10n ** 15n))
      return (await sql(book.database.db).token.count(named)) === 2
    })
    const { body: uid } = await atBook.place(wish(10n ** 16n))
    for (const at of [atBook, atFollower])
      await eventually('the order is filled', async () => (await at.order(uid)).status === 'fulfilled')
    const fee = (await atBook.order(uid)).executedFee
    expect(BigInt(fee)).toBeGreaterThan(0n)
    await eventually('the fee is mirrored', async () => (await atFollower.order(uid)).executedFee === fee)
    const [there, here] = await both(uid)
    expect(here).toEqual(there)
    const trades = `/api/v2/trades?orderUid=${uid}`
    const [traded] = (await request(`${atBook.base}${trades}`)).body
    expect(traded.executedProtocolFees).toHaveLength(1)
    await eventually('the fees of the protocol are mirrored', async () => {
      const [{ executedProtocolFees } = expect.fail()] = (await request(`${atFollower.base}${trades}`)).body
      return executedProtocolFees.length > 0
    })
    expect((await request(`${atFollower.base}${trades}`)).body).toEqual([traded])
    const events = `{ order(uid: "${uid}") { debugReport { events { nodes { label } } trades { nodes { sellAmount buyAmount txHash executedProtocolFees { amount token { address } policy { __typename } } } } } } }`
    const report = (await graphql(follower.url ?? '', events)).order.debugReport
    // Whether it was seen before its fill decides on READY.
    const labels = report.events.nodes.map(({ label }: { label: string }) => label)
    expect(labels.filter((label: string) => label !== 'READY')).toEqual(['CREATED', 'TRADED'])
    expect(report.trades).toEqual((await graphql(book.url, events)).order.debugReport.trades)
    const filled = await eventually('the notification', async () =>
      (await atFollower.notifications()).find(
        ({ type, metadata }: { type: string; metadata: { orderId: string } }) =>
          type === 'order_filled' && metadata.orderId === uid,
      ),
    )
    const there_ = (await atBook.notifications()).find(
      ({ type, metadata }: { type: string; metadata: { orderId: string } }) =>
        type === 'order_filled' && metadata.orderId === uid,
    )
    expect(filled.metadata).toEqual(there_.metadata)
    expect(filled.message).toBe(there_.message)
  })

  test('is cancelled here once it is cancelled there, with one notification', async () => {
    const { body: uid } = await atBook.place(wish(10n ** 16n, 10n ** 15n))
    await atFollower.order(uid)
    expect((await atBook.cancel([uid])).status).toBe(200)
    await eventually(
      'the cancellation is mirrored',
      async () => (await atFollower.order(uid)).status === 'cancelled',
    )
    const cancelled = (await atFollower.notifications()).filter(
      ({ metadata }: { metadata: { orderId: string } }) => metadata.orderId === uid,
    )
    expect(cancelled.map(({ type }: { type: string }) => type)).toEqual(['order_cancelled'])
  })

  test('is in the list of its account, over REST and GraphQL', async () => {
    const other = [createTrader(book.url, book.market, 1), createTrader(follower.url ?? '', book.market, 1)]
    const [there, here] = [other[0] ?? expect.fail(), other[1] ?? expect.fail()]
    const { body: uid } = await there.place(wish(10n ** 16n, 10n ** 15n))
    const owner = there.address.toLowerCase()
    const list = await request(`${here.base}/api/v1/account/${owner}/orders?limit=1`)
    expect(list.body.map((order: { uid: string }) => order.uid)).toEqual([uid])
    const query = `{ orders(first: 1, owner: "${owner}") { nodes { uid } } }`
    expect((await graphql(follower.url ?? '', query)).orders.nodes).toEqual([{ uid }])
  })

  test('says where it comes from, and when it was compared', async () => {
    const { body: uid } = await atBook.place(wish(10n ** 16n, 10n ** 15n))
    const { headers } = await request(`${atFollower.base}/api/v1/orders/${uid}`)
    expect(Number(headers.get('age'))).toBeLessThan(60)
    const query = `{ order(uid: "${uid}") { mirror { source comparedAt isVerified isDocumentVerified isFeeReported } } }`
    const { mirror } = (await graphql(follower.url ?? '', query)).order
    expect(mirror).toMatchObject({
      source: followed().orderBook.url,
      isVerified: true,
      isDocumentVerified: true,
      isFeeReported: true,
    })
    expect(Math.abs(Date.now() - Date.parse(mirror.comparedAt))).toBeLessThan(60_000)
    expect((await graphql(book.url, query)).order).toEqual({ mirror: null })
    expect((await request(`${atBook.base}/api/v1/orders/${uid}`)).headers.has('age')).toBe(false)
  })

  test('has a mirror whose age and rest are shown', async () => {
    const query =
      '{ meta { mirror { source lagSeconds isLimited backfill liveOrders roundSeconds lateOrders } } }'
    const shown = await eventually('a first look', async () => {
      const { mirror } = (await graphql(follower.url ?? '', query)).meta
      return mirror.lagSeconds === null ? undefined : mirror
    })
    const { source, lagSeconds, liveOrders, roundSeconds, ...rest } = shown
    expect(source).toBe(followed().orderBook.url)
    expect(lagSeconds).toBeLessThan(60)
    expect(liveOrders).toBeGreaterThan(0)
    expect(roundSeconds).toBeLessThanOrEqual(60)
    expect(rest).toEqual({ isLimited: false, backfill: 0, lateOrders: 0 })
    expect((await graphql(book.url, query)).meta).toEqual({ mirror: null })
  })

  test('is unknown where the order book does not know it either', async () => {
    const uid = `0x${'12'.repeat(56)}`
    expect((await request(`${atFollower.base}/api/v1/orders/${uid}`)).status).toBe(404)
    expect(await graphql(follower.url ?? '', `{ order(uid: "${uid}") { uid } }`)).toEqual({ order: null })
  })
})

test('an order is explained by what can be seen from here, and its owner is notified of missing funds', async () => {
  const [there, here] = [
    createTrader(book.url, book.market, 3),
    createTrader(follower.url ?? '', book.market, 3),
  ]
  const { COW } = book.market.tokens
  const abi = new Interface([
    'function balanceOf(address) view returns (uint256)',
    'function transfer(address, uint256) returns (bool)',
  ])
  const call = { to: COW.address, data: abi.encodeFunctionData('balanceOf', [there.address]) }
  const held = BigInt(await book.chain.rpc.call<string>('eth_call', [call, 'latest']))
  const { body: uid } = await there.place({ ...wish(held), sell: 'COW', buyAmount: 10n ** 30n })
  expect(uid).toMatch(/^0x[0-9a-f]{112}$/)
  // The order is read when it is named first, which a busy machine may not do in time.
  const codeHere = async () => {
    const query = `{ order(uid: "${uid}") { diagnosis { code } } }`
    return (await graphql(follower.url ?? '', query).catch(() => undefined))?.order?.diagnosis.code
  }
  await eventually('nothing that can be seen blocks it', async () =>
    ['DECIDED_ELSEWHERE', 'PRICE_OUT_OF_REACH'].includes(await codeHere()),
  )
  const data = abi.encodeFunctionData('transfer', [book.market.accounts[4]?.address, 1n])
  await book.chain.rpc.call('eth_sendTransaction', [{ from: there.address, to: COW.address, data }])
  await eventually('funds are missing', async () => (await codeHere()) === 'BALANCE_MISSING')
  const shortage = async (at: typeof here) =>
    (await at.notifications()).filter(({ type }: { type: string }) => type === 'insufficient_balance')
  const sent = await eventually('the notification', async () => {
    const [found, known] = [await shortage(here), await shortage(there)]
    return found.length > 0 && known.length > 0 && found
  })
  expect(sent.map(({ metadata }: { metadata: object }) => metadata)).toEqual(
    (await shortage(there)).map(({ metadata }: { metadata: object }) => metadata),
  )
})

test('doctor reports whether the order book answers, and is signed for the network', async () => {
  const config = followed()
  const about = 'sepolia: order book'
  const checks = async (change: object, network = config.network) =>
    (
      await checkNetworks(
        [{ ...config, network, orderBook: { ...config.orderBook, ...change } }],
        readSettings({}),
        silentLog,
      )
    ).find((check) => check.about === about)
  await atBook.place(wish(10n ** 16n, 10n ** 15n))
  const shown = await eventually('a competition is shown', async () => {
    await atBook.place(wish(10n ** 16n))
    return (await request(`${atBook.base}/api/v2/solver_competition/latest`)).status === 200
  })
  expect(shown).toBe(true)
  expect(await checks({})).toEqual({ about, state: 'good', says: 'answers with orders of this network' })
  const contract = book.market.tokens.WETH.address
  expect(await checks({}, { ...config.network, settlement: contract })).toMatchObject({
    state: 'bad',
    says: 'has orders of another contract',
  })
  expect(await checks({ url: 'http://127.0.0.1:9' })).toMatchObject({ state: 'bad' })
  // A local chain has the id of a known one, and is shorter.
  const network = { ...config.network, firstBlock: 4_717_488 }
  const found = await checkNetworks([{ ...config, network }], readSettings({}), silentLog)
  expect(found.filter(({ state }) => state !== 'good')).toMatchObject([
    { state: 'bad', says: expect.stringMatching(/^is at block \d+, before firstBlock 4717488$/) },
  ])
})

test('doctor names a refused key, a limit, a wrong clock, and a contract without code', async () => {
  let reply: { status: number; date: number } = { status: 404, date: Date.now() }
  const server = createServer((_, res) => {
    const headers = { date: new Date(reply.date).toUTCString(), 'content-type': 'application/json' }
    res.writeHead(reply.status, headers).end('{"errorType":"NotFound","description":""}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const says = async (next: Partial<typeof reply>, change: object = {}, apiKey?: string) => {
      reply = { status: 404, date: Date.now(), ...next }
      const { network, rpcUrl } = followed()
      const orderBook = { url, callsPerMinute: 100, ...(apiKey && { apiKey }) }
      const config = { network: { ...network, ...change }, rpcUrl, orderBook }
      const checks = await checkNetworks([config], readSettings({}), silentLog)
      return checks.filter(({ state }) => state !== 'good').map((check) => check.says)
    }
    expect(await says({})).toEqual([])
    expect(await says({ status: 401 })).toEqual(['refuses calls without a key (status 401)'])
    expect(await says({ status: 403 }, {}, 'a key')).toEqual(['refuses the key (status 403)'])
    expect(await says({ status: 429 })).toEqual(['takes no more calls for the moment'])
    expect((await says({ date: Date.now() - 3_600_000 }))[0]).toMatch(/^its clock is 3[56]\d\d s behind$/)
    const nothing = '0x00000000000000000000000000000000000000fe'
    expect(await says({}, { ethFlows: [nothing] })).toEqual([`has no code at ${nothing}`])
  } finally {
    server.close()
  }
})

test('the commands of a trade know symbols and units where there are no pools', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-follower-'))
  const account = book.market.accounts[0] ?? expect.fail()
  writeFileSync(path.join(folder, 'key'), `${account.privateKey}\n`, { mode: 0o600 })
  const run = (args: readonly string[], input = '') =>
    runHere(args, { TRADEGRAPH_URL: follower.url }, { cwd: folder, input })
  try {
    const { WETH, USDC } = book.market.tokens
    const symbols = `{ network { tokens(search: "USDC", first: 5) { nodes { address symbol decimals } } } }`
    await eventually('the dollar is known', async () => {
      const { nodes } = (await graphql(follower.url ?? '', symbols)).network.tokens
      return nodes.length > 0 && nodes
    })
    const flags = ['--sell', 'WETH', '--buy', 'usdc', '--amount', '0.25', '--from', account.address]
    const quoted = await run(['quote', ...flags])
    expect(quoted.stderr).toContain(`quoted: 0.2`)
    expect(quoted.stderr).toContain(` WETH (${WETH.address}) for `)
    expect(quoted.stderr).toContain(` USDC (${USDC.address})`)
    const file = JSON.parse(quoted.stdout)
    expect([file.sellToken, file.buyToken]).toEqual([
      { address: WETH.address, symbol: 'WETH', decimals: 18 },
      { address: USDC.address, symbol: 'USDC', decimals: 6 },
    ])
    const signed = await run(
      ['sign', '--key-file', 'key', '--yes', '--rpc', book.chain.rpcUrl],
      quoted.stdout,
    )
    expect(signed.stderr).toContain(
      `sell     0.25 WETH (250000000000000000 atoms of ${WETH.address})\nbuy      at least `,
    )
    const uid = (await run(['submit'], signed.stdout)).stdout.trim()
    expect(uid).toMatch(/^0x[0-9a-f]{112}$/)
    await run(['watch', uid])
    const { stdout } = await run(['explain', uid])
    expect(stdout).toMatch(/^ {2}sells 0\.25 WETH for at least \d+\.\d+ USDC, until /m)
    expect(stdout).toContain('  filled: 0.25 WETH of 0.25 WETH\n')
    expect(stdout).toMatch(/The order is filled: 0\.25 WETH for \d+(\.\d+)? USDC\./)
    const verified = await run(['verify', uid, '--rpc', book.chain.rpcUrl])
    expect(verified.stdout).toContain('FULFILLED: the contract has filled 0.25 WETH of 0.25 WETH')
    expect(await run(['quote', ...flags, '--buy', 'GHOST'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'tradegraph: the service has read no token GHOST on sepolia: name its address\n',
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

describe('a write', () => {
  test('is passed on, and read back', async () => {
    const placed = await atFollower.place(wish(10n ** 16n + 1n, 10n ** 15n))
    expect(placed.status).toBe(201)
    const uid = placed.body
    expect((await atBook.order(uid)).status).toBe('open')
    expect((await atFollower.order(uid)).status).toBe('open')
    expect((await atFollower.cancel([uid])).status).toBe(200)
    expect((await atBook.order(uid)).status).toBe('cancelled')
    expect((await atFollower.order(uid)).status).toBe('cancelled')
  })

  test('has the document that was uploaded here, when its order names it by its hash', async () => {
    const fullAppData = '{"appCode":"uploaded at the follower"}'
    const hash = keccakText(fullAppData)
    const upload = await request(`${atFollower.base}/api/v1/app_data/${hash}`, 'PUT', { fullAppData })
    expect(upload.status).toBe(201)
    const placed = await atFollower.place({ ...wish(10n ** 16n + 3n, 10n ** 15n), appDataHash: hash })
    expect(placed.status).toBe(201)
    expect((await atBook.order(placed.body)).fullAppData).toBe(fullAppData)
  })

  test('gets a quote of the order book', async () => {
    const body = {
      kind: 'sell',
      sellAmountBeforeFee: String(10n ** 16n),
      from: atBook.address,
      appData: '{}',
      sellToken: book.market.tokens.WETH.address,
      buyToken: book.market.tokens.USDC.address,
    }
    const there = await request(`${atBook.base}/api/v1/quote`, 'POST', body)
    const here = await request(`${atFollower.base}/api/v1/quote`, 'POST', body)
    expect(here.status).toBe(200)
    expect(Object.keys(here.body).toSorted()).toEqual(Object.keys(there.body).toSorted())
    expect(Object.keys(here.body.quote).toSorted()).toEqual(Object.keys(there.body.quote).toSorted())
    expect(here.body.id).toBe(there.body.id + 1)
    // The gas price may have moved between the two.
    const { sellAmount, feeAmount } = here.body.quote
    expect(BigInt(sellAmount) + BigInt(feeAmount)).toBe(10n ** 16n)
  })

  test.each([
    ['an order that expires too soon', { validTo: 1_700_000_000 }],
    ['a wrong owner', { from: `0x${'11'.repeat(20)}` }],
    ['a second copy', {}],
  ])('is refused as the order book refuses it: %s', async (name, change) => {
    const order = await atBook.sign(wish(10n ** 16n + 7n, 10n ** 15n))
    if (name === 'a second copy') await request(`${atBook.base}/api/v1/orders`, 'POST', order)
    const body = { ...order, ...change }
    const there = await request(`${atBook.base}/api/v1/orders`, 'POST', body)
    const here = await request(`${atFollower.base}/api/v1/orders`, 'POST', body)
    expect(there.status).toBeGreaterThanOrEqual(400)
    expect({ status: here.status, body: here.body }).toEqual({ status: there.status, body: there.body })
  })
})

test('a start with default settings warns of no setting', async () => {
  const warnings: string[] = []
  const { network, ...row } = followed()
  const app = await startProgram(
    { database, chain: book.chain },
    {},
    {
      networks: [{ ...row, network: { ...network, holderTokens: [] } }],
      log: { ...silentLog, warn: (message) => void warnings.push(message) },
      roles,
    },
  )
  await app.close()
  // Names of settings. A busy machine may have other warnings.
  expect(warnings.filter((text) => /[A-Z]+_[A-Z]+/.test(text))).toEqual([])
})
