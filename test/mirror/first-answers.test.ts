import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Interface } from 'ethers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { storeRound } from '../../src/storage/auction/current-auction.ts'
import { bytea } from '../../src/storage/database/columns.ts'
import { sql } from '../../src/storage/database/database.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { startRelayedNode } from '../setup/relayed-node.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

/**
 * An order book that holds no auctions, and a service that follows it and surveys nothing: its answers about
 * orders come from reads for them alone.
 */
let book: World
let database: TestDatabase
let follower: App
let atBook: ReturnType<typeof createTrader>
let line: Awaited<ReturnType<typeof startLine>>
let node: Awaited<ReturnType<typeof startRelayedNode>>
const calls = { balances: 0 }
let isHanging = false

/** Passes requests on to an order book, and notes or answers those for prices. */
async function startLine(target: string) {
  const state = { prices: [] as string[], answer: 'passed' as 'passed' | 'none' | 'fault' }
  const server = createServer(async (req, res) => {
    const token = /token\/(0x[0-9a-f]{40})\/native_price/i.exec(req.url ?? '')?.[1]
    if (token) state.prices.push(token.toLowerCase())
    if (token && state.answer !== 'passed') {
      res.writeHead(state.answer === 'none' ? 404 : 500, { 'content-type': 'application/json' })
      return void res.end('{"errorType":"NoLiquidity","description":"no route found"}')
    }
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const method = req.method ?? 'GET'
    const passed = await fetch(`${target}${req.url}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const headers = { 'content-type': passed.headers.get('content-type') ?? 'application/json' }
    res.writeHead(passed.status, headers).end(await passed.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, state, close }
}

const startFollower = () =>
  startProgram({ database, chain: book.chain }, unlimited, {
    networks: [
      {
        network: { ...book.market.network, poolFactory: zeroAddress, baseTokens: [] },
        rpcUrl: node.url,
        orderBook: { url: `${line.url}/${book.market.network.name}`, callsPerMinute: 100_000 },
      },
    ],
  })

beforeAll(async () => {
  ;[book, database] = await Promise.all([startWorld({ roles: ['serve', 'index'] }), createTestDatabase()])
  line = await startLine(book.url)
  node = await startRelayedNode(book.chain.rpcUrl, ({ method, params: [call] }) => {
    // A call without a contract reads balances.
    const isBalance = method === 'eth_call' && !(call as { to?: string }).to
    if (isBalance) calls.balances++
    return isBalance && isHanging ? new Promise(() => {}) : Promise.resolve(undefined)
  })
  follower = await startFollower()
  atBook = createTrader(book.url, book.market)
})
afterAll(async () => {
  await follower?.close()
  node?.close()
  line?.close()
  await database?.[Symbol.asyncDispose]()
  await book?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  isHanging = false
  line.state.answer = 'passed'
  line.state.prices = []
  // Prices that the last test read are forgotten.
  await follower.close()
  follower = await startFollower()
})

const wish = { sell: 'WETH', buy: 'DAI', sellAmount: 10n ** 16n, buyAmount: 10n ** 18n } as const

async function place(change: Partial<Parameters<typeof atBook.place>[0]> = {}, by = atBook): Promise<string> {
  const { status, body } = await by.place({ ...wish, validTo: nextEnd(), ...change })
  expect([status, body]).toEqual([201, expect.stringMatching(/^0x[0-9a-f]{112}$/)])
  return body
}

let ends = 0
/** Another one for each order, so that their UIDs differ. */
const nextEnd = () => Math.floor(Date.now() / 1_000) + 1_200 + ++ends

const reasons = '{ code summary retryable advice further { code } }'
interface Reasons {
  code: string
  summary: string
  retryable: boolean
  advice: string
  further: { code: string }[]
}
async function why(uid: string): Promise<Reasons> {
  const { order } = await graphql(follower.url ?? '', `{ order(uid: "${uid}") { diagnosis ${reasons} } }`)
  return order.diagnosis
}
const codesOf = ({ code, further }: Reasons) => [code, ...further.map((each) => each.code)]
const notReadYet = {
  code: 'NOT_READ_YET',
  summary:
    'Not all that decides about the order is read yet: its signature, its account’s balance and allowance, and the market price.',
  retryable: true,
  advice: 'Ask again in some seconds.',
  further: [],
}

/** The calls for a price that only orders name: that of the dollar is read at the start. */
const pricesOfDai = () => line.state.prices.filter((token) => token === book.market.tokens.DAI.address).length

const erc20 = new Interface([
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address, uint256) returns (bool)',
  'function approve(address, uint256) returns (bool)',
])

test('the first answer is decided elsewhere once balance, allowance and price are read and allow a fill', async () => {
  const uid = await place()
  expect(await why(uid)).toMatchObject({ code: 'DECIDED_ELSEWHERE', further: [] })
  expect(pricesOfDai()).toBe(1)
})

test('the first answer over REST names the price that is out of reach', async () => {
  const uid = await place({ buyAmount: 10n ** 24n })
  const base = `${follower.url}/${book.market.network.name}`
  const { status, body } = await request(`${base}/api/v1/orders/${uid}/diagnosis`)
  expect([status, body.code, body.further]).toEqual([200, 'priceOutOfReach', []])
  const [{ kind, gapPercent }] = body.evidence
  expect([kind, Number(gapPercent) > 99]).toEqual(['price', true])
})

test('the first answer names missing funds and allowance, and the price with them', async () => {
  const poor = createTrader(book.url, book.market, 3)
  const { COW } = book.market.tokens
  const { rpc } = book.chain
  const [far, near] = [
    await place({ sell: 'COW', sellAmount: 10n ** 18n, buyAmount: 10n ** 30n }, poor),
    await place({ sell: 'COW', sellAmount: 10n ** 18n, buyAmount: 1n }, poor),
  ]
  const data = erc20.encodeFunctionData('balanceOf', [poor.address])
  const held = BigInt(await rpc.call<string>('eth_call', [{ to: COW.address, data }, 'latest']))
  const send = async (data: string) => {
    await rpc.call('eth_sendTransaction', [{ from: poor.address, to: COW.address, data }])
    await rpc.call('evm_mine')
  }
  await send(erc20.encodeFunctionData('transfer', [book.market.accounts[4]?.address, held]))
  await send(erc20.encodeFunctionData('approve', [book.market.network.vaultRelayer, 0n]))
  expect(codesOf(await why(far))).toEqual(['BALANCE_MISSING', 'ALLOWANCE_MISSING', 'PRICE_OUT_OF_REACH'])
  expect(codesOf(await why(near))).toEqual(['BALANCE_MISSING', 'ALLOWANCE_MISSING'])
})

test('a node that hangs leaves the order unread, within the deadline, and is asked once for all', async () => {
  const uid = await place()
  await graphql(follower.url ?? '', `{ order(uid: "${uid}") { uid } }`)
  isHanging = true
  calls.balances = 0
  const begin = performance.now()
  expect(await Promise.all([why(uid), why(uid), why(uid)])).toEqual([notReadYet, notReadYet, notReadYet])
  expect(performance.now() - begin).toBeLessThan(3_500)
  expect(calls.balances).toBe(1)
  expect(pricesOfDai()).toBe(1)
})

test('an order book without a price for a token is named, and one that is away leaves the price unread', async () => {
  const uid = await place()
  line.state.answer = 'fault'
  expect(await why(uid)).toEqual(notReadYet)
  line.state.answer = 'none'
  expect(codesOf(await why(uid))).toEqual(['NO_NATIVE_PRICE'])
})

test('the findings of a survey before the service was down count no more', async () => {
  const uid = await place()
  expect((await why(uid)).code).toBe('DECIDED_ELSEWHERE')
  const { id, chainId } = await sql(database.db).order.findFirstOrThrow({ where: { uid: bytea(uid as Hex) } })
  const since = new Date(Date.now() - 3_600_000)
  const found = { reason: 'insufficient_balance', missing: '1', balance: '0', allowance: '0', since }
  await sql(database.db).orderStanding.create({ data: { ...found, orderId: id, chainId, updatedAt: since } })
  const at = async (auctionAt: Date) => {
    await storeRound(database.db, { chainId, at: auctionAt })
    return (await why(uid)).code
  }
  // The order is older than the pause after which surveys are overdue.
  await sql(database.db).order.update({ where: { id }, data: { createdAt: since } })
  expect(await at(since)).toBe('DECIDED_ELSEWHERE')
  isHanging = true
  expect(await at(since)).toBe('NOT_READ_YET')
  expect(await at(new Date())).toBe('BALANCE_MISSING')
})

test('each order of a list is read for its first answer', async () => {
  const trader = createTrader(book.url, book.market, 2)
  const uids = [await place({}, trader), await place({ buyAmount: 10n ** 24n }, trader)]
  const query = `{ orders(owner: "${trader.address}", first: 10) { nodes { uid diagnosis { code } } } }`
  const { orders } = await graphql(follower.url ?? '', query)
  const found = orders.nodes.map(({ uid, diagnosis }: { uid: string; diagnosis: { code: string } }) => [
    uid,
    diagnosis.code,
  ])
  expect(Object.fromEntries(found)).toEqual({
    [uids[0] ?? '']: 'DECIDED_ELSEWHERE',
    [uids[1] ?? '']: 'PRICE_OUT_OF_REACH',
  })
  expect(pricesOfDai()).toBe(1)
})
