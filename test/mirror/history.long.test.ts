import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import type { OrderBookConfig } from '../../src/app/config.ts'
import { settlementAbi } from '../../src/chain/settlement/call.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { readHistories } from '../../src/indexer/account-history.ts'
import { findCheckpoint, rollbackChainFacts } from '../../src/storage/chain/indexed-logs.ts'
import { bytea } from '../../src/storage/database/columns.ts'
import { sql } from '../../src/storage/database/database.ts'
import { requestHistory } from '../../src/storage/order/histories.ts'
import { claimOrderBook, firstBlocksOf } from '../../src/storage/order/mirror.ts'
import { refreshProgress } from '../../src/storage/order/progress.ts'
import { numbered } from '../fakes/order.ts'
import { temporaryFile } from '../fakes/settings.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { runProgram } from '../setup/program.ts'
import { send } from '../setup/sdk.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startProgram, startWorld, unlimited, type World } from '../setup/world.ts'

let book: World
let database: TestDatabase
let follower: App | undefined

const wish = { sell: 'WETH', buy: 'USDC', sellAmount: 10n ** 16n, buyAmount: 1n } as const
const hash = `0x${'bc'.repeat(32)}` as const
const head = async () => Number(await book.chain.rpc.call<string>('eth_blockNumber'))

beforeAll(async () => {
  ;[book, database] = await Promise.all([startWorld(), createTestDatabase()])
})
afterAll(async () => {
  await follower?.close()
  await database?.[Symbol.asyncDispose]()
  await book?.[Symbol.asyncDispose]()
})

async function follow(history?: OrderBookConfig['history'], at = database): Promise<string> {
  await follower?.close()
  const network = { ...book.market.network, finalityBlocks: 2 }
  const orderBook = {
    url: `${book.url}/${network.name}`,
    callsPerMinute: 100_000,
    ...(history && { history }),
  }
  follower = await startProgram({ database: at, chain: book.chain }, unlimited, {
    roles: ['serve', 'index'],
    networks: [{ network, rpcUrl: book.chain.rpcUrl, orderBook }],
  })
  return follower.url ?? ''
}

/** Places an order that is filled, and waits until its trade is final. @returns its UID and its block */
async function filled(account: number) {
  const trader = createTrader(book.url, book.market, account)
  const { body: uid } = await trader.place(wish)
  const { trades } = await eventually('the order is filled', async () => {
    const { body: trades } = await request(`${trader.base}/api/v1/trades?orderUid=${uid}`)
    return trades.length > 0 && { trades }
  })
  const block = trades[0].blockNumber
  await eventually('its trade is final', async () => (await head()) > block + 2)
  return { uid, block }
}

const events = (uid: string) => `{ order(uid: "${uid}") { status executedSellAmount executedBuyAmount
  events(first: 9) { nodes { label timestamp } } trades(first: 9) { nodes { txHash sellAmount buyAmount } } } }`

test('a new database begins at the final block, and older fills come with the account that is named', async () => {
  const [mine, others] = [await filled(0), await filled(1)]
  const url = await follow()
  const from = (await firstBlocksOf(database.db, book.market.network.chainId)).indexedFrom
  expect(from).toBeGreaterThan(others.block)
  expect(from).toBeLessThanOrEqual(await head())
  const trader = createTrader(url, book.market)
  // On a busy machine, the first answer can be that the order book is not read yet.
  const list = await eventually('the account is read', async () => {
    const answer = await request(`${trader.base}/api/v1/account/${trader.address}/orders`)
    return answer.status === 200 && answer
  })
  expect(list.body.map((order: { uid: string }) => order.uid)).toEqual([mine.uid])
  const { order } = await eventually('its fill is read', async () => {
    // Its trades are being read: the answer is that it is not available yet.
    const data = await graphql(url, events(mine.uid)).catch(() => undefined)
    return data?.order.status === 'FULFILLED' && data
  })
  const there = (await graphql(book.url, events(mine.uid))).order
  expect(order.trades).toEqual(there.trades)
  expect([order.executedSellAmount, order.executedBuyAmount]).toEqual([
    there.executedSellAmount,
    there.executedBuyAmount,
  ])
  const tag = `0x${mine.block.toString(16)}`
  const { timestamp } = await book.chain.rpc.call<{ timestamp: string }>('eth_getBlockByNumber', [tag, false])
  // While its fill was not read, nothing kept it from being filled.
  const known = order.events.nodes.filter(({ label }: { label: string }) => label !== 'READY')
  const [created, traded] = known
  expect(created.label).toBe('CREATED')
  expect({ ...traded, timestamp: Date.parse(traded.timestamp) }).toEqual({
    label: 'TRADED',
    timestamp: Math.max(Number(timestamp) * 1_000, Date.parse(created.timestamp)),
  })
  expect(known).toHaveLength(2)
  expect(await sql(database.db).notification.count()).toBe(0)
  expect(await sql(database.db).trade.count()).toBe(1)
})

test('a restart goes on where it was, whatever the setting is then', async () => {
  const { chainId } = book.market.network
  const [from, before] = [
    (await firstBlocksOf(database.db, chainId)).indexedFrom,
    await findCheckpoint(database.db, chainId),
  ]
  for (const history of ['all', { fromBlock: 1 }] as const) {
    await follow(history)
    expect((await firstBlocksOf(database.db, chainId)).indexedFrom).toBe(from)
  }
  await eventually('blocks are indexed', async () => {
    const after = await findCheckpoint(database.db, chainId)
    return (after?.number ?? 0) > (before?.number ?? 0) + 1
  })
  expect(await sql(database.db).trade.count()).toBe(1)
})

test('a range of blocks is imported with its trades and their orders, once', async () => {
  const { name, chainId, settlement, vaultRelayer, wrappedNative } = book.market.network
  const orderBook = { url: `${book.url}/${name}` }
  // With such blocks, a fill is old after two.
  const contracts = { settlement, vaultRelayer, wrappedNative, finalityBlocks: 2, blockTimeMs: 600_000 }
  await follower?.close()
  follower = undefined
  using temporary = temporaryFile('import')
  const rows = JSON.stringify([{ name, chainId, ...contracts, rpcUrl: book.chain.rpcUrl, orderBook }])
  const environment = { DATABASE_URL: database.url, NETWORKS_FILE: temporary.write(rows) }
  const flags = ['--from-block', '0', '--to-block', String((await head()) - 3)]
  for (const _ of ['once', 'twice']) {
    const { stdout } = await runProgram(['import', ...flags], environment)
    expect(stdout).toMatch(/block (\d+) of \1\n$/)
    expect(await sql(database.db).trade.count()).toBe(2)
  }
  // Of a chain that was never indexed, all is old.
  await using fresh = await createTestDatabase()
  await runProgram(['import', ...flags], { ...environment, DATABASE_URL: fresh.url })
  expect(await sql(fresh.db).order.count()).toBe(2)
  expect(await sql(fresh.db).notification.count()).toBe(0)
  const trader = createTrader(book.url, book.market, 1)
  const query = `{ orders(first: 1, owner: "${trader.address}") { nodes { status trades(first: 9) { nodes { txHash blockNumber } }
    events(first: 9) { nodes { label timestamp } } } } }`
  const [here] = (await graphql(await follow(), query)).orders.nodes
  const [there] = (await graphql(book.url, query)).orders.nodes
  expect([here.status, here.trades]).toEqual(['FULFILLED', there.trades])
  // Without its fill, nothing kept the order from being filled for a moment.
  const known = here.events.nodes.filter(({ label }: { label: string }) => label !== 'READY')
  const [created, traded, ...more] = known
  expect([created.label, traded.label, more]).toEqual(['CREATED', 'TRADED', []])
  const tag = `0x${here.trades.nodes[0].blockNumber.toString(16)}`
  const { timestamp } = await book.chain.rpc.call<{ timestamp: string }>('eth_getBlockByNumber', [tag, false])
  // An order may be created within the second of its block.
  expect(Date.parse(traded.timestamp)).toBe(
    Math.max(Number(timestamp) * 1_000, Date.parse(created.timestamp)),
  )
}, 90_000)

test('an order that was signed on chain before the first indexed block is open until a log revokes that', async () => {
  const { chainId, settlement } = book.market.network
  const trader = createTrader(book.url, book.market)
  const order = await trader.sign({ ...wish, buyAmount: 10n ** 15n })
  const { body: uid } = await request(`${trader.base}/api/v1/orders`, 'POST', {
    ...order,
    signingScheme: 'presign',
    signature: '0x',
  })
  const setPreSignature = (signed: boolean) =>
    send(book, settlement, settlementAbi.encodeFunctionData('setPreSignature', [uid, signed]))
  await setPreSignature(true)
  const signedAt = await head()
  await eventually('the signature is final', async () => (await head()) > signedAt + 2)
  await using fresh = await createTestDatabase()
  const url = await follow('accounts', fresh)
  const { indexedFrom } = await firstBlocksOf(fresh.db, chainId)
  expect(indexedFrom).toBeGreaterThan(signedAt)
  const query = `{ order(uid: "${uid}") { status diagnosis { code } } }`
  const asked = () => graphql(url, query).catch(() => undefined)
  const seen = await eventually('the order is read', async () => (await asked())?.order)
  expect(seen.status).toBe('OPEN')
  expect(seen.diagnosis?.code).not.toBe('PRESIGNATURE_MISSING')
  const becomes = (status: string) =>
    eventually(status, async () => (await graphql(url, query)).order.status === status)
  for (const signed of [false, true, false]) {
    await setPreSignature(signed)
    await becomes(signed ? 'OPEN' : 'PRESIGNATURE_PENDING')
  }
  await follower?.close()
  follower = undefined
  await fresh.db.transaction(async (tx) =>
    refreshProgress(tx, await rollbackChainFacts(tx, chainId, indexedFrom - 1)),
  )
  expect(await sql(fresh.db).presignature.count()).toBe(0)
  const where = { uid: bytea(uid) }
  expect(await sql(fresh.db).order.findFirst({ where })).toMatchObject({ presigned: true })
})

test('older trades are read once each, newest first, in turns of accounts, after faults too', async () => {
  const chainId = 31_337
  await using other = await createTestDatabase()
  await claimOrderBook(other.db, chainId, 'http://127.0.0.1:1/', async () => ({
    indexedFrom: 250_001,
    notifiedFrom: 0,
  }))
  const accounts = ['a1', 'a2'].map((name) => numbered(name) as `0x${string}`)
  const [one, two] = [accounts[0] ?? expect.fail(), accounts[1] ?? expect.fail()]
  const trade = (blockNumber: number, owner: typeof one) => ({
    type: 'trade' as const,
    blockNumber,
    blockHash: hash,
    txHash: hash,
    logIndex: 3,
    owner,
    sellToken: numbered('d'),
    buyToken: numbered('e'),
    sellAmount: 5n,
    buyAmount: 7n,
    feeAmount: 0n,
    orderUid: `0x${'ab'.repeat(52)}${String(blockNumber).padStart(8, '0')}` as const,
  })
  const all = [10, 60_000, 150_000, 150_001, 250_000].flatMap((block) => [trade(block, one)])
  const ranges: string[] = []
  let faults = 2
  const options = {
    db: other.db,
    network: { chainId, name: 'local', firstBlock: 5 },
    now: Date.now,
    log: silentLog,
    poll: () => pause(10),
    chain: {
      times: async (numbers: readonly number[]) => new Map(numbers.map((each) => [each, new Date(1)])),
    },
    async tradesOf(owners: readonly string[] = [], { from, to }: { from: number; to: number }) {
      if (to < 200_000 && faults-- > 0) throw new Outage('a node')
      ranges.push(`${owners.length}: ${from}-${to}`)
      return all.filter(({ blockNumber: at, owner }) => owners.includes(owner) && at >= from && at <= to)
    },
  }
  for (const account of accounts) await requestHistory(other.db, chainId, account, 5)
  const unread = () => sql(other.db).accountHistory.count({ where: { unreadTo: { gte: 0 } } })
  const stop = new AbortController()
  const reading = readHistories(options, stop.signal)
  await eventually('all is read', async () => (await unread()) === 0)
  stop.abort()
  await reading
  expect(ranges[0]).toBe('2: 150001-250000')
  expect(ranges.at(-1)).toMatch(/^2: 5-/)
  const stored = await sql(other.db).trade.findMany({ orderBy: { blockNumber: 'asc' } })
  expect(stored.map(({ blockNumber }) => Number(blockNumber))).toEqual([
    10, 60_000, 150_000, 150_001, 250_000,
  ])
  await requestHistory(other.db, chainId, two, 5)
  expect(await unread()).toBe(0)
})
