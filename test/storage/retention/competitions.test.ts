import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/evm/address.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { sweep } from '../../../src/storage/retention/sweep.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { indexedUpTo, storeContest, storeSettlement } from '../../fakes/solutions.ts'
import { storeOrder } from '../../fakes/story.ts'
import { connectDirectly } from '../../setup/database.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

const now = 1_800_000_000_000
const unit = 10n ** 18n
const [wallet, trader, solver] = [numbered('a1'), numbered('b1'), numbered('51')]
const auctions = 40
/** A token that only the fifth auction had a price for. */
const gone = numbered('dd')
/** Every eighth auction settles a trade; the others end without one. */
const isSettled = (id: number) => id % 8 === 3
const hashOf = (id: number) => `0x${id.toString(16).padStart(64, '0')}` as const

let server: TestServer
let client: Awaited<ReturnType<typeof connectDirectly>>
const traded: Order[] = []
let resting: Order

/** Prices that change, rest, end and return. */
function pricesOf(id: number) {
  const all = [
    [wrapped, unit],
    [dollar, (10n ** 30n / 2_000n) * BigInt(1 + Math.floor(id / 5))],
    [coin, unit / BigInt(4_000 + id)],
  ] as const
  const priced = new Map<Address, bigint>(all.filter(([token]) => token !== coin || id % 6 !== 0))
  return id === 5 ? priced.set(gone, 7n) : priced
}

async function storeAuction(id: number): Promise<void> {
  const { db } = server.database
  const order = await storeOrder(db, {
    owner: trader,
    sellToken: wrapped,
    buyToken: dollar,
    buyAmount: 1_000_000n,
    fullAppData: '{"metadata":{"referrer":{"code":"ALPHA"}}}',
    validTo: 2_000_000_000 - id,
  })
  const fill = { order, sell: unit, buy: 1_500_000n }
  const solution = { solver, score: 9n, isWinner: true, referenceScore: 1n, fills: [fill] }
  const orders = id < 30 ? [resting, order] : [order]
  await storeContest(db, { id: BigInt(id), orders, nativePrices: pricesOf(id), solutions: [solution] })
  if (!isSettled(id)) return
  traded.push(order)
  const place = { txHash: hashOf(id), blockNumber: 100 + id, logIndex: 2 }
  await storeSettlement(db, { ...place, auctionId: BigInt(id), solver, trades: [fill] })
}

const rest = (path: string) => request(`${server.url}${path}`)

/** Everything that values trades, or tells of the auctions that they settled. */
async function readings() {
  const ofOrders = traded.map(({ uid }) => [
    `/sepolia/api/v1/debug/order/${uid}`,
    `/sepolia/api/v1/orders/${uid}/status`,
  ])
  const ofAuctions = Array.from({ length: auctions }, (_, index) => index + 1)
    .filter(isSettled)
    .map((id) => `/sepolia/api/v2/solver_competition/by_tx_hash/${hashOf(id)}`)
  const paths = [
    `/sepolia/api/v1/users/${trader}/total_surplus`,
    `/affiliate/affiliate-stats/${wallet}`,
    `/affiliate/trader-stats/${trader}`,
    `/affiliate/trader-activity/${trader}`,
    ...[wrapped, dollar, coin, gone].map((token) => `/sepolia/api/v1/token/${token}/metadata`),
    ...ofOrders.flat(),
    ...ofAuctions,
  ]
  const entries = await Promise.all(paths.map(async (path) => [path, await rest(path)] as const))
  return Object.fromEntries(entries.map(([path, { status, body }]) => [path, { status, body }]))
}

const sweepNow = (more: { days?: number; finalityBlocks?: number } = {}) =>
  sweep(
    {
      db: server.database.db,
      networks: [{ ...network, finalityBlocks: more.finalityBlocks ?? 64 }],
      days: {
        events: 0,
        competitions: more.days ?? 90,
        marketPrices: 0,
        feed: 0,
        quotes: 0,
        idempotencyKeys: 0,
        deliveries: 0,
      },
      now: () => now,
      log: silentLog,
      batchAuctions: 7,
    },
    new AbortController().signal,
  )

const idsOf = async (sql: string) =>
  (await client.query<{ id: string }>(sql)).rows.map(({ id }) => Number(id))

beforeAll(async () => {
  server = await openTestServer({ network: { ...network, wrappedNative: wrapped, usdReference: dollar } })
  client = await connectDirectly(server.database.url)
  await client.query(
    `INSERT INTO affiliates (wallet, code, digest, signed_message, created_at, reward_amount, trigger_volume, time_cap_days,
       volume_cap, revenue_split_affiliate_pct, revenue_split_trader_pct, revenue_split_dao_pct)
     VALUES ($1, 'ALPHA', decode(repeat('a1', 32), 'hex'), '', '2020-01-01', 20, 4000, 9000, 0, 30, 50, 20)`,
    [Buffer.from(wallet.slice(2), 'hex')],
  )
  resting = await storeOrder(server.database.db, { owner: numbered('b9'), validTo: 2_100_000_000 })
  for (let id = 1; id <= auctions; id++) await storeAuction(id)
  // Ten days apart, the newest today; all deadlines are block 103.
  await client.query(
    "UPDATE auctions SET created_at = $1::timestamptz - ($2::int - id) * interval '10 days'",
    [new Date(now), auctions],
  )
})
afterAll(async () => {
  await client?.end()
  await server?.[Symbol.asyncDispose]()
})

describe('old competitions', () => {
  test('stay while their deadline may be reorganised', async () => {
    await indexedUpTo(server.database.db, 166)
    expect(await sweepNow()).toEqual({})
  })

  test('stay while an attempt to settle them, or one before them, has not ended', async () => {
    await indexedUpTo(server.database.db, 167, 166)
    await client.query(
      `INSERT INTO settlement_attempts (auction_id, solution_uid, chain_id, solver, started_at, start_block, deadline_block)
       VALUES (1, 0, ${network.chainId}, '', now(), 100, 103)`,
    )
    expect(await sweepNow()).toEqual({})
    await client.query('DELETE FROM settlement_attempts')
  })

  test('go with all that belongs to them, and nothing that a trade needs changes', async () => {
    await client.query(
      `INSERT INTO settlement_attempts (auction_id, solution_uid, chain_id, solver, started_at, start_block, deadline_block, outcome)
       SELECT id, 0, chain_id, '', created_at, 100, 103, 'timeout' FROM auctions`,
    )
    const before = await readings()
    const surplus = before[`/sepolia/api/v1/users/${trader}/total_surplus`]
    expect(surplus).toMatchObject({ status: 200, body: { totalSurplus: expect.stringMatching(/^[1-9]/) } })
    expect(Object.values(before).map(({ status }) => status)).not.toContain(404)

    const removed = await sweepNow()
    // Those older than 90 days are 1 to 30, and 3, 11, 19, 27 of them are settled.
    expect(removed).toMatchObject({
      auctions: 26,
      solutions: 26,
      solution_executions: 26,
      settlement_attempts: 26,
    })
    const left = [3, 11, 19, 27, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40]
    expect(await idsOf('SELECT id FROM auctions ORDER BY id')).toEqual(left)
    expect(await idsOf('SELECT auction_id AS id FROM solutions ORDER BY 1')).toEqual(left)
    expect(await idsOf('SELECT auction_id AS id FROM settlement_attempts ORDER BY 1')).toEqual(left)
    // The resting order's one span holds settled auctions; of the others those of auctions that are left.
    expect(await idsOf('SELECT first_auction AS id FROM auction_spans ORDER BY 1')).toEqual([1, ...left])
    expect(await readings()).toEqual(before)
    // A second round finds nothing.
    expect(await sweepNow()).toEqual({})
  })

  test('leave no price that no auction needs', async () => {
    const rows = await client.query<{ token: Buffer; changes: number[] }>(
      `SELECT s.token, array_agg(c.auction_id::int ORDER BY c.auction_id) AS changes
       FROM price_changes c JOIN price_series s ON s.id = c.series_id GROUP BY 1`,
    )
    const changesOf = (token: string) =>
      rows.rows.find(({ token: bytes }) => `0x${bytes.toString('hex')}` === token.toLowerCase())?.changes
    // Its price, and that it ended with the sixth auction.
    expect(changesOf(gone)).toEqual([5, 6])
    expect(changesOf(wrapped)).toEqual([1])
    expect(changesOf(dollar)).toEqual([1, 10, 15, 25, 30, 35, 40])
    expect(changesOf(coin)).toEqual([3, 11, 19, 27, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40])
  })

  test('and the newest stays, so that the next auction ends and begins spans as if nothing had been removed', async () => {
    const last = auctions
    expect(await sweepNow({ days: 0.000_001 })).toMatchObject({ auctions: 8 })
    expect(await idsOf('SELECT id FROM auctions ORDER BY id')).toEqual([3, 11, 19, 27, 35, last])
    await client.query('UPDATE auctions SET created_at = $1', [new Date(0)])
    expect(await sweepNow()).toEqual({})
    await storeAuction(auctions + 1)
    const spans = 'SELECT first_auction AS id FROM auction_spans WHERE last_auction'
    expect(await idsOf(`${spans} = ${last}`)).toEqual([last])
    expect(await idsOf(`${spans} IS NULL`)).toEqual([auctions + 1])
    const { auction } = await graphql(
      server.url,
      `{ auction(id: ${auctions + 1}) { orderUids nativePrices { price } } }`,
    )
    expect([auction.orderUids.length, auction.nativePrices.length]).toEqual([1, pricesOf(auctions + 1).size])
  })
})
